import { FORMATS, IMAGE_EXTENSION, type InputFormat } from '#contract/constants';
import { invisibleCharacters } from './invisible-characters.ts';
import type { VariantSpec } from './shared/variants.ts';

/** Longest basename in bytes of UTF-8; leaves room for `-8192w`, `-999` and an extension below the 255 of file systems. */
const MAX_BYTES = 180;

// Beside what is invisible everywhere: control characters, line and paragraph separators, and what a lone surrogate becomes in the database.
const INVISIBLE = invisibleCharacters('\\p{Cc}\\p{Zl}\\p{Zp}\\uFFFD');
const RESERVED_CHARACTERS = /[/\\:*?"<>|]/g;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?=\s*(?:\.|$))/i;
const PATH_PREFIX = /^(?:\.{0,2}[/\\]|[a-z]:[/\\])/i;
/** Extensions of programs that send images, and of files that no program has named. */
const OTHER_EXTENSION =
  /\.(?:php\d?|phtml|phar|aspx?|ashx|jspx?|cgi|pl|py|html?|tmp|temp|bin|dat|file|download|part)$/i;

/**
 * Converts any text to a safe basename: no path, no control, bidi or zero-width characters, no name reserved by Windows, at
 * most 180 bytes cut at a code point, Unicode NFC.
 * @param name requested name; a known image extension at its end is removed
 * @param fallback used if nothing is left of the name, e.g. the original filename; then `image`
 */
export function cleanBasename(name: string, fallback = ''): string {
  return cleaned(name) || cleaned(fallback) || 'image';
}

/** Converts the name of an uploaded file to a safe basename. Only what is known as an extension is removed. */
export function basenameOf(filename: string): string {
  return cleanBasename(filename.replace(OTHER_EXTENSION, ''));
}

/** Returns the file name of a variant: `base.ext` for `full`, `base-480w.ext` for `480w`. */
export function variantFilename(base: string, extension: string, variantName: VariantSpec['name']): string {
  return variantName === 'full' ? `${base}.${extension}` : `${base}-${variantName}.${extension}`;
}

/** Returns the form in which file names are compared for uniqueness: NFC, case-insensitive. */
export function filenameKey(name: string): string {
  // Upper case first: it folds ß/ẞ, final sigma and dotless forms, which toLowerCase alone does not.
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

function cleaned(name: string): string {
  let base = name.replace(INVISIBLE, '').normalize('NFC').trim();
  // The last segment of a path is the name (`../../etc/passwd.jpg` is `passwd`); in a title a slash is removed (`AC/DC`).
  if (PATH_PREFIX.test(base) || IMAGE_EXTENSION.test(base)) {
    base = base.split(/[/\\]/).findLast((segment) => segment.trim() !== '') ?? '';
  }
  base = trimEdges(base.replace(IMAGE_EXTENSION, '').replace(RESERVED_CHARACTERS, ''));
  base = trimEdges(cutBytes(base, MAX_BYTES));
  return WINDOWS_DEVICE.test(base) ? cutBytes(base.replace(WINDOWS_DEVICE, '$&_'), MAX_BYTES) : base;
}

/** Removes leading dots (hidden files), trailing dots and spaces (ignored by Windows), and joiners that join nothing. */
function trimEdges(base: string): string {
  return base.replace(/^[.\s]+/u, '').replace(/[.\s\u200C\u200D]+$/u, '');
}

function cutBytes(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) return text.slice(0, end);
    end += character.length;
  }
  return text;
}

/** True if a file name's extension belongs to another format than the file's bytes. A name without extension never mismatches. */
export function extensionMismatch(filename: string, format: InputFormat): boolean {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(filename)?.[1]?.toLowerCase();
  return extension !== undefined && !(FORMATS[format].extensions as readonly string[]).includes(extension);
}

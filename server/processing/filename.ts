import type { VariantSpec } from './shared/variants.ts';

/** Longest basename in bytes of UTF-8; leaves room for `-8192w`, `-999` and an extension below the 255 of file systems. */
const MAX_BYTES = 180;

// Cc: control, Cf: bidi overrides, zero-width, BOM and soft hyphens, Zl and Zp: line and paragraph separators, Cs: lone surrogates.
// U+FFFD: what a lone surrogate becomes in the database. The rest are invisible letters.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115F\u1160\u2800\u3164\uFFA0\uFFFD]/gu;
const RESERVED_CHARACTERS = /[/\\:*?"<>|]/g;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?=\s*(?:\.|$))/i;
const PATH_PREFIX = /^(?:\.{0,2}[/\\]|[a-z]:[/\\])/i;
const IMAGE_EXTENSION = /\.(?:jpe?g|jfif|png|apng|webp|avif|gif|tiff?|heic|heif|bmp|svg|jxl)$/i;

/**
 * Converts any text to a safe basename: no path, no control, bidi or zero-width characters, no name reserved by Windows, at
 * most 180 bytes cut at a code point, Unicode NFC.
 * @param name requested name; a known image extension at its end is removed
 * @param fallback used if nothing is left of the name, e.g. the original filename; then `image`
 */
export function cleanBasename(name: string, fallback = ''): string {
  return cleaned(name) || cleaned(fallback) || 'image';
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

/** Removes leading dots (hidden files) and trailing dots and spaces (ignored by Windows). */
function trimEdges(base: string): string {
  return base.replace(/^[.\s]+/u, '').replace(/[.\s]+$/u, '');
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

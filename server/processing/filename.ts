import type { VariantSpec } from './shared/variants.ts';

/** Longest basename in bytes of UTF-8; leaves room for `-8192w`, `-999` and an extension below the 255 of file systems. */
const MAX_BYTES = 180;

// Cc: control, Cf: bidi overrides, zero-width, BOM and soft hyphens, Zl and Zp: line and paragraph separators, Cs: lone surrogates.
// The rest are letters that draw nothing: a name of them alone would look empty.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115F\u1160\u2800\u3164\uFFA0]/gu;
const RESERVED_CHARACTERS = /[/\\:*?"<>|]/g;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?=\s*(?:\.|$))/i;
const PATH_PREFIX = /^(?:\.{0,2}[/\\]|[a-z]:[/\\])/i;
const IMAGE_EXTENSION = /\.(?:jpe?g|jfif|png|apng|webp|avif|gif|tiff?|heic|heif|bmp|svg|jxl)$/i;

/**
 * Makes a safe basename of whatever a client sent: no path, no control, bidi or zero-width characters, no name that Windows
 * reserves, at most 180 bytes cut at a code point, Unicode NFC.
 * @param name the wished name; a known image extension at its end is dropped
 * @param fallback used when nothing is left of the name, e.g. the original filename; then `image`
 */
export function cleanBasename(name: string, fallback = ''): string {
  return cleaned(name) || cleaned(fallback) || 'image';
}

/** The file name of a variant: `base.ext` for `full`, `base-480w.ext` for `480w`. */
export function variantFilename(base: string, extension: string, variantName: VariantSpec['name']): string {
  return variantName === 'full' ? `${base}.${extension}` : `${base}-${variantName}.${extension}`;
}

/** The form in which file names are compared for uniqueness: NFC without regard to case. */
export function filenameKey(name: string): string {
  // Upper first: it folds ß/ẞ, final sigma and dotless forms that toLowerCase alone keeps apart.
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

function cleaned(name: string): string {
  let base = name.replace(INVISIBLE, '').normalize('NFC').trim();
  // Of a path only the last segment is a name (`../../etc/passwd.jpg` is `passwd`); in a title a slash is just dropped (`AC/DC`).
  if (PATH_PREFIX.test(base) || IMAGE_EXTENSION.test(base)) {
    base = base.split(/[/\\]/).findLast((segment) => segment.trim() !== '') ?? '';
  }
  base = trimEdges(base.replace(IMAGE_EXTENSION, '').replace(RESERVED_CHARACTERS, ''));
  base = trimEdges(cutBytes(base, MAX_BYTES));
  return WINDOWS_DEVICE.test(base) ? cutBytes(base.replace(WINDOWS_DEVICE, '$&_'), MAX_BYTES) : base;
}

/** Removes leading dots (hidden files) and trailing dots and spaces (Windows drops them silently). */
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

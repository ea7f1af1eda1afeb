import type { Item } from '../../state/index.ts';

/** Describes an image with its texts and files. */
function describe({ name, clientRef, metadata, result, image }: Item) {
  const { filename, title, alt, decorative } = metadata;
  const files = result?.variants ?? [];
  return {
    original: name,
    clientRef,
    filename,
    title,
    alt,
    decorative,
    width: image?.width ?? null,
    height: image?.height ?? null,
    bytes: image?.size ?? null,
    files: files.map(({ name, filename, width, height, size, sha256 }) => ({
      ...{ name, filename, width, height },
      bytes: size,
      sha256,
    })),
  };
}

/** Writes the texts of images as JSON. */
export const jsonOf = (items: readonly Item[]): string =>
  `${JSON.stringify({ images: items.map(describe) }, null, 2)}\n`;

/** Writes the texts of images as CSV (RFC 4180) with a byte order mark, by which Excel recognises UTF-8. */
export function csvOf(items: readonly Item[]): string {
  const rows = items
    .map(describe)
    .map(({ original, filename, title, alt, decorative, width, height, bytes, files }) => {
      const file = files.find(({ name }) => name === 'full') ?? null;
      return [original, file?.filename ?? filename, title, alt, decorative, width, height, bytes, file?.bytes];
    });
  const head = ['original', 'filename', 'title', 'alt', 'decorative', 'width', 'height', 'bytes', 'bytes exported'];
  return `\ufeff${[head, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** Spreadsheets would run a text that begins like a formula, and texts may come from the files of others. */
function cell(value: unknown): string {
  const text = String(value ?? '').replace(/^[=+\-@\t\r]/, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

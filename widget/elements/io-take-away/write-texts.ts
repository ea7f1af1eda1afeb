import { csvLine } from '#contract/constants';
import { type Item, languagesOf } from '../../state/index.ts';

/** Describes an image with its texts and files. */
function describe({ name, clientRef, metadata, result, image, texts }: Item) {
  const { filename, title, alt, decorative } = metadata;
  const files = result?.variants ?? [];
  return {
    original: name,
    clientRef,
    filename,
    title,
    alt,
    decorative,
    ...(texts ? { texts: textsOf(texts) } : {}),
    width: image?.width ?? null,
    height: image?.height ?? null,
    bytes: image?.size ?? null,
    files: files.map(({ name, format, filename, width, height, size, sha256 }) => ({
      ...{ name, format, filename, width, height },
      bytes: size,
      sha256,
    })),
  };
}

const textsOf = (texts: NonNullable<Item['texts']>) =>
  Object.fromEntries(Object.entries(texts).map(([tag, { title, alt }]) => [tag, { title, alt }]));

/** Writes the texts of images as JSON. */
export const jsonOf = (items: readonly Item[]): string =>
  `${JSON.stringify({ images: items.map(describe) }, null, 2)}\n`;

/**
 * Writes the texts of images as CSV (RFC 4180) with a byte order mark, by which Excel recognises UTF-8. Title and alternative text of
 * each language have columns of their own at the end, if there are several.
 */
export function csvOf(items: readonly Item[]): string {
  const languages = languagesOf(items);
  const rows = items
    .map(describe)
    .map(({ original, filename, title, alt, decorative, texts, width, height, bytes, files }) => {
      const file = files.find(({ name }) => name === 'full') ?? null;
      const own = languages.flatMap((tag) => [texts?.[tag]?.title, texts?.[tag]?.alt]);
      return [original, file?.filename ?? filename, title, alt, decorative, width, height, bytes, file?.bytes, ...own];
    });
  const columns = ['original', 'filename', 'title', 'alt', 'decorative', 'width', 'height', 'bytes', 'bytes exported'];
  const head = [...columns, ...languages.flatMap((tag) => [`title (${tag})`, `alt (${tag})`])];
  return `\ufeff${[head, ...rows].map(csvLine).join('')}`;
}

import { FORMATS } from '#contract/constants';
import type { Item } from '../../state/index.ts';

/** Kind of HTML: an `img` with `srcset`, or a `picture` with the original as its fallback. */
export type HtmlKind = 'picture' | 'img';

/** Formats that every browser shows. */
const FALLBACKS = ['jpeg', 'png', 'gif'];

/** Writes the HTML of an exported image; empty without an export. Files are named as downloaded, without a folder. */
export function htmlOf({ metadata, result, image }: Item, kind: HtmlKind): string {
  const full = result?.variants.find(({ name }) => name === 'full');
  if (!result || !full) return '';
  const { width, height } = full;
  // Crops show something else. Rounded edges differ by a pixel.
  const same = result.variants.filter(
    (each) => each.format === full.format && Math.abs(each.width * height - each.height * width) <= width + height,
  );
  const sources = same.map((each) => `${addressOf(each.filename)} ${each.width}w`);
  const set = attribute('srcset', sources.join(', ')) + attribute('sizes', `(max-width: ${width}px) 100vw, ${width}px`);
  // An empty text would say that the image is decoration.
  const alt = metadata.alt || metadata.decorative ? attribute('alt', metadata.alt ?? '') : '';
  const title = metadata.title ? attribute('title', metadata.title) : '';
  const rest = `${attribute('width', width)}${attribute('height', height)}${alt}${title} loading="lazy"`;
  const original = image && FALLBACKS.includes(image.format) && image.format !== result.format;
  const source = attribute('src', addressOf(kind === 'picture' && original ? result.originalFilename : full.filename));
  const list = same.length > 1 ? set : '';
  if (kind === 'img') return `<img${source}${list}${rest}>`;
  const files = same.length > 1 ? set : attribute('srcset', addressOf(full.filename));
  return `<picture>\n  <source${attribute('type', FORMATS[result.format as keyof typeof FORMATS].mimeType)}${files}>\n  <img${source}${rest}>\n</picture>`;
}

const ENTITIES: { readonly [character: string]: string } = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' };

function attribute(name: string, value: string | number): string {
  return ` ${name}="${String(value).replace(/[&"<>]/g, (character) => ENTITIES[character] ?? '')}"`;
}

/** A comma or a blank would end an address in `srcset`. */
const addressOf = (filename: string) => encodeURIComponent(filename);

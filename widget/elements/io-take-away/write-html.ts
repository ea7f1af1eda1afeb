import { FORMATS } from '#contract/constants';
import type { Item } from '../../state/index.ts';

/** Kind of HTML: an `img` with `srcset`, or a `picture` of all formats; that of a single one has the original as its fallback. */
export type HtmlKind = 'picture' | 'img';

/** Formats that every browser shows. */
const FALLBACKS = ['jpeg', 'png', 'gif'];

/** Returns the HTML that the service has made of an export, with the texts of now. Empty without an export. */
export function htmlOf({ metadata, result, image }: Item, kind: HtmlKind): string {
  if (!result?.html) return '';
  // An empty text would say that the image is decoration.
  const alt = metadata.alt || metadata.decorative ? attribute('alt', metadata.alt ?? '') : '';
  const texts = alt + (metadata.title ? attribute('title', metadata.title) : '');
  const html = result.html.replace(/ (alt|title)="[^"]*"/g, '').replace(' loading=', (loading) => texts + loading);
  const img = html.slice(html.indexOf('<img')).replace('</picture>', '');
  if (kind === 'img') return img;
  // The animation of the original would stand behind a still.
  const isStill = result.variants.some(({ name, lacks }) => name === 'full' && lacks?.includes('animation'));
  if (img !== html || isStill) return html;
  const own = / src="[^"]*"/.exec(img)?.[0] ?? '';
  const sources = / srcset="[^"]*" sizes="[^"]*"/.exec(img)?.[0] ?? '';
  const isShown = image && FALLBACKS.includes(image.format) && image.format !== result.format;
  const fallback = isShown ? attribute('src', encodeURIComponent(result.originalFilename)) : own;
  const type = attribute('type', FORMATS[result.format as keyof typeof FORMATS].mimeType);
  return `<picture>\n  <source${type}${sources || own.replace('src', 'srcset')}>\n  ${img.replace(sources, '').replace(own, () => fallback)}\n</picture>`;
}

const ENTITIES: { readonly [character: string]: string } = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' };

function attribute(name: string, value: string | number): string {
  return ` ${name}="${String(value).replace(/[&"<>]/g, (character) => ENTITIES[character] ?? '')}"`;
}

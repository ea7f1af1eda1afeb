import { thumbHashToAverageRGBA } from 'thumbhash';
import type { ImageResult, Lack } from '#contract';
import { type EncodedFormat, FORMATS } from '#contract/constants';

/** Formats that not every browser shows, usually the smallest files first. */
const MODERN: readonly string[] = ['avif', 'webp'];

/** A file that the HTML names. */
export interface ShownFile {
  /** `full`, or `<width>w`. */
  name: string;
  /** Absent: the main format. */
  format?: string | undefined;
  /** Pixels. */
  width: number;
  height: number;
  /** Bytes; absent: unknown. */
  size?: number | undefined;
  /** Parts of the image that it does not show; absent if none. */
  lacks?: readonly string[] | undefined;
}

/** The files of one format that show the whole image. */
export interface Source<File extends ShownFile> {
  format: EncodedFormat;
  full: File;
  files: File[];
}

/** Image to write as HTML: its files, texts and placeholder. */
export interface ShownImage<File extends ShownFile> {
  variants: readonly File[];
  /** Main format. */
  format: string;
  metadata?: { alt?: string | null | undefined; title?: string | null | undefined } | null | undefined;
  /** ThumbHash, base64. */
  placeholder?: string | undefined;
}

/**
 * Writes the HTML of an image's files: an `img`, or a `picture` of several formats with the most compatible one as its `img`. File names
 * are relative addresses.
 * @returns null without a whole-size file
 */
export function writeHtml(result: ImageResult): string | null {
  // A comma or a blank would end an address in `srcset`.
  return writePicture(result, ({ filename }) => encodeURIComponent(filename));
}

/**
 * Writes the HTML of files at any addresses, as {@link writeHtml} does.
 * @param addressOf the address of a file, without commas and blanks
 */
export function writePicture<File extends ShownFile>(
  { variants, format, metadata, placeholder }: ShownImage<File>,
  addressOf: (file: File) => string,
): string | null {
  const sources = sourcesOf(variants, format);
  const image = sources.at(-1);
  if (!image) return null;
  const { width, height } = image.full;
  const sizes = `(max-width: ${width}px) 100vw, ${width}px`;
  const setOf = ({ files }: Source<File>) =>
    attribute('srcset', files.map((each) => `${addressOf(each)} ${each.width}w`).join(', ')) +
    attribute('sizes', sizes);
  // An unknown text is left out: an empty one would say that the image is decoration.
  const alt = metadata?.alt == null ? '' : attribute('alt', metadata.alt);
  const title = metadata?.title ? attribute('title', metadata.title) : '';
  const img = [
    `<img${attribute('src', addressOf(image.full))}${image.files.length > 1 ? setOf(image) : ''}`,
    `${attribute('width', width)}${attribute('height', height)}${alt}${title} loading="lazy" decoding="async"`,
    `${placeholderOf(placeholder)}>`,
  ].join('');
  if (sources.length === 1) return img;
  const lines = sources
    .slice(0, -1)
    .map((source) => `<source${attribute('type', FORMATS[source.format].mimeType)}${setOf(source)}>`);
  return `<picture>${lines.join('')}${img}</picture>`;
}

/**
 * Returns the formats that have a whole-size file, in the order in which browsers choose: they take the first one that they know, and the
 * most compatible one is the last. AVIF is left out where WebP is smaller, since whoever knows AVIF knows WebP. Of an animation,
 * stills are left out unless no file moves.
 */
export function sourcesOf<File extends ShownFile>(variants: readonly File[], main: string): Source<File>[] {
  const formatOf = (variant: File) => (variant.format ?? main) as EncodedFormat;
  const moves = variants.some((one) => one.name === 'full' && !lacks(one, 'animation'));
  const shown = moves ? variants.filter((one) => !lacks(one, 'animation')) : variants;
  const sources = [...new Set(shown.map(formatOf))].flatMap((format): Source<File>[] => {
    const files = shown.filter((variant) => formatOf(variant) === format);
    const full = files.find(({ name }) => name === 'full');
    return full ? [{ format, full, files: files.filter((each) => showsWhole(each, full)) }] : [];
  });
  const rank = ({ format }: Source<File>) => (MODERN.includes(format) ? MODERN.indexOf(format) : MODERN.length);
  // Of several that every browser shows, one is enough: the first that was asked for.
  const old = sources.find((source) => rank(source) === MODERN.length);
  const webp = sources.find(({ format }) => format === 'webp');
  const modern = sources
    .filter((source) => rank(source) < MODERN.length && !isLarger(source, webp))
    .sort((one, other) => rank(one) - rank(other));
  return old ? [...modern, old] : modern;
}

/** False where a size is unknown. */
function isLarger({ full }: Source<ShownFile>, than: Source<ShownFile> | undefined): boolean {
  return (full.size ?? 0) > (than?.full.size ?? full.size ?? 0);
}

function lacks(file: ShownFile, what: Lack): boolean {
  return file.lacks?.includes(what) ?? false;
}

/** False for crops. Rounded edges differ by a pixel. */
function showsWhole(each: ShownFile, full: ShownFile): boolean {
  return Math.abs(each.width * full.height - each.height * full.width) <= full.width + full.height;
}

/** The ThumbHash for scripts, and for all others its mean colour, unless that would show through. */
function placeholderOf(placeholder: string | undefined): string {
  if (placeholder === undefined) return '';
  const { r, g, b, a } = thumbHashToAverageRGBA(Buffer.from(placeholder, 'base64'));
  const colour = [r, g, b].map((part) => Math.round(part * 255)).join(' ');
  return attribute('data-thumbhash', placeholder) + (a === 1 ? attribute('style', `background:rgb(${colour})`) : '');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' };

function attribute(name: string, value: string | number): string {
  return ` ${name}="${String(value).replace(/[&"<>]/g, (character) => ENTITIES[character] ?? '')}"`;
}

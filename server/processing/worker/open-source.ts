import { readFile } from 'node:fs/promises';
import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp';
import type { InputFormat } from '#contract/constants';
import { EXIF } from '../shared/exif-tags.ts';
import { ProcessingFailure, readSource } from '../shared/failure.ts';
import { withFileBytes } from './colour/heif-colour.ts';
import { toSrgb } from './colour/to-srgb.ts';
import { composeApng } from './compose-apng.ts';
import { type Apng, readApng } from './containers/apng.ts';
import { withGifTransparency } from './containers/gif.ts';
import { findJpegEnd } from './containers/jpeg.ts';
import { readExifBlock, SHORT } from './exif.ts';
import { decodeHeic } from './heic/decode-heic.ts';
import { openPixels, type Pixels } from './pixels.ts';
import { readSourceColour, type SourceColour } from './source-colour.ts';

/** A file that can be decoded to right colours. */
export interface OpenSource {
  /** A path, or bytes. Of a HEIC the decoded pixels as TIFF, upright, with the colour profile of the file. */
  input: string | Buffer;
  /** The bytes of a JPEG whose end marker was missing, with it. */
  completed: Buffer | undefined;
  options: SharpOptions;
  header: Metadata;
  colour: SourceColour;
}

/** Bounds the work for a file of many tiny chunks. */
const MAX_CHUNKS = 1000;
const END_OF_JPEG = Buffer.from([0xff, 0xd9]);

/** Opens a file: reads its header, completes what decoders need, and decides how its colours are read. */
export async function openSource(
  source: string | Buffer,
  format: InputFormat,
  options: SharpOptions,
): Promise<OpenSource> {
  const header = await readHeader(source, options);
  const shown = format === 'png' ? await shownInstead(source, header, options) : null;
  if (shown) return shown;
  const completed = format === 'jpeg' ? await completeJpeg(source, options) : undefined;
  const transparent = format === 'gif' ? withGifTransparency(await bytesOf(source)) : null;
  const decoded = format === 'heic' ? await decodedHeic(await bytesOf(source), header) : null;
  const input = completed ?? transparent ?? decoded ?? source;
  const colour = readSourceColour(source, format, header);
  // A decoded HEIC is one picture.
  const main = decoded ? {} : mainPage(header);
  return { input, completed, options: { ...options, ...main, ignoreIcc: colour.ignoresProfile }, header, colour };
}

/**
 * Reads the header of a file; of an AVIF or HEIC that of its main picture, which need not be the first.
 * @throws invalid_image | too_many_pixels
 */
export async function readHeader(source: string | Buffer, options: SharpOptions): Promise<Metadata> {
  const header = await readSource(() => sharp(source, options).metadata());
  const main = mainPage(header);
  const read = main.page ? await readSource(() => sharp(source, { ...options, ...main }).metadata()) : header;
  return turnsImage(read) ? read : { ...read, orientation: 1, autoOrient: { width: read.width, height: read.height } };
}

/** Formats whose orientation is a tag of EXIF. */
const TAGGED: readonly string[] = ['jpeg', 'png', 'webp'];

/** Returns false for an orientation that browsers ignore, since it is not one number of 16 bits (Exif 3.0, 4.6.5). */
function turnsImage({ format, orientation = 1, exif }: Metadata): boolean {
  if (orientation === 1 || !TAGGED.includes(format)) return true;
  const tag = readExifBlock(exif).entries.find((one) => one.directory === 'image' && one.tag === EXIF.orientation);
  return tag?.type === SHORT && tag.count === 1;
}

function mainPage({ pagePrimary }: Metadata): { page?: number } {
  return pagePrimary ? { page: pagePrimary } : {};
}

/** Opens the first frame of an animated PNG whose picture for programs without animation is no frame; no browser shows that. */
async function shownInstead(
  source: string | Buffer,
  header: Metadata,
  options: SharpOptions,
): Promise<OpenSource | null> {
  if (!declaresAnimation(source)) return null;
  const apng = readApng(await bytesOf(source), 1);
  if (!apng?.hidesPicture) return null;
  const frame = openPixels(await decodeApng(apng, options)).png({ compressionLevel: 0 });
  const opened = await openSource(await frame.toBuffer(), 'png', options);
  const { exif, xmp, xmpAsString, iptc } = header;
  const told = {
    ...(exif && { exif }),
    ...(xmp && { xmp }),
    ...(xmpAsString && { xmpAsString }),
    ...(iptc && { iptc }),
  };
  return { ...opened, header: { ...opened.header, ...told } };
}

/** Returns true for a PNG that declares an animation before its pixels. */
function declaresAnimation(source: string | Buffer): boolean {
  return withFileBytes(source, ({ size, read }) => {
    for (let at = 8, count = 0; at + 12 <= size && count < MAX_CHUNKS; count += 1) {
      const head = read(at, 8);
      const type = head.toString('latin1', 4, 8);
      if (type === 'acTL' || type === 'IDAT') return type === 'acTL';
      at += 12 + head.readUInt32BE(0);
    }
    return false;
  });
}

/** Decodes the frames of an animated PNG. @throws invalid_image | too_many_pixels */
export function decodeApng(apng: Apng, options: SharpOptions): Promise<Pixels> {
  const received = apng.width * apng.height * apng.frames.length;
  const limit = typeof options.limitInputPixels === 'number' ? options.limitInputPixels : Number.POSITIVE_INFINITY;
  if (received > limit) {
    const message = 'The animation has more pixels than the service accepts';
    throw new ProcessingFailure('too_many_pixels', message, { limit, received });
  }
  return composeApng(apng, async (png) => {
    const opened = await openSource(png, 'png', { ...options, pages: 1 });
    return readPixels(openImage(opened), opened);
  });
}

function decodedHeic(file: Buffer, { width, height, hasAlpha, depth, icc }: Metadata): Promise<Buffer> {
  return decodeHeic(file, { width, height, hasAlpha, isDeep: depth === 'ushort', icc });
}

/** Adds the end marker that a JPEG lacks. Undefined: it has one, or it lacks pixels, too. */
async function completeJpeg(source: string | Buffer, options: SharpOptions): Promise<Buffer | undefined> {
  if (hasEnd(source)) return undefined;
  const file = await bytesOf(source);
  if (findJpegEnd(file) !== 'unended') return undefined;
  const completed = Buffer.concat([file, END_OF_JPEG]);
  return (await decodesWhole(completed, options)) ? completed : undefined;
}

function hasEnd(source: string | Buffer): boolean {
  return withFileBytes(source, ({ size, read }) => read(size - 2, 2).equals(END_OF_JPEG));
}

/** Returns true if a decoder reads the file without a complaint, so that no pixels are missing. */
async function decodesWhole(file: Buffer, options: SharpOptions): Promise<boolean> {
  try {
    await sharp(file, { ...options, failOn: 'warning' }).stats();
    return true;
  } catch {
    return false;
  }
}

/** Returns the bytes of a file. */
export async function bytesOf(source: string | Buffer): Promise<Buffer> {
  return typeof source === 'string' ? readFile(source) : source;
}

/** Opens the image; its pixels are right once they are read by {@link readPixels}. */
export function openImage({ input, options, header, colour }: OpenSource): Sharp {
  const image = sharp(input, options);
  return colour.reducesFirst ? image.pipelineColourspace(isGrey(header) ? 'b-w' : 'srgb') : image;
}

/** Returns true if the library alone reads the colours rightly. */
function isPlain({ colour }: OpenSource): boolean {
  return !colour.signal && !colour.premultiplied;
}

/**
 * Decodes to 8 bits of sRGB; grey stays one channel.
 * @throws invalid_image
 */
export async function readPixels(image: Sharp, source: OpenSource): Promise<Pixels> {
  const { header, colour } = source;
  const isDeep = colour.signal !== null && header.depth === 'ushort';
  const grey = isGrey(header) && !header.hasAlpha;
  const space = isDeep ? (grey ? 'grey16' : 'rgb16') : grey ? 'b-w' : 'srgb';
  const decoding = image.toColourspace(space).raw({ depth: isDeep ? 'ushort' : 'uchar' });
  const { data, info } = await readSource(() => decoding.toBuffer({ resolveWithObject: true }));
  const { width, height, channels, pageHeight, pages } = info;
  if (channels === 2) throw new ProcessingFailure('invalid_image', 'The file has an unusual number of channels');
  const samples = isDeep ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data;
  if (colour.premultiplied && channels === 4) divideByAlpha(samples, isDeep ? 65_535 : 255);
  const shown = colour.signal ? toSrgb({ data: samples, channels }, colour.signal) : data;
  return { data: shown, width, height: pageHeight ?? height, channels, frames: pages ?? 1 };
}

/** Turns an image as its file says. */
export function turned(image: Sharp, { header }: Pick<OpenSource, 'header'>): Sharp {
  return (header.orientation ?? 1) === 1 ? image : image.autoOrient();
}

/** Opens a file upright, e.g. to scale it down; where the library alone cannot read its colours, at most of a size. */
export async function openUpright(source: OpenSource, atMost: { width: number; height: number }): Promise<Sharp> {
  const image = turned(openImage(source), source);
  if (isPlain(source)) return image;
  return openPixels(await readPixels(image.resize({ ...atMost, fit: 'inside', withoutEnlargement: true }), source));
}

function isGrey({ space }: Metadata): boolean {
  return space === 'b-w' || space === 'grey16';
}

/** Divides colours by alpha, in place. */
function divideByAlpha(rgba: Buffer | Uint16Array, most: number): void {
  for (let at = 0; at < rgba.length; at += 4) {
    const alpha = rgba[at + 3] ?? 0;
    if (alpha === 0 || alpha === most) continue;
    for (let channel = at; channel < at + 3; channel += 1) {
      rgba[channel] = Math.min(most, Math.round(((rgba[channel] ?? 0) * most) / alpha));
    }
  }
}

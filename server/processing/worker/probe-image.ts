import { closeSync, openSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Metadata } from 'sharp';
import type { WarningCode } from '#contract';
import { DEFAULT_INPUT_FORMATS, FORMATS, type InputFormat } from '#contract/constants';
import { ProcessingFailure } from '../shared/failure.ts';
import type { ProbeReport, ProbeTask, WorkerLimits } from '../shared/protocol.ts';
import { decodedFrames } from '../shared/variants.ts';
import { isHeifSequence } from './colour/heif-colour.ts';
import { hasFewParts, MOST_PARTS } from './containers/count-parts.ts';
import { hasFewExifPointers } from './containers/exif-pointers.ts';
import { withGifTransparency } from './containers/gif.ts';
import { detectFormat } from './detect.ts';
import { carriedKinds } from './metadata/carried.ts';
import { readHeader } from './open-source.ts';
import { hasValidCredentials } from './signing/plan-signing.ts';

const SAVE_PLAIN = 'save the image with 8 or 16 bits a channel';

/** TIFFs that the library cannot open: pattern of its error, `detected` of the refusal, and the message for the user. */
const UNOPENED_TIFFS: [said: RegExp, kind: string, message: string][] = [
  [
    /bad labq format/,
    'tiff-lab',
    'TIFF images of the colour space CIELAB are read with 16 bits alone; save the image as RGB',
  ],
  [
    /not a whole number of bytes|samples out of range/,
    'tiff-samples',
    `TIFF images with samples of this size are not read; ${SAVE_PLAIN}`,
  ],
  [/exceeds channel limit/, 'tiff-channels', 'TIFF images of that many channels are not read; save the image as RGB'],
];

/**
 * Reads an image's header: type by content, size, pages, orientation. Decodes no pixels.
 * @throws unsupported_image | invalid_image | too_many_pixels | too_many_frames
 */
export async function probeImage({ file, limits, validatesCredentials = false }: ProbeTask): Promise<ProbeReport> {
  const format = await detectFormat(file, limits.formats);
  if (format === 'tiff') tiffPages(file, limits.formats);
  else await refuseManyParts(file, format);
  // Without the library's own limit, so that the message can name both numbers.
  const header = await readAnyHeader(file, format, limits);
  if (header.format !== (format === 'avif' || format === 'heic' ? 'heif' : format)) {
    throw new ProcessingFailure('invalid_image', `The file begins like ${format} but cannot be read as one`);
  }
  const pages = format === 'png' ? apngFrames(file) : (header.pages ?? 1);
  const frames = decodedFrames(format, pages);
  if (frames > limits.maxFrames) {
    const message = `The animation has ${frames} frames; at most ${limits.maxFrames} are accepted`;
    throw new ProcessingFailure('too_many_frames', message, { limit: limits.maxFrames, received: frames });
  }
  // Animations are not rotated, see the load step.
  const { width, height } =
    frames > 1 ? { width: header.width, height: header.pageHeight ?? header.height } : header.autoOrient;
  const pixels = width * height * frames;
  if (pixels > limits.maxPixels) {
    const over = frames > 1 ? ` over ${frames} frames` : '';
    const message = `The image has ${pixels} pixels (${width} x ${height}${over}); at most ${limits.maxPixels} are accepted`;
    throw new ProcessingFailure('too_many_pixels', message, { limit: limits.maxPixels, received: pixels });
  }
  const warnings: WarningCode[] = [];
  if ((format === 'tiff' || format === 'heic') && pages > 1) warnings.push('pages_dropped');
  const hasAlpha = header.hasAlpha || (format === 'gif' && withGifTransparency(await readFile(file)) !== null);
  const carries = await carriedKinds(file, format, header, pages);
  if (validatesCredentials && carries.includes('content_credentials')) {
    if (!(await hasValidCredentials(await readFile(file), format))) warnings.push('content_credentials_invalid');
  }
  return { format, width, height, hasAlpha, pages, carries, warnings };
}

/** Refuses a file of millions of empty parts, or of EXIF that leads around in circles, before anything reads it step by step. */
async function refuseManyParts(file: string, format: InputFormat): Promise<void> {
  const bytes = await readFile(file);
  if (!hasFewExifPointers(bytes)) {
    const reason = 'The EXIF of the file refers to its own directories again and again; save the image again';
    throw new ProcessingFailure('invalid_image', reason);
  }
  if (hasFewParts(format, bytes)) return;
  const message = `The file has more than ${MOST_PARTS} segments, chunks or boxes, which no program writes; save the image again`;
  throw new ProcessingFailure('invalid_image', message);
}

async function readAnyHeader(file: string, format: InputFormat, { formats }: WorkerLimits): Promise<Metadata> {
  const unsupported = (message: string, detected: string) =>
    new ProcessingFailure('unsupported_image', message, { detected, supported: [...formats] });
  let header: Metadata;
  try {
    header = await readHeader(file, { failOn: 'error', limitInputPixels: false });
  } catch (error) {
    const said = error instanceof Error ? String(error.cause ?? error) : '';
    const [, kind, words] = (format === 'tiff' && UNOPENED_TIFFS.find(([pattern]) => pattern.test(said))) || [];
    if (kind && words) throw unsupported(words, kind);
    if ((format !== 'avif' && format !== 'heic') || !isHeifSequence(file)) throw error;
    const message = `Animated ${FORMATS[format].label} images cannot be read; export the animation as WebP or GIF`;
    throw unsupported(message, `${format}-sequence`);
  }
  const [kind, words] = format === 'tiff' ? (misreadTiff(header) ?? []) : [];
  if (kind && words) throw unsupported(words, kind);
  if (format !== 'heic' || header.compression === 'hevc') return header;
  throw unsupported('The HEIF image is not coded as HEVC, so it cannot be read; export it as JPEG', 'heif');
}

/** Channels of colours. Others are not known of TIFF. */
const COLOUR_CHANNELS: Readonly<Record<string, number>> = {
  ...{ 'b-w': 1, grey16: 1, srgb: 3, rgb16: 3, scrgb: 3, labs: 3, cmyk: 4 },
};
/** Kinds of samples that are read in every space, and in one. */
const READ_SAMPLES = new Set(['uchar', 'char', 'ushort', 'float scrgb', 'short labs']);

/**
 * Returns the kind of a TIFF that the library opens but whose pixels come out black, white or not at all: integers of 32 bits, signed ones of
 * 16, grey of floating point, and more than one channel beside the colours, such as selections that Photoshop has saved.
 */
function misreadTiff({ depth, space, channels }: Metadata): [kind: string, message: string] | null {
  if (!READ_SAMPLES.has(depth) && !READ_SAMPLES.has(`${depth} ${space}`))
    return ['tiff-samples', `TIFF images with samples of this kind are not read; ${SAVE_PLAIN}`];
  if (channels <= (COLOUR_CHANNELS[space] ?? channels) + 1) return null;
  return ['tiff-channels', 'The TIFF has several channels beside its colours; delete them, or save the image as PNG'];
}

/**
 * Counts the frames of an animated PNG: its `acTL` chunk must precede the first image data (PNG third edition, 11.3.6). The reads block, since asynchronous ones of many tiny
 * chunks take 25 times as long.
 * @returns 1 for a still PNG
 */
function apngFrames(file: string): number {
  const handle = openSync(file, 'r');
  try {
    const chunk = Buffer.alloc(12);
    let at = 8;
    let frames = 0;
    // Bounds the work for a file of many tiny chunks.
    for (let count = 0; count < 1000; count += 1) {
      if (readSync(handle, chunk, 0, 12, at) < 12) break;
      const type = chunk.toString('latin1', 4, 8);
      if (type === 'acTL') frames = Math.max(1, chunk.readUInt32BE(8));
      else if (type === 'fcTL' || type === 'IDAT' || type === 'IEND') return Math.max(1, frames);
      at += 12 + chunk.readUInt32BE(0);
    }
    return Math.max(1, frames);
  } finally {
    closeSync(handle);
  }
}

/** The library reads every directory for each page: 60,000 took it 25 s. */
const MAX_PAGES = 1000;
const MAX_ENTRIES = 4096;
const COMPRESSION = 259;
const PHOTOMETRIC = 262;
const YCBCR = 6;
/** Old and new way of JPEG in TIFF. */
const JPEG_COMPRESSIONS = new Set([6, 7]);
/** LERC, LZMA, Zstandard, JPEG 2000 and JPEG XL. */
const UNREAD_COMPRESSIONS = new Set([34_887, 34_925, 50_000, 33_003, 33_004, 33_005, 34_712, 50_002, 52_546]);

/**
 * Counts the pages of a TIFF or BigTIFF by walking its directories. Reads a few bytes of each; the reads block, since 2,000
 * asynchronous ones took a worker 0.5 s.
 * @param supported formats that a refusal names
 * @throws too_many_frames above 1,000 pages; invalid_image if a directory lies outside the file; unsupported_image if the first page is
 *   YCbCr without JPEG, whose samples the library takes for RGB, or of a compression that it does not know
 */
export function tiffPages(file: string, supported: readonly InputFormat[] = DEFAULT_INPUT_FORMATS): number {
  const handle = openSync(file, 'r');
  try {
    const layout = readLayout(handle);
    refuseUnread(handle, layout, supported);
    let pages = 0;
    for (let at = layout.first; at !== 0; at = readNext(handle, layout, at)) {
      pages += 1;
      if (pages <= MAX_PAGES) continue;
      const message = `The TIFF has more than ${MAX_PAGES} pages`;
      throw new ProcessingFailure('too_many_frames', message, { limit: MAX_PAGES, received: pages });
    }
    return pages;
  } finally {
    closeSync(handle);
  }
}

interface Layout {
  littleEndian: boolean;
  /** 4 in TIFF, 8 in BigTIFF. */
  offsetBytes: 4 | 8;
  /** Offset of the first directory. */
  first: number;
}

function readLayout(handle: number): Layout {
  const head = readBytes(handle, 0, 16);
  const littleEndian = head.toString('latin1', 0, 2) === 'II';
  const isBig = (littleEndian ? head.readUInt16LE(2) : head.readUInt16BE(2)) === 43;
  const offsetBytes = isBig ? 8 : 4;
  return { littleEndian, offsetBytes, first: readNumber(head, isBig ? 8 : 4, offsetBytes, littleEndian) };
}

function refuseUnread(handle: number, layout: Layout, supported: readonly InputFormat[]): void {
  const tags = readShorts(handle, layout, layout.first);
  if (UNREAD_COMPRESSIONS.has(tags.get(COMPRESSION) ?? 1)) {
    const message = 'TIFF images of this compression are not read; save the image with LZW or without compression';
    throw new ProcessingFailure('unsupported_image', message, {
      detected: 'tiff-compression',
      supported: [...supported],
    });
  }
  if (tags.get(PHOTOMETRIC) !== YCBCR || JPEG_COMPRESSIONS.has(tags.get(COMPRESSION) ?? 1)) return;
  const message = 'TIFF images of the colour space YCbCr are read with JPEG compression alone; save the image as RGB';
  throw new ProcessingFailure('unsupported_image', message, { detected: 'tiff-ycbcr', supported: [...supported] });
}

/** Reads the first value of each tag of a directory, as one of 16 bits. */
function readShorts(handle: number, { littleEndian, offsetBytes }: Layout, at: number): Map<number, number> {
  const countBytes = offsetBytes === 8 ? 8 : 2;
  const entries = readNumber(readBytes(handle, at, countBytes), 0, countBytes, littleEndian);
  const entryBytes = 4 + 2 * offsetBytes;
  const values = new Map<number, number>();
  if (entries > MAX_ENTRIES) return values;
  const directory = readBytes(handle, at + countBytes, entries * entryBytes);
  for (let entry = 0; entry < directory.length; entry += entryBytes) {
    const tag = readNumber(directory, entry, 2, littleEndian);
    values.set(tag, readNumber(directory, entry + 4 + offsetBytes, 2, littleEndian));
  }
  return values;
}

/** Returns the offset of the next directory; 0 after the last one. */
function readNext(handle: number, { littleEndian, offsetBytes }: Layout, at: number): number {
  const countBytes = offsetBytes === 8 ? 8 : 2;
  const entries = readNumber(readBytes(handle, at, countBytes), 0, countBytes, littleEndian);
  const end = at + countBytes + entries * (4 + 2 * offsetBytes);
  return readNumber(readBytes(handle, end, offsetBytes), 0, offsetBytes, littleEndian);
}

function readBytes(handle: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  const bytesRead = Number.isSafeInteger(position) ? readSync(handle, buffer, 0, length, position) : 0;
  if (bytesRead === length) return buffer;
  throw new ProcessingFailure('invalid_image', 'The TIFF refers to a page outside the file');
}

function readNumber(buffer: Buffer, at: number, bytes: 2 | 4 | 8, littleEndian: boolean): number {
  if (bytes === 2) return littleEndian ? buffer.readUInt16LE(at) : buffer.readUInt16BE(at);
  if (bytes === 4) return littleEndian ? buffer.readUInt32LE(at) : buffer.readUInt32BE(at);
  return Number(littleEndian ? buffer.readBigUInt64LE(at) : buffer.readBigUInt64BE(at));
}

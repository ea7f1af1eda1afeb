import type { ContainerMetadata } from './container-metadata.ts';

const KEPT = new Set(['VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
const FLAG = { icc: 0x20, alpha: 0x10, exif: 0x08, xmp: 0x04, animation: 0x02 };
/** Flag of a frame whose pixels are not blended. */
const REPLACES = 0x02;

interface Chunk {
  type: string;
  data: Buffer;
}

/**
 * Copies a WebP without re-encoding it (RFC 9649): drops EXIF, XMP and unknown chunks and the bytes after the end, keeps the
 * colour profile and the frames, writes the given metadata and corrects the flags.
 * @returns null if the file is not a well-formed WebP
 */
export function rewriteWebp(file: Buffer, metadata: ContainerMetadata): Buffer | null {
  const chunks = readChunks(file);
  if (!chunks?.some(({ type }) => type === 'VP8 ' || type === 'VP8L' || type === 'ANMF')) return null;
  const kept = chunks.filter(({ type }) => KEPT.has(type));
  const original = chunks.find(({ type }) => type === 'VP8X');
  if (!original && !metadata.exif && !metadata.xmp) return assemble(kept);
  const extended = original ? Buffer.from(original.data) : extendedHeader(kept);
  if (!extended || extended.length < 10) return null;
  let flags = (extended[0] ?? 0) & ~(FLAG.exif | FLAG.xmp | FLAG.icc);
  if (kept.some(({ type }) => type === 'ICCP')) flags |= FLAG.icc;
  if (metadata.exif) flags |= FLAG.exif;
  if (metadata.xmp) flags |= FLAG.xmp;
  extended[0] = flags;
  const tail: Chunk[] = [];
  if (metadata.exif) tail.push({ type: 'EXIF', data: metadata.exif });
  if (metadata.xmp) tail.push({ type: 'XMP ', data: Buffer.from(metadata.xmp, 'utf8') });
  return assemble([{ type: 'VP8X', data: extended }, ...kept, ...tail]);
}

/** Returns true for a WebP that is no animation. */
export function isStillWebp(file: Buffer): boolean {
  return file.toString('latin1', 12, 16) !== 'VP8X' || ((file[20] ?? 0) & FLAG.animation) === 0;
}

/**
 * Makes an animation of a still WebP (section 2.7.1): its picture, then a frame of one pixel that replaces the first one.
 * @param pixel a still WebP of the first pixel
 * @param durations of both frames, in milliseconds
 * @returns null if it is no still
 */
export function holdWebp(
  still: Buffer,
  pixel: Buffer,
  { durations, loop }: { durations: readonly [number, number]; loop: number },
): Buffer | null {
  const [pictures, pixels] = [readChunks(still), readChunks(pixel)];
  if (!pictures || !pixels || !isStillWebp(still)) return null;
  const original = pictures.find(({ type }) => type === 'VP8X');
  const header = original ? Buffer.from(original.data) : extendedHeader(pictures);
  if (!header) return null;
  header[0] = (header[0] ?? 0) | FLAG.animation;
  const repetitions = Buffer.alloc(6);
  repetitions.writeUInt16LE(Math.min(loop, 65_535), 4);
  return assemble([
    { type: 'VP8X', data: header },
    { type: 'ANIM', data: repetitions },
    frame(pictures, header.subarray(4, 10), durations[0]),
    frame(pixels, Buffer.alloc(6), durations[1]),
    ...pictures.filter(({ type }) => type === 'EXIF' || type === 'XMP '),
  ]);
}

/** Builds a frame at the upper left corner, whose pixels replace those before. */
function frame(chunks: Chunk[], size: Buffer, duration: number): Chunk {
  const head = Buffer.alloc(16);
  size.copy(head, 6);
  head.writeUIntLE(Math.min(duration, 0xffffff), 12, 3);
  head[15] = REPLACES;
  const pixels = chunks.filter(({ type }) => type === 'ALPH' || type === 'VP8 ' || type === 'VP8L');
  return { type: 'ANMF', data: Buffer.concat([head, ...pixels.map(chunkBytes)]) };
}

function readChunks(file: Buffer): Chunk[] | null {
  if (file.length < 20 || file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WEBP') {
    return null;
  }
  const end = 8 + file.readUInt32LE(4);
  if (end > file.length) return null;
  const chunks: Chunk[] = [];
  for (let at = 12; at + 8 <= end; ) {
    const size = file.readUInt32LE(at + 4);
    if (at + 8 + size > end) return null;
    chunks.push({ type: file.toString('latin1', at, at + 4), data: file.subarray(at + 8, at + 8 + size) });
    // Chunks are padded to an even length.
    at += 8 + size + (size % 2);
  }
  return chunks;
}

/** Builds the extended header (section 2.7), which a simple file needs for metadata. */
function extendedHeader(kept: Chunk[]): Buffer | null {
  const image = kept.find(({ type }) => type === 'VP8 ' || type === 'VP8L');
  if (!image || image.data.length < 10) return null;
  const header = Buffer.alloc(10);
  if (image.type === 'VP8L') {
    // RFC 9649, 3.4: a signature byte, then 14 bits of width - 1, 14 of height - 1, 1 of alpha.
    const bits = image.data.readUInt32LE(1);
    header.writeUIntLE(bits & 0x3fff, 4, 3);
    header.writeUIntLE((bits >>> 14) & 0x3fff, 7, 3);
    if ((bits >>> 28) & 1) header[0] = FLAG.alpha;
  } else {
    // RFC 6386, 9.1: 14 bits each of width and height after the start code.
    header.writeUIntLE((image.data.readUInt16LE(6) & 0x3fff) - 1, 4, 3);
    header.writeUIntLE((image.data.readUInt16LE(8) & 0x3fff) - 1, 7, 3);
  }
  return header;
}

function assemble(chunks: Chunk[]): Buffer {
  const parts: Buffer[] = [Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')];
  parts.push(...chunks.map(chunkBytes));
  const file = Buffer.concat(parts);
  file.writeUInt32LE(file.length - 8, 4);
  return file;
}

function chunkBytes({ type, data }: Chunk): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 0, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

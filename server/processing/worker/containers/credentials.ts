import type { InputFormat } from '#contract';
import { endOfSubBlocks } from './gif.ts';
import { type Box, blankBox, readBoxes } from './iso-boxes.ts';
import { findTiffValue } from './tiff.ts';

const APP11 = 0xeb;
const SOS = 0xda;
const GIF_EXTENSION = '\x21\xff\x0bC2PA_GIF';
const TIFF_TAG = 52_545;
/** Type of the box that holds a manifest (C2PA 2.2, A.5.1). */
const C2PA_UUID = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex');

/**
 * Copies a file without its content credentials (C2PA 2.2, annex A): APP11 segments of a JPEG, the chunk `caBX` of a PNG and `C2PA` of a
 * WebP, an application extension of a GIF; the box of an AVIF or HEIC becomes free space, and the value of a TIFF zeros.
 * @returns null if there are none, or if the file's structure is not understood
 */
export function withoutCredentials(format: InputFormat, file: Buffer): Buffer | null {
  try {
    if (format === 'jpeg') return withoutRanges(file, jumbfSegments(file));
    if (format === 'png') return withoutRanges(file, pngChunks(file));
    if (format === 'webp') return withoutWebpChunk(file);
    if (format === 'gif') return withoutRanges(file, gifExtensions(file));
    if (format === 'tiff') return withZeros(file, findTiffValue(file, TIFF_TAG));
    return format === 'avif' || format === 'heic' ? withBlankBox(file) : null;
  } catch {
    // Out of range.
    return null;
  }
}

/**
 * Returns the bytes of the content credentials of a file, as JUMBF boxes (ISO 19566-5), one buffer for each that the file has.
 * @returns empty if there are none; null if they are not understood
 */
export function credentialBoxes(format: InputFormat, file: Buffer): Buffer[] | null {
  try {
    if (format === 'jpeg') return joinedSegments(file, jumbfSegments(file));
    if (format === 'png') return pngChunks(file).map(([start, end]) => file.subarray(start + 8, end - 4));
    if (format === 'webp') return webpChunks(file).map(([start]) => webpData(file, start));
    if (format === 'gif') return gifExtensions(file).map(([start, end]) => gifData(file, start, end));
    if (format === 'tiff')
      return [findTiffValue(file, TIFF_TAG)].flatMap((place) => (place ? [file.subarray(...place)] : []));
    return credentialUuids(file).map(({ start, end }) => uuidData(file.subarray(start, end)));
  } catch {
    // Out of range.
    return null;
  }
}

type Range = [start: number, end: number];

function withoutRanges(file: Buffer, ranges: Range[]): Buffer | null {
  if (ranges.length === 0) return null;
  const parts: Buffer[] = [];
  let from = 0;
  for (const [start, end] of ranges) {
    parts.push(file.subarray(from, start));
    from = end;
  }
  return Buffer.concat([...parts, file.subarray(from)]);
}

/** Finds the JUMBF segments; credentials are one of their boxes. */
function jumbfSegments(file: Buffer): Range[] {
  const found: Range[] = [];
  let isC2pa = false;
  for (let at = 2; at + 4 <= file.length && file[at] === 0xff && file[at + 1] !== SOS; ) {
    const end = at + 2 + file.readUInt16BE(at + 2);
    if (file[at + 1] === APP11 && file.toString('latin1', at + 4, at + 6) === 'JP') {
      found.push([at, end]);
      isC2pa ||= file.subarray(at, end).includes('c2pa');
    }
    at = end;
  }
  return isC2pa ? found : [];
}

/** Joins the boxes that segments of a JPEG share (ISO 19566-5, annex D): each repeats the header of the box. */
function joinedSegments(file: Buffer, segments: Range[]): Buffer[] {
  const boxes = new Map<number, Buffer[]>();
  for (const [start, end] of segments) {
    const instance = file.readUInt16BE(start + 6);
    const parts = boxes.get(instance) ?? [];
    // A length of 1 means that a longer one follows the type.
    const repeated = file.readUInt32BE(start + 12) === 1 ? 16 : 8;
    parts.push(file.subarray(start + 12 + (parts.length > 0 ? repeated : 0), end));
    boxes.set(instance, parts);
  }
  return [...boxes.values()].map((parts) => Buffer.concat(parts));
}

function pngChunks(file: Buffer): Range[] {
  const found: Range[] = [];
  for (let at = 8; at + 12 <= file.length; ) {
    const end = at + 12 + file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'caBX') found.push([at, end]);
    at = end;
  }
  return found;
}

function gifExtensions(file: Buffer): Range[] {
  const at = file.indexOf(GIF_EXTENSION, 13, 'latin1');
  const end = at < 0 ? null : endOfSubBlocks(file, at + 2);
  return end === null ? [] : [[at, end]];
}

/** Joins the sub-blocks of an extension behind its identifier. */
function gifData(file: Buffer, start: number, end: number): Buffer {
  // One buffer for all: millions of sub-blocks may have a byte each.
  const data = Buffer.alloc(end - start);
  let length = 0;
  for (let at = start + 3 + (file[start + 2] ?? 0); at < end && file[at]; at += 1 + (file[at] ?? 0))
    length += file.copy(data, length, at + 1, at + 1 + (file[at] ?? 0));
  return data.subarray(0, length);
}

function withZeros(file: Buffer, place: Range | null): Buffer | null {
  return place && Buffer.from(file).fill(0, ...place);
}

function webpChunks(file: Buffer): Range[] {
  const found: Range[] = [];
  for (let at = 12; at + 8 <= file.length; ) {
    const size = file.readUInt32LE(at + 4);
    const end = at + 8 + size + (size % 2);
    if (file.toString('latin1', at, at + 4) === 'C2PA') found.push([at, Math.min(end, file.length)]);
    at = end;
  }
  return found;
}

function webpData(file: Buffer, start: number): Buffer {
  return file.subarray(start + 8, start + 8 + file.readUInt32LE(start + 4));
}

function withoutWebpChunk(file: Buffer): Buffer | null {
  const copy = withoutRanges(file, webpChunks(file));
  copy?.writeUInt32LE(copy.length - 8, 4);
  return copy;
}

function credentialUuids(file: Buffer): Box[] {
  return readBoxes(file, 0, file.length).filter(
    ({ type, start }) => type === 'uuid' && file.subarray(start, start + 16).equals(C2PA_UUID),
  );
}

/** Returns what follows the purpose of the box, and for a manifest the offset of the next one (C2PA 2.2, A.5.1). */
function uuidData(box: Buffer): Buffer {
  const purpose = box.indexOf(0, 20);
  if (box.toString('latin1', 20, purpose) !== 'manifest') throw new RangeError('purpose');
  return box.subarray(purpose + 9);
}

function withBlankBox(file: Buffer): Buffer | null {
  const boxes = credentialUuids(file);
  if (boxes.length === 0) return null;
  const copy = Buffer.from(file);
  for (const box of boxes) blankBox(copy, box);
  return copy;
}

import type { InputFormat } from '#contract';
import { endOfSubBlocks } from './gif.ts';
import { blankBox, readBoxes } from './iso-boxes.ts';
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

function withZeros(file: Buffer, place: Range | null): Buffer | null {
  return place && Buffer.from(file).fill(0, ...place);
}

function withoutWebpChunk(file: Buffer): Buffer | null {
  const found: Range[] = [];
  for (let at = 12; at + 8 <= file.length; ) {
    const size = file.readUInt32LE(at + 4);
    const end = at + 8 + size + (size % 2);
    if (file.toString('latin1', at, at + 4) === 'C2PA') found.push([at, Math.min(end, file.length)]);
    at = end;
  }
  const copy = withoutRanges(file, found);
  copy?.writeUInt32LE(copy.length - 8, 4);
  return copy;
}

function withBlankBox(file: Buffer): Buffer | null {
  const boxes = readBoxes(file, 0, file.length).filter(
    ({ type, start }) => type === 'uuid' && file.subarray(start, start + 16).equals(C2PA_UUID),
  );
  if (boxes.length === 0) return null;
  const copy = Buffer.from(file);
  for (const box of boxes) blankBox(copy, box);
  return copy;
}

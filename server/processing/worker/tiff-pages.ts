import { closeSync, openSync, readSync } from 'node:fs';
import { DEFAULT_INPUT_FORMATS, type InputFormat } from '#contract/constants';
import { ProcessingFailure } from '../shared/failure.ts';

/** The library reads every directory for each page: 60,000 took it 25 s. */
const MAX_PAGES = 1000;
const MAX_ENTRIES = 4096;
const COMPRESSION = 259;
const PHOTOMETRIC = 262;
const YCBCR = 6;
/** Old and new way of JPEG in TIFF. */
const JPEG_COMPRESSIONS = new Set([6, 7]);

/**
 * Counts the pages of a TIFF or BigTIFF by walking its directories. Reads a few bytes of each; the reads block, since 2,000
 * asynchronous ones took a worker 0.5 s.
 * @param supported formats that a refusal names
 * @throws too_many_frames above 1,000 pages; invalid_image if a directory lies outside the file; unsupported_image if the first page is
 *   YCbCr without JPEG, whose samples the library takes for RGB
 */
export function tiffPages(file: string, supported: readonly InputFormat[] = DEFAULT_INPUT_FORMATS): number {
  const handle = openSync(file, 'r');
  try {
    const layout = readLayout(handle);
    refuseYcbcr(handle, layout, supported);
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

function refuseYcbcr(handle: number, layout: Layout, supported: readonly InputFormat[]): void {
  const tags = readShorts(handle, layout, layout.first);
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

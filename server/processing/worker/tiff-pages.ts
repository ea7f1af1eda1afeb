import { type FileHandle, open } from 'node:fs/promises';
import { ProcessingFailure } from '../shared/failure.ts';

/** The library reads every directory for each page: 60,000 took it 25 s. */
const MAX_PAGES = 1000;

/**
 * Counts the pages of a TIFF or BigTIFF by walking its directories. Reads a few bytes of each.
 * @throws too_many_frames above 1,000 pages; invalid_image if a directory lies outside the file
 */
export async function tiffPages(file: string): Promise<number> {
  const handle = await open(file);
  try {
    const layout = await readLayout(handle);
    let pages = 0;
    for (let at = layout.first; at !== 0; at = await readNext(handle, layout, at)) {
      pages += 1;
      if (pages <= MAX_PAGES) continue;
      const message = `The TIFF has more than ${MAX_PAGES} pages`;
      throw new ProcessingFailure('too_many_frames', message, { limit: MAX_PAGES, received: pages });
    }
    return pages;
  } finally {
    await handle.close();
  }
}

interface Layout {
  littleEndian: boolean;
  /** 4 in TIFF, 8 in BigTIFF. */
  offsetBytes: 4 | 8;
  /** Offset of the first directory. */
  first: number;
}

async function readLayout(handle: FileHandle): Promise<Layout> {
  const head = await readBytes(handle, 0, 16);
  const littleEndian = head.toString('latin1', 0, 2) === 'II';
  const isBig = (littleEndian ? head.readUInt16LE(2) : head.readUInt16BE(2)) === 43;
  const offsetBytes = isBig ? 8 : 4;
  return { littleEndian, offsetBytes, first: readNumber(head, isBig ? 8 : 4, offsetBytes, littleEndian) };
}

/** Returns the offset of the next directory; 0 after the last one. */
async function readNext(handle: FileHandle, { littleEndian, offsetBytes }: Layout, at: number): Promise<number> {
  const countBytes = offsetBytes === 8 ? 8 : 2;
  const entries = readNumber(await readBytes(handle, at, countBytes), 0, countBytes, littleEndian);
  const end = at + countBytes + entries * (4 + 2 * offsetBytes);
  return readNumber(await readBytes(handle, end, offsetBytes), 0, offsetBytes, littleEndian);
}

async function readBytes(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = Number.isSafeInteger(position)
    ? await handle.read(buffer, 0, length, position)
    : { bytesRead: 0 };
  if (bytesRead === length) return buffer;
  throw new ProcessingFailure('invalid_image', 'The TIFF refers to a page outside the file');
}

function readNumber(buffer: Buffer, at: number, bytes: 2 | 4 | 8, littleEndian: boolean): number {
  if (bytes === 2) return littleEndian ? buffer.readUInt16LE(at) : buffer.readUInt16BE(at);
  if (bytes === 4) return littleEndian ? buffer.readUInt32LE(at) : buffer.readUInt32BE(at);
  return Number(littleEndian ? buffer.readBigUInt64LE(at) : buffer.readBigUInt64BE(at));
}

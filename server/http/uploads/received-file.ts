import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AppError } from '../../errors.ts';

/** An accepted file of an upload: complete and synced in a temporary file. */
export interface AcceptedFile {
  originalFilename: string;
  fieldName: string;
  /** Absolute path of the temporary file. */
  file: string;
  /** Bytes. */
  size: number;
  /** SHA-256 of the content, in hex. */
  sha256: string;
}

/** A refused file of an upload; it is not on disk. */
export interface RefusedFile {
  originalFilename: string;
  fieldName: string;
  refused: AppError;
}

/** One file of an upload, in body order. */
export type ReceivedFile = AcceptedFile | RefusedFile;

/** Size and hash of one file part. */
export interface StoredPart {
  /** Bytes read. */
  size: number;
  /** SHA-256 of the bytes read, in hex. */
  sha256: string;
}

/** Bytes collected for one write: the chunks of at most 64 KB are too small, a write for each costs more than parsing. */
const WRITE_BYTES = 512 * 1024;

/** Options of {@link storePart}. */
interface StoreOptions {
  maxBytes: number;
  /** Called with the bytes that are kept, as they arrive. */
  onBytes?: ((bytes: number) => void) | undefined;
}

/**
 * Streams one file part into a new file, hashes and syncs it; removes the file if it is empty or above `maxBytes`. Always
 * reads the part to its end, since the parser waits for that.
 * @throws the errno error of the disk, the stream's error if the body is incomplete, or what `onBytes` throws; the file may then remain
 */
export async function storePart(
  part: Readable,
  target: string,
  { maxBytes, onBytes = () => {} }: StoreOptions,
): Promise<StoredPart> {
  const hash = createHash('sha256');
  const handle = await open(target, 'wx');
  let size = 0;
  try {
    let waiting: Buffer[] = [];
    let bytesWaiting = 0;
    for await (const chunk of part as AsyncIterable<Buffer>) {
      size += chunk.length;
      hash.update(chunk);
      if (size > maxBytes) {
        waiting = [];
        await handle.truncate(0);
        continue;
      }
      onBytes(chunk.length);
      waiting.push(chunk);
      bytesWaiting += chunk.length;
      if (bytesWaiting < WRITE_BYTES) continue;
      await writeAll(handle, waiting);
      waiting = [];
      bytesWaiting = 0;
    }
    if (isStorable(size, maxBytes)) {
      await writeAll(handle, waiting);
      await handle.datasync();
    }
  } finally {
    await handle.close();
  }
  if (!isStorable(size, maxBytes)) await rm(target, { force: true });
  return { size, sha256: hash.digest('hex') };
}

// writeFile of a handle continues at its position and repeats short writes.
async function writeAll(handle: FileHandle, chunks: Buffer[]): Promise<void> {
  const [first] = chunks;
  if (first) await handle.writeFile(chunks.length === 1 ? first : Buffer.concat(chunks));
}

/** Reads one file part to its end and returns its size and hash. */
export async function skipPart(part: Readable): Promise<StoredPart> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of part as AsyncIterable<Buffer>) {
    size += chunk.length;
    hash.update(chunk);
  }
  return { size, sha256: hash.digest('hex') };
}

/** Returns the error of a part that is empty or too large; undefined otherwise. */
export function refusalOf(originalFilename: string, size: number, maxBytes: number): AppError | undefined {
  if (size === 0) {
    return new AppError('unsupported_image', `The file "${originalFilename}" is empty: expected an image, got 0 bytes`);
  }
  if (size > maxBytes) {
    const message = `The file "${originalFilename}" is too large: expected at most ${maxBytes} bytes`;
    return new AppError('file_too_large', message, { details: { limit: maxBytes } });
  }
  return undefined;
}

function isStorable(size: number, maxBytes: number): boolean {
  return size > 0 && size <= maxBytes;
}

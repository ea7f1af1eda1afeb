import { open } from 'node:fs/promises';

/**
 * Counts the frames of an animated PNG: its `acTL` chunk must precede the first image data (PNG third edition, 11.3.6).
 * @returns 1 for a still PNG
 */
export async function apngFrames(file: string): Promise<number> {
  const handle = await open(file, 'r');
  try {
    const chunk = Buffer.alloc(12);
    let at = 8;
    // Bounds the work for a file of many tiny chunks.
    for (let count = 0; count < 1000; count += 1) {
      const { bytesRead } = await handle.read(chunk, 0, 12, at);
      if (bytesRead < 12) return 1;
      const type = chunk.toString('latin1', 4, 8);
      if (type === 'acTL') return Math.max(1, chunk.readUInt32BE(8));
      if (type === 'IDAT' || type === 'IEND') return 1;
      at += 12 + chunk.readUInt32BE(0);
    }
    return 1;
  } finally {
    await handle.close();
  }
}

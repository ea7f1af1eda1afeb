import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';

// Loaders by format. Whole families are unblocked: file classes are chosen by inheritance, and with the buffer classes alone
// file names are refused.
const ALLOWED_LOADERS = [
  'VipsForeignLoadJpeg',
  'VipsForeignLoadPng',
  'VipsForeignLoadWebp',
  'VipsForeignLoadHeif',
  'VipsForeignLoadNsgif',
  'VipsForeignLoadTiff',
];

/**
 * Prepares the image library in a worker: one thread (the pool runs in parallel), no cache, and only the loaders of accepted
 * formats (CVE-2026-66066: the library chooses the loader by the bytes, so a type check before it does not protect).
 * @param blockLoaders false only in the test of the start-up check
 */
export function prepareImageLibrary(blockLoaders: boolean): void {
  sharp.concurrency(1);
  sharp.cache(false);
  if (!blockLoaders) return;
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ALLOWED_LOADERS });
}

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><rect width="1" height="1"/></svg>';

/** Loads a tiny image of each dangerous format and returns the formats that load; a safe worker returns none. */
export async function findOpenLoaders(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-'));
  try {
    const open: string[] = [];
    for (const [name, bytes] of [['svg', Buffer.from(SVG)] as const, ['v', nativeImage()] as const]) {
      const file = join(folder, `probe.${name}`);
      await writeFile(file, bytes);
      if (await loads(file)) open.push(name);
    }
    return open;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function loads(file: string): Promise<boolean> {
  try {
    await sharp(file).raw().toBuffer();
    return true;
  } catch {
    return false;
  }
}

/** One red pixel in the library's own format: a 64-byte header and the samples. */
function nativeImage(): Buffer {
  const file = Buffer.alloc(67);
  file.writeUInt32BE(0xb6a6f208, 0);
  file.writeUInt32LE(1, 4); // width
  file.writeUInt32LE(1, 8); // height
  file.writeUInt32LE(3, 12); // channels
  file.writeUInt32LE(22, 28); // sRGB
  file.writeFloatLE(1, 32);
  file.writeFloatLE(1, 36);
  file[64] = 255;
  return file;
}

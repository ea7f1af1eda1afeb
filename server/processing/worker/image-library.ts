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

import sharp from 'sharp';

// Each format's own family of loaders; the families are unblocked whole, because the file classes are chosen by inheritance
// and unblocking the buffer classes alone refuses file names.
const ALLOWED_LOADERS = [
  'VipsForeignLoadJpeg',
  'VipsForeignLoadPng',
  'VipsForeignLoadWebp',
  'VipsForeignLoadHeif',
  'VipsForeignLoadNsgif',
  'VipsForeignLoadTiff',
];

/**
 * Prepares the image library in a worker: one thread (the pool is the parallelism), no cache, and no loader but those of the
 * accepted formats (CVE-2026-66066: the library picks the loader by the bytes, so a type check before it is no defence).
 * @param blockLoaders off only in the test of the start-up check
 */
export function prepareImageLibrary(blockLoaders: boolean): void {
  sharp.concurrency(1);
  sharp.cache(false);
  if (!blockLoaders) return;
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ALLOWED_LOADERS });
}

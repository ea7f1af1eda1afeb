import { utimes } from 'node:fs/promises';

/** Interval in milliseconds, well below the hour after which an unchanged temporary file is removed as a remainder. */
const TOUCH_MS = 600_000;

/**
 * Renews the times of temporary files while the rest of their request arrives, which may take hours, so that no server removes
 * them as remainders. `files` may grow. Returns a function that ends this.
 */
export function keepYoung(files: readonly string[]): () => void {
  const touch = () => {
    const now = new Date();
    // A file that was refused is gone.
    for (const file of files) void utimes(file, now, now).catch(() => {});
  };
  const timer = setInterval(touch, TOUCH_MS);
  timer.unref();
  return () => clearInterval(timer);
}

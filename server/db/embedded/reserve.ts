import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes kept for removals: a write that removes ten documents needs less. */
export const RESERVE_BYTES = 2 * 1024 * 1024;
const FILE = 'reserve';

/** Space on the disk of a store that only writes get which free more than they need. */
export interface Reserve {
  /** Takes the space again, if it is there. Returns the bytes that other writes have to leave: 0, or those of the reserve. */
  keep(freeBytes: number): number;
  /** Gives the space to a write; without effect while it is given away. */
  give(): void;
}

/** Keeps the reserve of a store in a file of its directory, so that nothing else on the disk can take its space. */
export function createReserve(directory: string): Reserve {
  const file = join(directory, FILE);
  let isKept = existsSync(file);
  return {
    keep(freeBytes) {
      if (isKept) return 0;
      if (freeBytes < RESERVE_BYTES) return RESERVE_BYTES;
      try {
        // Random: a file system that compresses must not save the space.
        writeFileSync(file, randomBytes(RESERVE_BYTES), { mode: 0o600 });
        isKept = true;
      } catch {
        rmSync(file, { force: true });
      }
      return isKept ? 0 : RESERVE_BYTES;
    },

    give() {
      rmSync(file, { force: true });
      isKept = false;
    },
  };
}

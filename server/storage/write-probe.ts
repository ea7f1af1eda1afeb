import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDiskFull } from '../errors.ts';

interface WriteProbeDeps {
  /** Existing directories, by the words that name them in messages. */
  directories: Record<string, string>;
  /** Monotonic clock, in milliseconds. @default performance.now */
  monotonicNow?: () => number;
}

/** Result of a probe. */
interface Writable {
  /** Says what cannot be written, in words; null: everything can. A full disk is none. */
  fault: string | null;
  /** True if a disk has no free byte. */
  isFull: boolean;
}

/** Time for which a result without a fault is good, in milliseconds: so often a healthy server writes at most. */
const GOOD_MS = 10_000;
/** Time for which a fault is not looked at again, in milliseconds. */
const FAULT_MS = 2000;
/** Longest wait for a disk, in milliseconds; a lost network file system never answers. */
const LIMIT_MS = 3000;
const FILE = 'write-probe.part';

/** Creates the check that this server can write its files: a byte that is flushed and removed, at most every ten seconds. */
export function createWriteProbe({ directories, monotonicNow = () => performance.now() }: WriteProbeDeps) {
  let last: { at: number; found: Writable } | undefined;
  let running: Promise<Writable> | undefined;

  const isGood = ({ at, found }: { at: number; found: Writable }) =>
    monotonicNow() - at < (found.fault === null ? GOOD_MS : FAULT_MS);

  async function look(): Promise<Writable> {
    const found = await Promise.all(Object.entries(directories).map(([name, path]) => tryToWrite(name, path)));
    const fault = found.find((one) => one.fault !== null)?.fault ?? null;
    return { fault, isFull: found.some(({ isFull }) => isFull) };
  }

  return {
    /** Returns the last result, or a new one if that is old. */
    async check(): Promise<Writable> {
      if (last && isGood(last)) return last.found;
      running ??= look().finally(() => {
        running = undefined;
      });
      const found = await running;
      last = { at: monotonicNow(), found };
      return found;
    },

    /** Makes the next check look again: something could not be written. */
    suspect(): void {
      if (last?.found.fault === null) last = undefined;
    },
  };
}

/** The check that this server can write. */
export type WriteProbe = ReturnType<typeof createWriteProbe>;

async function tryToWrite(name: string, directory: string): Promise<Writable> {
  const file = join(directory, FILE);
  const write = async (): Promise<Writable> => {
    try {
      await writeFile(file, '1', { flush: true, mode: 0o600 });
      await rm(file, { force: true });
      return { fault: null, isFull: false };
    } catch (error) {
      await rm(file, { force: true }).catch(() => {});
      if (isDiskFull(error)) return { fault: null, isFull: true };
      return { fault: `the ${name} cannot be written (${(error as NodeJS.ErrnoException).code})`, isFull: false };
    }
  };
  const silent = sleep(LIMIT_MS, { fault: `the ${name} does not answer`, isFull: false }, { ref: false });
  return Promise.race([write(), silent]);
}

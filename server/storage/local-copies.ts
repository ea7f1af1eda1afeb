import { rename, rm, stat, utimes } from 'node:fs/promises';
import type { Scratch } from './object-store.ts';

interface LocalCopiesDeps {
  scratch: Pick<Scratch, 'newFile'>;
  /** Most bytes of copies that are not in use. */
  mostBytes: number;
  /** Fetches a file to a path. Returns its bytes. */
  fetchTo: (key: string, file: string) => Promise<number>;
}

interface Copy {
  file: string;
  /** Bytes; 0 until it is fetched. */
  size: number;
  /** Resolves when the file is there. */
  ready: Promise<void>;
  users: number;
}

/** Keeps copies of files of a distant store on this server: one a file, however many use it, and the last ones for a while. */
export function createLocalCopies({ scratch, mostBytes, fetchTo }: LocalCopiesDeps) {
  /** By key, the least recently used first. */
  const copies = new Map<string, Copy>();

  function fetchCopy(key: string): Copy {
    const copy: Copy = { file: scratch.newFile(), size: 0, ready: Promise.resolve(), users: 0 };
    copy.ready = fetchTo(key, copy.file).then((size) => {
      copy.size = size;
    });
    copy.ready.catch(() => forget(key, copy));
    return copy;
  }

  function forget(key: string, copy: Copy): void {
    if (copies.get(key) === copy) copies.delete(key);
  }

  async function trim(): Promise<void> {
    const idle = [...copies].filter(([, { users }]) => users === 0);
    let bytes = idle.reduce((sum, [, { size }]) => sum + size, 0);
    for (const [key, copy] of idle) {
      if (bytes <= mostBytes) return;
      bytes -= copy.size;
      forget(key, copy);
      await rm(copy.file, { force: true });
    }
  }

  /** Returns a copy that is there; the sweep of old files may have removed one that was not used for long. */
  async function take(key: string): Promise<Copy> {
    let copy = copies.get(key);
    if (copy && copy.users === 0 && copy.size > 0 && !(await isThere(copy.file)) && copy.users === 0) {
      forget(key, copy);
      copy = undefined;
    }
    copy = copies.get(key) ?? fetchCopy(key);
    copies.delete(key);
    copies.set(key, copy);
    copy.users += 1;
    return copy;
  }

  return {
    /** Calls `use` with the path of a copy. */
    async use<T>(key: string, use: (file: string) => Promise<T>): Promise<T> {
      const copy = await take(key);
      try {
        await copy.ready;
        return await use(copy.file);
      } finally {
        copy.users -= 1;
        await trim();
      }
    },

    /** Keeps a file that was just stored as the copy of its key. */
    async adopt(key: string, file: string, size: number): Promise<void> {
      const target = scratch.newFile();
      await rename(file, target);
      copies.set(key, { file: target, size, ready: Promise.resolve(), users: 0 });
      await trim();
    },
  };
}

/** Tests if a copy is there, and marks it as used. */
async function isThere(file: string): Promise<boolean> {
  const at = new Date();
  await utimes(file, at, at).catch(() => {});
  return (await stat(file).catch(() => null)) !== null;
}

import { randomBytes, randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { mkdir, open, opendir, readdir, rename, rm, stat, statfs, unlink } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { createVerifier, type FileState, type ToldFacts } from './verify-files.ts';

/** A file of the store. */
export interface StoredFile {
  key: string;
  /** Bytes. */
  size: number;
  modifiedAt: Date;
}

/** Facts of a file to store. */
interface FileFacts {
  /** Bytes. */
  size: number;
  contentType: string;
  /** SHA-256 of the content, in hex. The store compares it with what it received where it can. */
  sha256?: string | undefined;
  /** True if a worker will read the file soon. */
  isSource?: boolean;
}

/** A part of a file; both ends are included. */
export interface ByteSpan {
  first: number;
  last: number;
}

/** Answer to a client that fetches a file from the store itself. */
interface DirectDownload {
  mimeType: string;
  /** Value of `Content-Disposition`. */
  disposition: string;
}

/**
 * Files of all servers, named by keys like `sessions/sess_…/img_….jpg`. A file is there whole or not at all, and is not
 * changed. Every method throws {@link StoreAwayError} if the store does not respond.
 */
export interface ObjectStore {
  /** Name of the place, for messages. */
  readonly place: string;
  /** Creates what has to be there. */
  prepare(): Promise<void>;
  /** Stores a complete, flushed file of {@link Scratch} under a key; the file is used up. Replaces a file of that key. */
  putFile(key: string, file: string, facts: FileFacts): Promise<void>;
  /** Opens a file, or a part of it. Returns the stream and the bytes of the whole file; null if it does not exist. */
  open(key: string, span?: ByteSpan): Promise<{ stream: Readable; size: number } | null>;
  /**
   * Calls `use` with the absolute path of a local copy, whose bytes are compared with `told` before.
   * @throws Error with code ENOENT if the file does not exist; DamagedFileError
   */
  withLocalFile<T>(key: string, use: (path: string) => Promise<T>, told?: ToldFacts): Promise<T>;
  /** Compares the bytes of a file with what was told of them; `unknown` if that would need a transfer. */
  check(key: string, told: ToldFacts): Promise<FileState>;
  /** Returns the bytes of a file; null if it does not exist. */
  head(key: string): Promise<{ size: number } | null>;
  /** Removes files; ignores missing ones. @returns false if some stay for the moment and are removed later */
  removeMany(keys: string[]): Promise<boolean>;
  /** Removes every file below a folder. @returns false if some stay for the moment and are removed later */
  removeBelow(folder: string): Promise<boolean>;
  /** Every file below a folder. */
  list(folder: string): AsyncIterable<StoredFile>;
  /** Names of the folders directly below a folder. */
  listFolders(folder: string): Promise<string[]>;
  /** Returns a URL at which a client can fetch the file for a while; null where the store has none. */
  urlOf(key: string, download: DirectDownload): Promise<{ address: string; expiresAt: Date } | null>;
  facts?(): StoreFacts;
}

/** Facts that a store's answers have shown so far. */
export interface StoreFacts {
  /** Removed files stay as earlier versions. */
  keepsVersions: boolean;
  /** Time of the store minus that of this server, in milliseconds; 0 while they differ by less than minutes. */
  clockOffsetMs: number;
}

const SEGMENT = /^[0-9A-Za-z][0-9A-Za-z_-]{0,127}(\.[0-9a-z]{1,8})?$/;

/** Joins segments made by the service itself into a store key; a segment with any other character is a programming error. */
function storeKey(...segments: string[]): string {
  for (const segment of segments) {
    if (!SEGMENT.test(segment)) throw new TypeError(`not a store key segment: ${JSON.stringify(segment)}`);
  }
  return segments.join('/');
}

/** Folder of a namespace: a session's uploads and previews, or its samples. */
export const namespaceFolder = (namespace: string) => storeKey('sessions', namespace);

/** Key of an uploaded file; also the `uploadPath` that callers see. */
export const uploadKey = (sessionId: string, imageId: string, extension: string) =>
  storeKey('sessions', sessionId, `${imageId}.${extension}`);

/** Key of the review preview of an image. */
export const previewKey = (sessionId: string, imageId: string, width: number) =>
  storeKey('sessions', sessionId, 'previews', `${imageId}-${width}.webp`);

/** Key of a copy of an uploaded file without private metadata. */
export const bareKey = (sessionId: string, imageId: string, extension: string) =>
  storeKey('sessions', sessionId, 'previews', `${imageId}-bare.${extension}`);

/** Folder of all variants. */
export const VARIANTS = 'variants';

/**
 * Returns a new key for a variant, by the hash of everything that made it. No two are equal, so that the removal of one file never removes one that was made later.
 */
export const newVariantKey = (hash: string, extension: string) =>
  storeKey(VARIANTS, hash.slice(0, 2), `${hash}-${randomBytes(4).toString('hex')}.${extension}`);

/** Returns the hash in the key of a variant. */
export const variantHashOf = (key: string) => key.split('/').at(-1)?.split(/[-.]/)[0] ?? '';

/** Size of a read, and so the memory per download; most exported files are smaller. */
const READ_BYTES = 256 * 1024;

/**
 * Creates the store of files in one directory, which several servers may share.
 * @throws TypeError (each method) if a key leads outside the directory
 */
export function createFolderStore({ directory }: { directory: string }): ObjectStore {
  const root = resolve(directory);
  const verifier = createVerifier();
  const pathOf = (key: string) => {
    const path = resolve(root, key);
    if (!path.startsWith(root + sep)) throw new TypeError(`key leaves the store: ${JSON.stringify(key)}`);
    return path;
  };
  return {
    place: root,

    async prepare() {
      for (const folder of ['sessions', 'variants']) await mkdir(join(root, folder), { recursive: true });
    },

    putFile: (key, file) => place(file, pathOf(key)),

    open: (key, span) => openFile(pathOf(key), span),

    withLocalFile: (key, use, told) => verifier.before(key, use, told)(pathOf(key)),

    check: (key, told) => verifier.check(pathOf(key), told),

    async head(key) {
      const found = await stat(pathOf(key)).catch(nullWhenAbsent);
      return found && { size: found.size };
    },

    async removeMany(keys) {
      for (const key of keys) await unlink(pathOf(key)).catch(nullWhenAbsent);
      return true;
    },

    async removeBelow(folder) {
      // A file created during the removal causes ENOTEMPTY: retry.
      await rm(pathOf(folder), { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
      return true;
    },

    list: (folder) => listFiles(root, pathOf(folder)),

    async listFolders(folder) {
      const entries = await readdir(pathOf(folder), { withFileTypes: true }).catch(() => [] as Dirent[]);
      return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    },

    urlOf: async () => null,
  };
}

/** Moves a file to its place, which survives a power failure once this resolves. */
async function place(file: string, target: string): Promise<void> {
  const folder = dirname(target);
  const made = await mkdir(folder, { recursive: true });
  await rename(file, target);
  await flushFolder(folder);
  if (made) await flushFolder(dirname(made));
}

async function flushFolder(folder: string): Promise<void> {
  // A folder cannot be opened on Windows, and some network file systems refuse to flush one.
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

async function openFile(path: string, span?: ByteSpan) {
  const handle = await open(path, 'r').catch(nullWhenAbsent);
  if (!handle) return null;
  try {
    const { size } = await handle.stat();
    const { first, last } = span ?? { first: 0, last: size - 1 };
    const end = Math.max(first, last);
    return { stream: handle.createReadStream({ start: first, end, highWaterMark: READ_BYTES }), size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function* listFiles(root: string, folder: string): AsyncGenerator<StoredFile> {
  for await (const path of filesBelow(folder)) {
    const found = await stat(path).catch(nullWhenAbsent);
    const key = path
      .slice(root.length + 1)
      .split(sep)
      .join('/');
    if (found) yield { key, size: found.size, modifiedAt: found.mtime };
  }
}

/** Yields the paths of all files below a folder; skips folders that were removed meanwhile. */
async function* filesBelow(folder: string): AsyncGenerator<string> {
  const opened = await opendir(folder).catch(() => null);
  if (!opened) return;
  for await (const entry of opened) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

function nullWhenAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

interface ScratchOptions {
  directory: string;
  /** Monotonic clock, in ms. @default performance.now */
  monotonicNow?: () => number;
}

/** Creates the place of files that are being received, written or read by this server. */
export function createScratch({ directory, monotonicNow = () => performance.now() }: ScratchOptions) {
  /** Files that the last sweep kept, each with the time since which it has not changed. */
  let kept = new Map<string, { mtimeMs: number; since: number }>();
  return {
    async prepare(): Promise<void> {
      await mkdir(directory, { recursive: true });
    },

    /** Returns a new path, in an existing directory. */
    newFile: (): string => join(directory, `${randomUUID()}.part`),

    /** Removes those of the files that still exist. */
    async discard(files: string[]): Promise<void> {
      await Promise.all(files.map((file) => rm(file, { force: true })));
    },

    /** Free bytes on the disk. */
    async freeBytes(): Promise<number> {
      const { bavail, bsize } = await statfs(directory);
      return bavail * bsize;
    },

    /** Free bytes and size of the disk. */
    async disk(): Promise<{ freeBytes: number; totalBytes: number }> {
      const { bavail, blocks, bsize } = await statfs(directory);
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    },

    /**
     * Removes files left by an interruption.
     * @param minAgeMs keeps files that were not seen unchanged for this long, because they may still be in use. Measured
     *   between sweeps: modification times are unreliable if the system clock was set.
     * @returns how many
     */
    async sweep({ minAgeMs }: { minAgeMs: number }): Promise<number> {
      const at = monotonicNow();
      const before = kept;
      kept = new Map();
      let removed = 0;
      for (const name of await readdir(directory)) {
        const path = join(directory, name);
        const found = await stat(path).catch(() => null);
        if (!found) continue;
        const { mtimeMs } = found;
        const last = before.get(path);
        const since = last?.mtimeMs === mtimeMs ? last.since : at;
        if (at - since < minAgeMs) {
          kept.set(path, { mtimeMs, since });
          continue;
        }
        await rm(path, { force: true, recursive: true });
        removed += 1;
      }
      return removed;
    },
  };
}

/** Temporary files of this server. */
export type Scratch = ReturnType<typeof createScratch>;

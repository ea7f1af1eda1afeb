import { randomBytes } from 'node:crypto';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { ReplacementVariant } from '../cms-host.ts';
import { HostError } from '../host-error.ts';
import { typeOf } from '../image-types.ts';
import { createHashes, type Disk, hashOf, isFile, readIfThere } from './disk.ts';
import { openPlaces, withinPlaces } from './real-places.ts';

/** Folder of the files that replace images, in that of the images, where visitors get them too. */
const MADE = '_imagewright';
/** Folder of the records, which programs that serve files leave out. */
const RECORDS = '.imagewright';
/** Longest name of a file on the usual file systems. */
const MAX_NAME_BYTES = 255;

/** A file that was made for an image. */
export interface MadeFile {
  /** `full`, or `<width>w`. */
  name: string;
  /** Below the folder of the images. */
  path: string;
  /** Pixels. */
  width: number;
  sha256: string;
}

/** A replaced image. */
export interface MediaRecord {
  /** SHA-256 of the original. */
  original: string;
  files: MadeFile[];
}

/** Originals of a folder, and the files and records that stand for them. Nothing is kept in memory that a file does not say. */
export interface MediaRecords {
  /** Returns the bytes of an original. @throws HostError `not_found` */
  original(file: string): Promise<Buffer>;
  /** Returns the record of an image, also of one whose original was changed since; null if it is not replaced. */
  read(file: string): Promise<MediaRecord | null>;
  /** Returns the record of an image whose original is the recorded one. */
  current(file: string): Promise<MediaRecord | null>;
  /** Returns why there is no original; null if there is one. */
  lack(file: string): Promise<string | null>;
  /** @throws HostError `changed` if somebody has changed a file since */
  requireUnchanged(files: readonly MadeFile[]): Promise<void>;
  /** Writes a file beside all others, under a name of its own. @throws HostError `unsupported`, `no_space`, `forbidden` */
  add(variant: ReplacementVariant, stem: string): Promise<MadeFile>;
  /** Writes a record: all of it, or nothing. @throws HostError `no_space`, `forbidden` */
  write(file: string, record: MediaRecord): Promise<void>;
  forget(file: string): Promise<void>;
  /** Removes files that no record names; one that stays harms nobody. */
  remove(files: readonly MadeFile[]): Promise<void>;
}

const MISSING = 'The file of this image is missing.';

/** Opens the records of a folder. @param linked folders that links in it may lead to */
export function openRecords(folder: string, linked: readonly string[], disk: Disk): MediaRecords {
  const root = resolve(folder);
  const places = openPlaces(root, linked);
  const hashes = createHashes();
  /** Returns the real path of a file below the folder; null if there is none. */
  const find = (file: string) => places.find(within(root, file));
  const own = withinPlaces(disk, places);
  const recordOf = (file: string) => {
    const path = join(root, RECORDS, `${within(root, file).slice(root.length + 1)}.json`);
    const isTooLong = Buffer.byteLength(basename(path)) > MAX_NAME_BYTES;
    return isTooLong ? join(dirname(path), `${hashOf(Buffer.from(basename(path)))}.json`) : path;
  };

  async function read(file: string): Promise<MediaRecord | null> {
    const path = await places.find(recordOf(file));
    const text = path === null ? null : await readIfThere(path);
    return text && (JSON.parse(text.toString()) as MediaRecord);
  }

  return {
    read,
    async original(file) {
      const path = await find(file);
      const bytes = path === null ? null : await readIfThere(path);
      if (!bytes) throw new HostError('not_found', MISSING);
      return bytes;
    },
    async current(file) {
      const record = await read(file);
      const path = record && (await find(file));
      return path && (await hashes(path)) === record.original ? record : null;
    },
    async lack(file) {
      const found = await find(file).catch((error: unknown) => {
        if (error instanceof HostError) return error;
        throw error;
      });
      if (found instanceof HostError) return found.message;
      return found !== null && (await isFile(found)) ? null : MISSING;
    },
    async requireUnchanged(files) {
      for (const { path, sha256 } of files) {
        const real = await find(path);
        const bytes = real === null ? null : await readIfThere(real);
        // Nothing can be lost of a file that is gone.
        if (bytes && hashOf(bytes) !== sha256) throw new HostError('changed', 'Its optimized file was changed since.');
      }
    },
    async add({ name, width, filename, blob }, stem) {
      const extension = /\.[a-z0-9]+$/.exec(filename)?.[0] ?? '';
      const isSize = /^(full|[1-9]\d{0,4}w)$/.test(name);
      if (!typeOf(filename) || !isSize) throw new HostError('unsupported', `${filename} is no file of an image.`);
      const size = name === 'full' ? '' : `-${name}`;
      const path = `${MADE}/${stem}${size}-${randomBytes(4).toString('hex')}${extension}`;
      const bytes = new Uint8Array(await (await blob()).arrayBuffer());
      await own.write(join(root, path), bytes);
      return { name, path, width, sha256: hashOf(bytes) };
    },
    async write(file, record) {
      const path = recordOf(file);
      // Of one length, and the same the next time, so that what a crash has left is written over.
      const fresh = join(dirname(path), `.${hashOf(Buffer.from(basename(path))).slice(0, 16)}.new`);
      await own.write(fresh, Buffer.from(JSON.stringify(record)));
      await own.rename(fresh, path);
    },
    forget: (file) => own.remove(recordOf(file)),
    async remove(files) {
      for (const { path } of files) await own.remove(within(join(root, MADE), join(root, path))).catch(() => {});
    },
  };
}

/** Returns the path of a file in a folder. @throws HostError `not_found` for one outside of it */
function within(root: string, file: string): string {
  const path = resolve(root, file);
  if (!path.startsWith(root + sep) || file.includes('\0')) throw new HostError('not_found', 'There is no such image.');
  return path;
}

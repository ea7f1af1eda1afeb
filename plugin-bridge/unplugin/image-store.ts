import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Lack, SettingsInput } from '#contract';
import { type EncodedFormat, FORMATS } from '#contract/constants';
import { engineVersion } from '../../server/processing/cache-key.ts';
import type { Engine } from '../../server/processing/index.ts';
import { assetStem } from './asset-name.ts';

/** A file of an image. */
export interface MadeFile {
  /** `full`, or `<width>w`. */
  name: string;
  format: EncodedFormat;
  /** Pixels. */
  width: number;
  height: number;
  /** Absolute path. Its name has no characters that end an address in `srcset`. */
  path: string;
  sha256: string;
  /** Bytes. */
  size: number;
  /** Parts of the image that it does not show; absent if none. */
  lacks?: Lack[];
}

/** A finished image. */
export interface MadeImage {
  /** Format that the settings name first. */
  format: EncodedFormat;
  files: MadeFile[];
  /** ThumbHash, base64. */
  placeholder: string | null;
  /** Lowest score of the files; null if nothing was measured. */
  score: number | null;
}

/** Finished images, kept on disk by their content and settings. */
export interface ImageStore {
  /** Returns an image; makes it if no build has. @throws Error with the engine's reason */
  make(source: string, settings: SettingsInput): Promise<MadeImage>;
  /** Returns the size of an image in pixels. @throws Error with the engine's reason */
  measure(source: string): Promise<{ width: number; height: number }>;
  /**
   * Ends the engine's processes, at once or after the images that other builds are making, and removes what no build has used for long. The
   * store can be used again.
   */
  close(): Promise<void>;
}

/** Age after which an image that no build has used is removed, in ms. */
const UNUSED_MS = 30 * 24 * 3_600_000;
const RECORD = 'image.json';

/** Opens the store. @param options `folder` is absolute and need not exist; `workers` undefined: as many as the machine has room for */
export function openImageStore({ folder, workers }: { folder: string; workers?: number | undefined }): ImageStore {
  let engine: Promise<Engine> | undefined;
  const start = () => {
    engine ??= startEngine(workers);
    return engine;
  };
  const making = new Map<string, Promise<MadeImage>>();
  /** Calls in progress, of all builds that share the store. */
  let users = 0;
  let isEnding = false;
  async function using<T>(work: () => Promise<T>): Promise<T> {
    users += 1;
    try {
      return await work();
    } finally {
      users -= 1;
      if (isEnding && users === 0) await end();
    }
  }
  async function end(): Promise<void> {
    const running = engine;
    engine = undefined;
    isEnding = false;
    await (await running?.catch(() => undefined))?.close();
  }
  return {
    make: (source, settings) => using(() => make(source, settings)),
    measure: (source) => using(async () => (await start()).measure(source)),
    async close() {
      // Another build is at work: its last image ends the engine.
      if (users > 0) isEnding = true;
      else await end();
      await sweep(folder);
    },
  };

  async function make(source: string, settings: SettingsInput): Promise<MadeImage> {
    const sha256 = await hashOf(source);
    const identity = [sha256, basename(source), settings, engineVersion()];
    const key = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
    const target = join(folder, key);
    const makeNow = async () => (await readMade(target)) ?? makeInto(target, { source, sha256, settings });
    const running = making.get(key) ?? makeNow();
    making.set(key, running);
    return running.finally(() => making.delete(key));
  }

  async function makeInto(target: string, order: Pick<Making, 'source' | 'sha256' | 'settings'>): Promise<MadeImage> {
    const fresh = join(folder, `.${randomUUID()}`);
    try {
      await makeImage({ ...order, engine: await start(), folder: fresh });
      await rename(fresh, target).catch(async (error: unknown) => {
        // Another build may have been faster; its files are the same.
        if (await readMade(target)) return;
        await discard(target);
        await rename(fresh, target).catch(() => {
          throw error;
        });
      });
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
    const made = await readMade(target);
    if (!made) throw new Error(`${target} was removed`);
    return made;
  }
}

async function startEngine(workers: number | undefined): Promise<Engine> {
  // Loaded only here: a build whose images are finished does without.
  const engine = await import('../../server/processing/index.ts');
  return engine.startEngine({ workers });
}

interface Making {
  engine: Engine;
  source: string;
  sha256: string;
  settings: SettingsInput;
  folder: string;
}

async function makeImage({ engine, source, sha256, settings, folder }: Making): Promise<void> {
  const made = await engine.optimize({ source, settings, folder });
  if (made.source.sha256 !== sha256) throw new Error('The file was changed while it was read');
  const stem = assetStem(source);
  const files = await Promise.all(
    made.files.map(async ({ variant: name, format, width, height, path, sha256, size, lacks }) => {
      const file = `${stem}${name === 'full' ? '' : `-${name}`}.${FORMATS[format].extension}`;
      await rename(path, join(folder, file));
      return { name, format, width, height, path: file, sha256, size, ...(lacks && { lacks }) };
    }),
  );
  const scores = made.files.flatMap(({ quality }) => quality.score ?? []);
  const record = {
    format: files[0]?.format,
    files,
    placeholder: made.placeholder ?? null,
    score: scores.length > 0 ? Math.min(...scores) : null,
  };
  await writeFile(join(folder, RECORD), JSON.stringify(record));
}

/** Reads a finished image, and notes that it was used; undefined if it is not there whole. @throws Error if it cannot be read */
async function readMade(folder: string): Promise<MadeImage | undefined> {
  const record = join(folder, RECORD);
  const text = await readFile(record, 'utf8').catch(unlessMissing);
  // Another build may be about to finish it.
  if (text === undefined) return undefined;
  const made = parseMade(text);
  const files = (made?.files ?? []).map((file) => ({ ...file, path: join(folder, file.path) }));
  const found = await Promise.all(files.map(({ path }) => stat(path).catch(unlessMissing)));
  if (!made || found.includes(undefined)) {
    await discard(folder);
    return undefined;
  }
  const now = new Date();
  await utimes(record, now, now).catch(() => {});
  return { ...made, files };
}

/** Returns undefined for a record that was cut off. */
function parseMade(text: string): MadeImage | undefined {
  try {
    return JSON.parse(text) as MadeImage;
  } catch {
    return undefined;
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ENOTDIR'].includes(error.code ?? '')) throw error;
}

/** Removes an image that is not whole, in one step for other builds. */
async function discard(folder: string): Promise<void> {
  const removed = join(dirname(folder), `.${randomUUID()}`);
  await rename(folder, removed).catch(unlessMissing);
  await rm(removed, { recursive: true, force: true });
}

/** Removes what no build has used for long, and what killed builds have left. Entries that another build takes away are skipped. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = await stat(join(path, RECORD)).catch(() => stat(path).catch(() => undefined));
    if (found && Date.now() - found.mtimeMs > UNUSED_MS) await rm(path, { recursive: true, force: true });
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

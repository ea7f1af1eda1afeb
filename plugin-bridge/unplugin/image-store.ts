import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { SettingsInput } from '#contract';
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
  /** Ends the engine's processes, and removes what no build has used for long. The store can be used again. */
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
  return {
    async make(source, settings) {
      const sha256 = await hashOf(source);
      const identity = [sha256, basename(source), settings, engineVersion()];
      const key = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
      const place = join(folder, key);
      const running = making.get(key) ?? readMade(place).then((made) => made ?? makeInto(place));
      making.set(key, running);
      return running.finally(() => making.delete(key));

      async function makeInto(target: string): Promise<MadeImage> {
        const fresh = join(folder, `.${randomUUID()}`);
        try {
          await makeImage({ engine: await start(), source, sha256, settings, folder: fresh });
          // Another build may have been faster; its files are the same.
          await rename(fresh, target).catch(async (error: unknown) => {
            if (!(await readMade(target))) throw error;
          });
        } finally {
          await rm(fresh, { recursive: true, force: true });
        }
        const made = await readMade(target);
        if (!made) throw new Error(`${target} was removed`);
        return made;
      }
    },
    measure: async (source) => (await start()).measure(source),
    async close() {
      const running = engine;
      engine = undefined;
      await (await running?.catch(() => undefined))?.close();
      await sweep(folder);
    },
  };
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
    made.files.map(async ({ variant: name, format, width, height, path, sha256 }) => {
      const file = `${stem}${name === 'full' ? '' : `-${name}`}.${FORMATS[format].extension}`;
      await rename(path, join(folder, file));
      return { name, format, width, height, path: file, sha256 };
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

/** Reads a finished image, and notes that it was used; undefined if it is not there whole. */
async function readMade(folder: string): Promise<MadeImage | undefined> {
  try {
    const record = join(folder, RECORD);
    const made = JSON.parse(await readFile(record, 'utf8')) as MadeImage;
    const files = made.files.map((file) => ({ ...file, path: join(folder, file.path) }));
    await Promise.all(files.map(({ path }) => stat(path)));
    const now = new Date();
    await utimes(record, now, now);
    return { ...made, files };
  } catch {
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }
}

/** Removes what no build has used for long, and what killed builds have left. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(join(path, RECORD)).catch(() => stat(path));
    if (Date.now() - mtimeMs > UNUSED_MS) await rm(path, { recursive: true, force: true });
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

import { createHmac, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Sources of the pepper. */
export interface PepperOptions {
  /** The service's data directory; the file is `secrets/api-key-pepper` in it. */
  directory: string;
  /** Pepper from the environment; no file is read or created then. */
  override?: string | undefined;
}

/**
 * Returns the secret for hashing API keys, at least 32 bytes; generates it at the first start. Processes that start
 * concurrently all get the same one.
 * @throws Error if the file is damaged, since a new pepper would invalidate every key
 */
export async function loadPepper({ directory, override }: PepperOptions): Promise<Buffer> {
  const found = await findPepper({ directory, override });
  if (found) return found;
  const { folder, path } = placeIn(directory);
  return parse(await create(folder, path), path);
}

/** Returns the same secret; null if none was generated yet. Changes nothing. @throws Error if the file is damaged */
export async function findPepper({ directory, override }: PepperOptions): Promise<Buffer | null> {
  if (override !== undefined) return Buffer.from(override, 'utf8');
  const { path } = placeIn(directory);
  const text = await readIfThere(path);
  return text === null ? null : parse(text, path);
}

function placeIn(directory: string): { folder: string; path: string } {
  const folder = join(directory, 'secrets');
  return { folder, path: join(folder, 'api-key-pepper') };
}

function parse(text: string, path: string): Buffer {
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new Error(`${path} is damaged: expected 64 hexadecimal digits. Restore it from a backup`);
  }
  return Buffer.from(text, 'hex');
}

/** Returns 12 hexadecimal digits that tell peppers apart and reveal nothing of them. */
export function fingerprintOf(pepper: Buffer): string {
  return createHmac('sha256', pepper).update('imagewright: fingerprint of the pepper').digest('hex').slice(0, 12);
}

async function create(folder: string, path: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${randomBytes(32).toString('hex')}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await publish(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  const text = await readIfThere(path);
  if (text === null) throw new Error(`${path} vanished while it was made`);
  return text;
}

/** Renames the complete file atomically, unless another process was first. */
async function publish(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    // A file system without hard links: copying is not atomic, but still leaves one winner.
    await copyFile(draft, path, constants.COPYFILE_EXCL).catch((failure: NodeJS.ErrnoException) => {
      if (failure.code !== 'EEXIST') throw failure;
    });
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

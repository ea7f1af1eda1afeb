import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the pepper comes from. */
export interface PepperOptions {
  /** The service's data directory; the file is `secrets/api-key-pepper` in it. */
  directory: string;
  /** A pepper from the environment; then no file is read or made. */
  override?: string | undefined;
}

/**
 * Returns the secret that API keys are hashed with, at least 32 bytes; makes it at the first start. Any number of
 * processes may start at once and all get the same one.
 * @throws Error when the file is damaged: a new pepper would make every key invalid
 */
export async function loadPepper({ directory, override }: PepperOptions): Promise<Buffer> {
  if (override !== undefined) return Buffer.from(override, 'utf8');
  const folder = join(directory, 'secrets');
  const path = join(folder, 'api-key-pepper');
  const text = (await readIfThere(path)) ?? (await create(folder, path));
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new Error(`${path} is damaged: expected 64 hexadecimal digits. Restore it from a backup`);
  }
  return Buffer.from(text, 'hex');
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

/** Gives the finished file its name unless another process was first; nobody ever sees half of it. */
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

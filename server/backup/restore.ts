import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { adminCommand } from '../admin-command.ts';
import { StartError } from '../errors.ts';
import { makeDirectory } from '../storage/index.ts';
import { BackupError, type BackupFacts, type Progress, readBackup } from './backup-directory.ts';
import { copyFiles } from './copy-files.ts';

interface RestoreInput {
  /** Directory of a whole backup; it stays as it is. */
  from: string;
  dataDirectory: string;
  /** `FILES_URL` is set: the files stay where they are. */
  filesInBucket: boolean;
  progress: Progress;
}

/** Lies in a data directory while a restore runs. */
const MARK = 'restore-in-progress';
const HELD = ['db', 'files', 'secrets'];

/**
 * Copies a backup into a data directory that holds nothing. The database comes last, and a service refuses a directory in
 * which a restore was interrupted.
 * @throws BackupError if the backup is not whole or the directory holds data, or if the
 * files of the one are in a bucket and of the other are not
 */
export async function restore({ from, dataDirectory, filesInBucket, progress }: RestoreInput): Promise<BackupFacts> {
  const facts = await readBackup(from);
  if (facts.store && !filesInBucket)
    throw new BackupError(
      `FILES_URL: expected the store of this backup's files, ${facts.store}, or a copy of it. Set FILES_URL and its keys`,
    );
  if (!facts.store && filesInBucket)
    throw new BackupError('FILES_URL: expected none, because this backup holds its files. Restore without FILES_URL');
  await requireEmpty(dataDirectory);
  await makeDirectory(dataDirectory);
  await writeFile(join(dataDirectory, MARK), `from ${from}\n`, { mode: 0o600, flag: 'wx' });
  for (const name of HELD) await rm(join(dataDirectory, name), { recursive: true, force: true });
  for (const name of ['secrets', 'files']) await makeDirectory(join(dataDirectory, name));
  await copyFiles({ from: join(from, 'secrets'), to: join(dataDirectory, 'secrets') });
  const { files, bytes } = await copyFiles({ from: join(from, 'files'), to: join(dataDirectory, 'files') });
  if (files !== facts.files || bytes !== facts.bytes)
    throw new BackupError(
      `--from: expected ${facts.files} files of ${facts.bytes} bytes, but found ${files} of ${bytes}: the backup was changed`,
    );
  progress(`${files} files are copied`);
  const draft = join(dataDirectory, 'db.part');
  await makeDirectory(draft);
  await copyFiles({ from: join(from, 'db'), to: draft });
  await rename(draft, join(dataDirectory, 'db'));
  await rm(join(dataDirectory, MARK));
  return facts;
}

/** @throws BackupError unless the directory is missing, or its folders hold no file */
async function requireEmpty(directory: string): Promise<void> {
  if (await isThere(join(directory, MARK)))
    throw new BackupError(
      `DATA_DIR: a restore into ${directory} was interrupted. Remove ${HELD.join(', ')}, db.part and ${MARK} there and repeat it`,
    );
  for (const name of HELD) {
    const entries = await readdir(join(directory, name), { recursive: true, withFileTypes: true }).catch(() => []);
    if (entries.some((entry) => !entry.isDirectory()))
      throw new BackupError(`DATA_DIR: ${directory} holds data already. Restore into a new directory`);
  }
}

/** Refuses a data directory in which a restore was interrupted. @throws StartError */
export async function requireNoHalfRestore(dataDirectory: string): Promise<void> {
  if (!(await isThere(join(dataDirectory, MARK)))) return;
  throw new StartError(
    `DATA_DIR: a restore into ${dataDirectory} was interrupted, so data is missing. Remove its contents and repeat \`${adminCommand('restore')}\``,
  );
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

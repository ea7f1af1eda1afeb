import { chmod, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { keepFiles } from '../cluster/index.ts';
import { type Database, snapshotEmbedded } from '../db/index.ts';
import { VERSION } from '../version.ts';
import { type BackupFacts, completeBackup, openBackup, type Progress } from './backup-directory.ts';
import { copyFiles } from './copy-files.ts';
import { requireNamedFiles } from './named-files.ts';

/** Input of {@link backUp}. */
export interface BackUpInput {
  /** The embedded database, as it is open. */
  database: Pick<Database, 'chores'>;
  dataDirectory: string;
  /** New or empty directory. */
  to: string;
  /** The secret of the keys is a setting and not a file. */
  secretsInEnvironment: boolean;
  progress: Progress;
}

const REPORT_MS = 2000;

/**
 * Copies database, files and secrets of a service that may be running: first a snapshot of the database, then the files,
 * none of which is deleted meanwhile. Checks at the end that every file is there that the snapshot names.
 * @throws BackupError, Error of the file system
 */
export async function backUp({ database, to, ...input }: BackUpInput): Promise<BackupFacts> {
  const { dataDirectory, secretsInEnvironment, progress } = input;
  const createdAt = new Date().toISOString();
  await openBackup(to);
  progress('waiting for removals that run');
  return keepFiles({ repository: database.chores }, async (signal) => {
    const snapshotAt = new Date().toISOString();
    await snapshotEmbedded(join(dataDirectory, 'db'), join(to, 'db'));
    for (const name of await readdir(join(to, 'db'))) await chmod(join(to, 'db', name), 0o600);
    progress('the database is copied');
    await mkdir(join(to, 'files'), { mode: 0o700 });
    const from = join(dataDirectory, 'files');
    const copied = await copyFiles({ from, to: join(to, 'files'), links: true, onFile: reporting(progress), signal });
    progress(`${describe(copied.files, copied.bytes)}, which are all`);
    await copyFiles({ from: join(dataDirectory, 'secrets'), to: join(to, 'secrets') });
    const namedFiles = await requireNamedFiles(to);
    signal.throwIfAborted();
    const secrets = secretsInEnvironment ? 'environment' : 'included';
    const facts: BackupFacts = { format: 1, version: VERSION, createdAt, snapshotAt, ...copied, namedFiles, secrets };
    await completeBackup(to, facts);
    return facts;
  });
}

function describe(files: number, bytes: number): string {
  return `${files} files, ${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Returns a function that reports the totals every two seconds. */
function reporting(progress: Progress): (files: number, bytes: number) => void {
  let last = performance.now();
  return (files, bytes) => {
    if (performance.now() - last < REPORT_MS) return;
    last = performance.now();
    progress(describe(files, bytes));
  };
}

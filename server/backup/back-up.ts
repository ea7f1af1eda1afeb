import { chmod, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { keepFiles, requireHold } from '../cluster/index.ts';
import { type Database, snapshotEmbedded } from '../db/index.ts';
import { createVerifier, type ObjectStore } from '../storage/index.ts';
import { VERSION } from '../version.ts';
import { BackupError, type BackupFacts, completeBackup, openBackup, type Progress } from './backup-directory.ts';
import { copyFiles } from './copy-files.ts';
import { checkNamedFiles, describeFaults, type FileFault } from './named-files.ts';

interface BackUpInput {
  /** The embedded database, as it is open. */
  database: Pick<Database, 'chores'>;
  dataDirectory: string;
  /** New or empty directory. */
  to: string;
  /** The secret of the keys is a setting and not a file. */
  secretsInEnvironment: boolean;
  /** Store of the files if it is outside of `dataDirectory`: its own program copies them, during a hold. */
  bucket: ObjectStore | null;
  progress: Progress;
  /** Leaves missing and damaged files out instead of failing. @default false */
  skipsFaults?: boolean;
}

const REPORT_MS = 2000;

/**
 * Copies database, files and secrets of a service that may be running: first a snapshot of the database, then the files,
 * none of which is deleted meanwhile. Files in a bucket are not copied. Checks at the end that every file is there that the
 * snapshot names, with the bytes that were told; of files in a bucket their size.
 * @throws BackupError, also if the files are in a bucket and no hold keeps them; Error of the file system or the bucket
 */
export async function backUp(input: BackUpInput): Promise<BackupFacts> {
  const { database, to, bucket, progress } = input;
  const createdAt = new Date().toISOString();
  if (bucket) await requireHold(database.chores);
  await openBackup(to);
  if (bucket) return copyAll(input, createdAt, new AbortController().signal);
  progress('waiting for removals that run');
  return keepFiles(database.chores, (signal) => copyAll(input, createdAt, signal));
}

async function copyAll(input: BackUpInput, createdAt: string, signal: AbortSignal): Promise<BackupFacts> {
  const { dataDirectory, to, bucket, progress } = input;
  const snapshotAt = new Date().toISOString();
  await snapshotEmbedded(join(dataDirectory, 'db'), join(to, 'db'));
  for (const name of await readdir(join(to, 'db'))) await chmod(join(to, 'db', name), 0o600);
  progress('the database is copied');
  await mkdir(join(to, 'files'), { mode: 0o700 });
  const copied = bucket ? { files: 0, bytes: 0, store: bucket.place } : await copyFolder(input, signal);
  await copyFiles({ from: join(dataDirectory, 'secrets'), to: join(to, 'secrets') });
  const verifier = createVerifier();
  const check: ObjectStore['check'] = (key, told) =>
    bucket ? bucket.check(key, told) : verifier.check(join(to, 'files', key), told);
  progress('comparing the files with their hashes');
  const { namedFiles, faults } = await checkNamedFiles(to, check);
  if (faults.length > 0 && !input.skipsFaults) throw new BackupError(describeFaults(faults));
  const left = bucket ? copied : await leaveOut(to, copied, faults);
  for (const { path, state } of faults) progress(`left out, ${state}: ${path}`);
  signal.throwIfAborted();
  const secrets = input.secretsInEnvironment ? 'environment' : 'included';
  const leftOut = faults.length > 0 ? { leftOut: faults } : {};
  const made = { format: 1, version: VERSION, createdAt, snapshotAt } as const;
  const facts: BackupFacts = { ...made, ...left, namedFiles, ...leftOut, secrets };
  await completeBackup(to, facts);
  return facts;
}

async function copyFolder({ dataDirectory, to, progress }: BackUpInput, signal: AbortSignal) {
  const from = join(dataDirectory, 'files');
  const copied = await copyFiles({ from, to: join(to, 'files'), links: true, onFile: reporting(progress), signal });
  progress(`${describe(copied.files, copied.bytes)}, which are all`);
  return copied;
}

/** Removes damaged files from a backup. Returns what it still holds. */
async function leaveOut(to: string, copied: { files: number; bytes: number }, faults: FileFault[]) {
  let { files, bytes } = copied;
  for (const path of new Set(faults.map((fault) => fault.path))) {
    const found = await stat(join(to, 'files', path)).catch(() => null);
    if (!found) continue;
    await rm(join(to, 'files', path));
    files -= 1;
    bytes -= found.size;
  }
  return { files, bytes };
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

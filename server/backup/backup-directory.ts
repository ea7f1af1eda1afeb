import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../storage/index.ts';
import type { FileFault } from './named-files.ts';

/** Thrown if a backup cannot be made or restored for a reason that the operator can change. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** Reports progress in a line each. */
export type Progress = (line: string) => void;

/** Contents of `backup.json`, which is written last: a directory without it is no whole backup. */
export interface BackupFacts {
  format: 1;
  /** Version of the service that made it. */
  version: string;
  createdAt: string;
  /** The moment of the database's snapshot. */
  snapshotAt: string;
  files: number;
  bytes: number;
  /** Place of the files if they are in a bucket, which is not copied. */
  store?: string;
  /** Files that the database names; each of them is there and has its hash, apart from `leftOut`. */
  namedFiles: number;
  /** Files that were missing or damaged. Absent: none. */
  leftOut?: FileFault[];
  /** `environment`: the secret of the keys is `API_KEY_PEPPER` and not in the backup. */
  secrets: 'included' | 'environment';
}

const FACTS = 'backup.json';
const FORMAT = 1;

/** Creates the directory of a new backup. @throws BackupError if anything is in it */
export async function openBackup(directory: string): Promise<void> {
  await makeDirectory(directory);
  const found = await readdir(directory);
  if (found.length === 0) return;
  const text = found.includes(FACTS) ? 'holds a backup' : 'is not empty; it may hold a backup that was interrupted';
  throw new BackupError(`--to: ${directory} ${text}. Name a new directory`);
}

/** Marks a backup as whole. */
export async function completeBackup(directory: string, facts: BackupFacts): Promise<void> {
  const draft = join(directory, `${FACTS}.part`);
  await writeFile(draft, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(draft, join(directory, FACTS));
}

/** Reads the facts of a whole backup. @throws BackupError if it is none, or of another format */
export async function readBackup(directory: string): Promise<BackupFacts> {
  const text = await readFile(join(directory, FACTS), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new BackupError(
      `--from: ${directory} is not a whole backup: ${FACTS}, which is written last, is missing. Use another backup`,
    );
  });
  const facts = parseFacts(text);
  if (facts?.format !== FORMAT)
    throw new BackupError(`--from: expected a backup of format ${FORMAT}, but found ${facts?.format}`);
  if (!Number.isInteger(facts.files) || !Number.isInteger(facts.bytes)) throw damaged(directory);
  return facts;

  function parseFacts(json: string): BackupFacts | null {
    try {
      return JSON.parse(json);
    } catch {
      throw damaged(directory);
    }
  }
}

function damaged(directory: string): BackupError {
  return new BackupError(`--from: ${FACTS} of ${directory} is damaged. Use another backup`);
}

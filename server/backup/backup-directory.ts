import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, EMBEDDED_TIMEOUT_MS, openDatabase, startEmbedded } from '../db/index.ts';
import { makeDirectory } from '../storage/index.ts';

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
  /** Files that the database names; each of them is there. */
  namedFiles: number;
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

/** A file as the database names it; `size` in bytes. */
interface NamedFile {
  path: string;
  size: number;
}

/** Files that are checked at the same time: a bucket takes some ten milliseconds for each. */
const AT_ONCE = 16;
/** A day, so that nothing expires while it is checked. */
const TTL_SECONDS = 86_400;

/** Returns the bytes of the file of a key; null if it is missing. */
type SizeOf = (key: string) => Promise<number | null>;

/** Opens the database of a backup and checks each file that it names. @returns their number @throws BackupError */
export async function requireNamedFiles(backup: string, sizeOf: SizeOf): Promise<number> {
  const directory = join(backup, 'db');
  const embedded = await startEmbedded({ directory, ttlSeconds: TTL_SECONDS });
  try {
    const database = await openDatabase({ uri: embedded.uri, timeoutMs: EMBEDDED_TIMEOUT_MS, alone: true });
    try {
      return await countNamedFiles(database, sizeOf);
    } finally {
      await database.close();
    }
  } finally {
    await embedded.close();
    for (const name of await readdir(directory)) if (name !== 'data.mdb') await rm(join(directory, name));
  }
}

async function countNamedFiles({ images, outputs, sessions }: Database, sizeOf: SizeOf): Promise<number> {
  const kept = new Map<string, boolean>();
  let named = 0;
  let batch: NamedFile[] = [];
  const checkBatch = async () => {
    await Promise.all(batch.map((file) => requireFile(file, sizeOf)));
    named += batch.length;
    batch = [];
  };
  for (const repository of [images, outputs]) {
    for await (const { sessionId, path, size } of repository.namedFiles()) {
      const isKept = kept.get(sessionId) ?? (await sessions.isKept(sessionId));
      kept.set(sessionId, isKept);
      // A session that is being deleted may have lost files already; its removal continues after a restore.
      if (isKept) batch.push({ path, size });
      if (batch.length === AT_ONCE) await checkBatch();
    }
  }
  await checkBatch();
  return named;
}

async function requireFile({ path, size }: NamedFile, sizeOf: SizeOf): Promise<void> {
  const found = await sizeOf(path);
  if (found === size) return;
  const state = found === null ? 'it is missing' : `it has ${found}`;
  throw new BackupError(`The database names ${path} with ${size} bytes, but ${state}: the backup is not whole`);
}

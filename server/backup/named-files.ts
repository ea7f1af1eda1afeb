import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, EMBEDDED_TIMEOUT_MS, openDatabase, startEmbedded } from '../db/index.ts';
import { BackupError } from './backup-directory.ts';

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
      // A session that is being deleted may have lost files already; its removal goes on after a restore.
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

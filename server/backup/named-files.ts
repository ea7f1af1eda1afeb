import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, EMBEDDED_TIMEOUT_MS, openDatabase, startEmbedded } from '../db/index.ts';
import { BackupError } from './backup-directory.ts';

/** A day, so that nothing expires while it is checked. */
const TTL_SECONDS = 86_400;

/** Opens the database of a backup and checks each file that it names. @returns their number @throws BackupError */
export async function requireNamedFiles(backup: string): Promise<number> {
  const directory = join(backup, 'db');
  const embedded = await startEmbedded({ directory, ttlSeconds: TTL_SECONDS });
  try {
    const database = await openDatabase({ uri: embedded.uri, timeoutMs: EMBEDDED_TIMEOUT_MS, alone: true });
    try {
      return await countNamedFiles(database, join(backup, 'files'));
    } finally {
      await database.close();
    }
  } finally {
    await embedded.close();
    for (const name of await readdir(directory)) if (name !== 'data.mdb') await rm(join(directory, name));
  }
}

async function countNamedFiles({ images, outputs, sessions }: Database, files: string): Promise<number> {
  const kept = new Map<string, boolean>();
  let named = 0;
  for (const repository of [images, outputs]) {
    for await (const { sessionId, path, size } of repository.namedFiles()) {
      const isKept = kept.get(sessionId) ?? (await sessions.isKept(sessionId));
      kept.set(sessionId, isKept);
      // A session that is being deleted may have lost files already; its removal goes on after a restore.
      if (!isKept) continue;
      const found = await stat(join(files, path)).catch(() => null);
      if (found?.size !== size) {
        const state = found ? `it has ${found.size}` : 'it is missing';
        throw new BackupError(`The database names ${path} with ${size} bytes, but ${state}: the backup is not whole`);
      }
      named += 1;
    }
  }
  return named;
}

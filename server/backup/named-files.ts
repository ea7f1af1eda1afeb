import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, EMBEDDED_TIMEOUT_MS, type NamedFile, openDatabase, startEmbedded } from '../db/index.ts';
import type { ObjectStore } from '../storage/index.ts';

/** A file that the database names and the backup cannot hold. */
export interface FileFault {
  /** Key of the file. */
  path: string;
  sessionId: string;
  imageId: string;
  state: 'missing' | 'damaged';
}

/** Files that are checked at the same time: a bucket takes some ten milliseconds for each. */
const AT_ONCE = 16;
/** A day, so that nothing expires while it is checked. */
const TTL_SECONDS = 86_400;

/** Opens the database of a backup and compares each file that it names with its hash. */
export async function checkNamedFiles(backup: string, check: ObjectStore['check']) {
  const directory = join(backup, 'db');
  const embedded = await startEmbedded({ directory, ttlSeconds: TTL_SECONDS });
  try {
    const database = await openDatabase({ uri: embedded.uri, timeoutMs: EMBEDDED_TIMEOUT_MS, alone: true });
    try {
      return await checkAll(database, check);
    } finally {
      await database.close();
    }
  } finally {
    await embedded.close();
    for (const name of await readdir(directory)) if (name !== 'data.mdb') await rm(join(directory, name));
  }
}

async function checkAll({ images, outputs, sessions }: Database, check: ObjectStore['check']) {
  const kept = new Map<string, boolean>();
  const faults: FileFault[] = [];
  let namedFiles = 0;
  let batch: NamedFile[] = [];
  const checkBatch = async () => {
    const states = await Promise.all(batch.map((file) => check(file.path, file)));
    for (const [index, { path, sessionId, imageId }] of batch.entries()) {
      const state = states[index];
      if (state === 'missing' || state === 'damaged') faults.push({ path, sessionId, imageId, state });
    }
    namedFiles += batch.length;
    batch = [];
  };
  for (const repository of [images, outputs]) {
    for await (const file of repository.namedFiles()) {
      const isKept = kept.get(file.sessionId) ?? (await sessions.isKept(file.sessionId));
      kept.set(file.sessionId, isKept);
      // A session that is being deleted may have lost files already; its removal continues after a restore.
      if (isKept) batch.push(file);
      if (batch.length === AT_ONCE) await checkBatch();
    }
  }
  await checkBatch();
  return { namedFiles, faults };
}

const MOST_SHOWN = 20;

/** Says which files are missing or damaged, and the ways out. */
export function describeFaults(faults: FileFault[]): string {
  const lines = faults
    .slice(0, MOST_SHOWN)
    .map(({ path, sessionId, imageId, state }) => `  ${path}, of image ${imageId} in session ${sessionId}: ${state}`);
  const more = faults.length > MOST_SHOWN ? [`  and ${faults.length - MOST_SHOWN} more`] : [];
  return [
    `The backup is not whole: ${faults.length} of the files that the database names cannot be copied.`,
    ...lines,
    ...more,
    'Repair a file below variants/ by a sample of its image with the settings of the export, which is free; put a file back from an older backup;',
    'or delete the session (DELETE /v1/sessions/SESSION) whose file is lost. Then repeat the backup in a new directory.',
    'With --faults skip the backup is made without these files, and backup.json lists them as leftOut.',
  ].join('\n');
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChoreRepository } from '../db/index.ts';
import { DELETING_CHORES, KEEP_FILES } from './chores.ts';

/** Dependencies of {@link keepFiles}. */
export interface KeepFilesDeps {
  repository: ChoreRepository;
  /** Longest time without a renewal, in ms. @default 60000 */
  holdMs?: number;
  /** Longest wait for a removal that runs, in ms. @default 600000 */
  waitMs?: number;
}

const POLL_MS = 200;

/**
 * Keeps every file from being deleted while `work` runs, on all servers of the database: waits for the removals that run,
 * and renews the hold until the end.
 * @throws Error if another backup runs, or a removal does not end
 */
export async function keepFiles<T>(deps: KeepFilesDeps, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { repository, holdMs = 60_000, waitMs = 600_000 } = deps;
  const owner = `backup:${randomUUID()}`;
  const claim = () => ({ name: KEEP_FILES, owner, until: new Date(Date.now() + holdMs) });
  if (!(await repository.claim(claim(), new Date())))
    throw new Error('Another backup is running; repeat this one when it has ended');
  const lost = new AbortController();
  const renew = async () => {
    const kept = await repository.renew(claim()).catch(() => true);
    if (!kept) lost.abort(new Error('The hold on the files was lost, so the backup may lack files; repeat it'));
  };
  const renewal = setInterval(() => void renew(), holdMs / 4);
  try {
    await untilNothingDeletes(repository, waitMs);
    const result = await work(lost.signal);
    if (!(await repository.renew(claim()))) lost.abort(new Error('The hold on the files was lost; repeat the backup'));
    lost.signal.throwIfAborted();
    return result;
  } finally {
    clearInterval(renewal);
    await repository.release({ name: KEEP_FILES, owner, until: new Date() }).catch(() => {});
  }
}

/** Keeps files for a fixed time, for a backup by other programs. Replaces an earlier hold. */
export async function keepFilesUntil(repository: ChoreRepository, until: Date): Promise<void> {
  if (!(await repository.claim({ name: KEEP_FILES, owner: OPERATOR, until }, new Date())))
    throw new Error('A backup is running and keeps the files already');
  await untilNothingDeletes(repository, 600_000);
}

/** Checks that files are kept for a backup by other programs. @throws Error if they are not */
export async function requireHold(repository: ChoreRepository): Promise<void> {
  if ((await repository.running([KEEP_FILES], new Date())).length > 0) return;
  throw new Error(
    'FILES_URL: the files are in a bucket, which other programs copy. Run `backup hold --minutes N` first, then `backup`, copy the bucket, and run `backup release`',
  );
}

/** Ends the hold of {@link keepFilesUntil}. */
export async function keepFilesNoMore(repository: ChoreRepository): Promise<void> {
  await repository.release({ name: KEEP_FILES, owner: OPERATOR, until: new Date() });
}

const OPERATOR = 'backup:operator';

async function untilNothingDeletes(repository: ChoreRepository, waitMs: number): Promise<void> {
  const givesUpAt = performance.now() + waitMs;
  while ((await repository.running(DELETING_CHORES, new Date())).length > 0) {
    if (performance.now() > givesUpAt) throw new Error('A removal of files does not end; repeat the backup later');
    await sleep(POLL_MS);
  }
}

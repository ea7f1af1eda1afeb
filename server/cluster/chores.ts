import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChoreRepository } from '../db/index.ts';

/** Periodic work of the whole cluster. */
export interface Chore {
  name: string;
  everyMs: number;
  /** Removes files or their records; rests while a backup keeps the files. @default false */
  deletes?: boolean;
  /** Runs at the start too. @default false */
  atOnce?: boolean;
  run: () => Promise<unknown>;
}

interface ChoresDeps {
  repository: ChoreRepository;
  /** No other service uses the data. */
  alone: boolean;
}

const LEASE_MS = 60_000;
const RENEW_MS = 20_000;
/** Part of the interval in which a chore that was done is not due again, so that servers do not take turns at it. */
const REST = 0.8;

/** Creates the leases of periodic work, which one server of a database does at a time. */
export function createChores({ repository, alone }: ChoresDeps) {
  const owner = `${hostname()}:${process.pid}:${randomUUID()}`;
  const after = (ms: number) => new Date(Date.now() + ms);

  async function holdDuring(name: string, restMs: number, run: () => Promise<unknown>): Promise<void> {
    if (!(await repository.claim({ name, owner, until: after(LEASE_MS) }, new Date()))) return;
    const next = after(alone ? 0 : restMs);
    const renewal = setInterval(
      () => void repository.renew({ name, owner, until: after(LEASE_MS) }).catch(() => {}),
      RENEW_MS,
    );
    try {
      await run();
    } finally {
      clearInterval(renewal);
      await repository.release({ name, owner, until: next });
    }
  }

  const keepsFiles = async () => (await repository.running([KEEP_FILES], new Date())).length > 0;

  return {
    /** Removes claims of processes that have ended; only for a service that is alone. */
    forgetOthers: () => repository.freeAllBut(KEEP_FILES),

    /** Returns true while a backup needs every file that the database names. */
    keepsFiles,

    /** Returns the task as it runs on one server of the cluster at a time. */
    once({ deletes = false, ...task }: Chore): Omit<Chore, 'deletes'> {
      // Without other servers only a backup has to know what runs.
      if (alone && !deletes) return task;
      const run = async () => {
        // After the claim: a backup first keeps the files, then waits for the chores that run.
        if (!deletes || !(await keepsFiles())) await task.run();
      };
      return { ...task, run: () => holdDuring(task.name, task.everyMs * REST, run) };
    },
  };
}

/** Chore of a backup: while it is held, no file is deleted. */
const KEEP_FILES = 'keep files';

/** Chores that delete files. */
const DELETING_CHORES = [
  'remove sessions',
  'remove accounts',
  'remove refused files',
  'trim the cache',
  'remove orphaned folders',
  'remove orphaned variants',
] as const;

const POLL_MS = 200;
/** Longest wait for a removal that runs, in milliseconds. */
const REMOVAL_WAIT_MS = 600_000;

/**
 * Keeps every file from being deleted while `work` runs, on all servers of the database: waits for the removals that run,
 * and renews the hold until the end.
 * @throws Error if another backup runs, or a removal does not end
 */
export async function keepFiles<T>(repository: ChoreRepository, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const owner = `backup:${randomUUID()}`;
  const claim = () => ({ name: KEEP_FILES, owner, until: new Date(Date.now() + LEASE_MS) });
  if (!(await repository.claim(claim(), new Date())))
    throw new Error('Another backup is running; repeat this one when it has ended');
  const lost = new AbortController();
  const renew = async () => {
    const kept = await repository.renew(claim()).catch(() => true);
    if (!kept) lost.abort(new Error('The hold on the files was lost, so the backup may lack files; repeat it'));
  };
  const renewal = setInterval(() => void renew(), LEASE_MS / 4);
  try {
    await untilNothingDeletes(repository);
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
  await untilNothingDeletes(repository);
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

async function untilNothingDeletes(repository: ChoreRepository): Promise<void> {
  const givesUpAt = performance.now() + REMOVAL_WAIT_MS;
  while ((await repository.running(DELETING_CHORES, new Date())).length > 0) {
    if (performance.now() > givesUpAt) throw new Error('A removal of files does not end; repeat the backup later');
    await sleep(POLL_MS);
  }
}

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
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

/** Dependencies of {@link createChores}. */
export interface ChoresDeps {
  repository: ChoreRepository;
  /** No other service uses the data. */
  alone: boolean;
  /** @default the clock */
  now?: () => Date;
}

const LEASE_MS = 60_000;
const RENEW_MS = 20_000;
/** Part of the interval in which a chore that was done is not due again, so that servers do not take turns at it. */
const REST = 0.8;

/** Creates the leases of periodic work, which one server of a database does at a time. */
export function createChores({ repository, alone, now = () => new Date() }: ChoresDeps) {
  const owner = `${hostname()}:${process.pid}:${randomUUID()}`;
  const after = (ms: number) => new Date(now().getTime() + ms);

  async function holdDuring(name: string, restMs: number, run: () => Promise<unknown>): Promise<void> {
    if (!(await repository.claim({ name, owner, until: after(LEASE_MS) }, now()))) return;
    const next = alone ? now() : after(restMs);
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

  const keepsFiles = async () => (await repository.running([KEEP_FILES], now())).length > 0;

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
export const KEEP_FILES = 'keep files';

/** Chores that delete files. */
export const DELETING_CHORES = [
  'remove sessions',
  'remove accounts',
  'trim the cache',
  'remove orphaned folders',
  'remove orphaned variants',
] as const;

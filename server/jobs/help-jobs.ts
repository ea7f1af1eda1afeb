import { setMaxListeners } from 'node:events';
import { outlastOutage } from '../database-outage.ts';
import type { JobRecord } from '../db/index.ts';
import { loadJob, planTasks } from './load-job.ts';
import type { WorkContext } from './perform-job.ts';
import { runJob } from './run-job.ts';
import { sharedSource } from './share-job.ts';

/** Interval at which a server with free workers looks for jobs to help with, in milliseconds. */
const LOOK_EVERY_MS = 1000;
/** Most jobs of other servers that are worked on at once, one of an account. */
const MOST_HELPED = 4;
/** Accounts that are remembered as helped. */
const MOST_REMEMBERED = 1000;

/** Dependencies of {@link createHelper}. */
export interface HelpDeps extends Omit<WorkContext, 'outlast'> {
  /** Workers of this process that have nothing to do. */
  freeWorkers: () => number;
}

interface Helped {
  job: JobRecord;
  abort: AbortController;
  ended: Promise<void>;
}

interface Helper extends HelpDeps {
  /** Finds the next job to help with, of none of these accounts. */
  next: (busy: string[]) => Promise<JobRecord | null>;
  helped: Map<string, Helped>;
  /** Aborts when this process stops. */
  leaving: AbortController;
  looking: boolean;
}

/** Creates the help of this server with large jobs of others: it takes blocks of images while it has free workers. */
export function createHelper(deps: HelpDeps) {
  const { repositories, instanceId } = deps;
  const next = takeTurns((notOf) => repositories.jobs.findOffered(instanceId, notOf));
  const helper: Helper = { ...deps, next, helped: new Map(), leaving: new AbortController(), looking: false };
  const looks = setInterval(() => void look(helper), LOOK_EVERY_MS).unref();
  const beats = setInterval(() => void beat(helper), deps.leaseMs / 3).unref();
  return {
    /** Jobs of other servers on which this one works. */
    get size(): number {
      return helper.helped.size;
    },

    /** Stops all help and gives back what is not done. */
    async close(): Promise<void> {
      clearInterval(looks);
      helper.leaving.abort();
      for (const { abort } of helper.helped.values()) abort.abort();
      await Promise.all([...helper.helped.values()].map(({ ended }) => ended));
      clearInterval(beats);
    },
  };
}

/** Help with the jobs of other servers. */
export type JobHelper = ReturnType<typeof createHelper>;

async function beat({ helped, repositories, instanceId }: Helper): Promise<void> {
  if (helped.size > 0) await repositories.jobImages.beat([...helped.keys()], instanceId).catch(() => {});
}

/** Leaves finished jobs and joins jobs that accept help. During an outage of the database it waits for the next poll. */
async function look(helper: Helper): Promise<void> {
  if (helper.looking || helper.leaving.signal.aborted) return;
  helper.looking = true;
  try {
    await leaveEnded(helper);
    if (helper.freeWorkers() > 0) await joinOffered(helper);
  } catch {
    // The next look repeats it.
  } finally {
    helper.looking = false;
  }
}

async function leaveEnded({ helped, repositories }: Helper): Promise<void> {
  if (helped.size === 0) return;
  const states = new Map((await repositories.jobs.findStates([...helped.keys()])).map((state) => [state._id, state]));
  for (const [id, { abort }] of helped) {
    const state = states.get(id);
    if (!state || state.stopRequested || state.lastEvent !== null) abort.abort();
  }
}

/**
 * Lets accounts take turns: returns the oldest job of an account that has not had one since all others that have any, however
 * many jobs one account has.
 */
export function takeTurns(findOldest: (notOf: string[]) => Promise<JobRecord | null>) {
  const recent = new Set<string>();
  return async (busy: string[]): Promise<JobRecord | null> => {
    let job = await findOldest([...busy, ...recent]);
    if (!job && recent.size > 0) {
      recent.clear();
      job = await findOldest(busy);
    }
    if (recent.size >= MOST_REMEMBERED) recent.clear();
    if (job) recent.add(job.accountId);
    return job;
  };
}

/** Joins one more job, of an account that is not helped here. */
async function joinOffered(helper: Helper): Promise<void> {
  const { helped, next, leaving } = helper;
  if (helped.size >= MOST_HELPED) return;
  const job = await next([...helped.values()].map(({ job }) => job.accountId));
  if (!job || leaving.signal.aborted) return;
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  const ended = help(helper, job, abort)
    .catch((err: unknown) =>
      helper.logger.warn({ err, jobId: job._id }, 'help with a job of another server ended early'),
    )
    .finally(() => helped.delete(job._id));
  helped.set(job._id, { job, abort, ended });
}

/** Processes open images of a job until there are none. */
async function help(helper: Helper, job: JobRecord, { signal }: AbortController): Promise<void> {
  const { feeds, repositories, instanceId, logger, metrics, kinds } = helper;
  const context = { ...helper, outlast: <T>(work: () => Promise<T>) => outlastOutage(work, signal) };
  const feed = feeds.open(job._id);
  try {
    const loaded = await loadJob({ job, feed }, context);
    const { kind, writer } = loaded;
    const source = sharedSource(loaded, await planTasks(loaded, signal, context), context);
    const saveResult = async (record: Parameters<typeof repositories.imageResults.insert>[0]) => {
      await context.outlast(() => repositories.imageResults.insert(record));
      const format = kinds[job.kind].formatOf(record.result);
      metrics.imageFinished({ operation: job.kind, format, outcome: record.result.status });
    };
    const run = { job: loaded.job, kind, source, isHeard: () => true, emit: writer.write, saveResult, logger, metrics };
    try {
      await runJob(run, signal);
    } finally {
      await writer.flush();
    }
  } finally {
    feeds.release(feed);
    await outlastOutage(() => repositories.jobImages.giveBack(job._id, instanceId), helper.leaving.signal);
  }
}

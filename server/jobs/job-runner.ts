import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { outlastOutage } from '../database-outage.ts';
import type { JobRecord } from '../db/index.ts';
import type { StopReason } from './finish-job.ts';
import { createListening, type Listening } from './listening.ts';
import { type Handover, performJob, type WorkContext } from './perform-job.ts';

/** Interval at which other servers' requests to stop jobs of this process are looked for, in milliseconds. */
const LOOK_EVERY_MS = 100;
/** Looks after which the whole state of the jobs is read: listeners elsewhere, and leases that were lost. */
const LOOKS_A_READING = 10;

/** A job that runs in this process. */
interface LiveJob {
  job: JobRecord;
  abort: AbortController;
  /** Resolves when the work has ended. */
  ended: Promise<void>;
  listening: Listening;
}

/** State of a job runner. */
interface RunnerContext extends WorkContext {
  /** Jobs that run in this process, by id. */
  live: Map<string, LiveJob>;
  leaseMs: number;
  /** Aborts when this process hands its jobs over. */
  leaving: AbortController;
  looking: boolean;
  looks: number;
}

/** Dependencies of {@link createJobRunner}. */
export type RunnerDeps = Omit<RunnerContext, 'live' | 'leaving' | 'outlast' | 'looking' | 'looks'>;

/** Creates the runner of this process's jobs: renewed leases, exactly one last event. */
export function createJobRunner(deps: RunnerDeps) {
  const live = new Map<string, LiveJob>();
  const leaving = new AbortController();
  const outlast: RunnerContext['outlast'] = (work) => outlastOutage(work, leaving.signal);
  const context: RunnerContext = { ...deps, live, leaving, outlast, looking: false, looks: 0 };
  const renewal = setInterval(() => void renewLeases(context), deps.leaseMs / 3).unref();
  const looks = setInterval(() => void look(context), LOOK_EVERY_MS).unref();

  return {
    /** Starts work on a job whose lease this process holds, unless it is running. Does not wait for its end. */
    start: (job: JobRecord, stopped: StopReason | null = null, done = 0): void => startJob(context, job, stopped, done),

    /** Returns true when a job runs in this process. */
    has: (jobId: string): boolean => live.has(jobId),

    /** Resolves when no work on a job is in progress in this process. */
    async ended(jobId: string): Promise<void> {
      await live.get(jobId)?.ended;
    },

    /** Counts a listener of a job, if it runs in this process, until the returned function is called. */
    join: (jobId: string): (() => void) => live.get(jobId)?.listening.join() ?? (() => {}),

    /** Jobs that run in this process. */
    get size(): number {
      return live.size;
    },

    /** Stops a job and resolves when its end is stored. Returns false when it does not run in this process. */
    async stop(jobId: string, reason: StopReason): Promise<boolean> {
      const running = live.get(jobId);
      running?.abort.abort(reason);
      await running?.ended;
      return running !== undefined;
    },

    /** Stops every job of a session that runs in this process. */
    async stopSession(sessionId: string): Promise<void> {
      const running = [...live.values()].filter(({ job }) => job.sessionId === sessionId);
      for (const { abort } of running) abort.abort('session_deleted' satisfies StopReason);
      await Promise.all(running.map(({ ended }) => ended));
    },

    /** Waits up to `waitMs` for running jobs, then releases the others to the recovery of another process. */
    async drain(waitMs: number): Promise<void> {
      await waitForJobs(live, waitMs);
      clearInterval(renewal);
      clearInterval(looks);
      leaving.abort();
      for (const { abort } of live.values()) abort.abort('handover' satisfies Handover);
      // Read again: a job that was admitted before may have started since.
      await Promise.all([...live.values()].map(({ ended }) => ended));
    },
  };
}

/** Runs the jobs of this process. */
export type JobRunner = ReturnType<typeof createJobRunner>;

async function renewLeases({ live, repositories, instanceId, leaseMs, now }: RunnerContext): Promise<void> {
  if (live.size === 0) return;
  await repositories.jobs
    .renewLeases([...live.keys()], instanceId, new Date(now().getTime() + leaseMs))
    // The jobs continue during an outage; another server can take them only when the database is back.
    .catch(() => {});
}

/** Looks for what other servers did to the jobs of this process. An outage of the database is left to the next look. */
async function look(context: RunnerContext): Promise<void> {
  if (context.looking || context.live.size === 0) return;
  context.looking = true;
  try {
    await (context.looks % LOOKS_A_READING === 0 ? readStates(context) : takeStopRequests(context));
    context.looks += 1;
  } catch {
    // The next look repeats it.
  } finally {
    context.looking = false;
  }
}

async function takeStopRequests({ live, repositories, instanceId }: RunnerContext): Promise<void> {
  for (const { _id, stopRequested } of await repositories.jobs.findStopRequests(instanceId))
    live.get(_id)?.abort.abort(stopRequested satisfies StopReason);
}

/** Reads what other servers ask of the jobs of this process, who listens there, and which of them it has lost. */
async function readStates({ live, repositories, instanceId }: RunnerContext): Promise<void> {
  const ids = [...live.keys()];
  const found = new Map((await repositories.jobs.findStates(ids)).map((state) => [state._id, state]));
  for (const id of ids) {
    const running = live.get(id);
    const state = found.get(id);
    if (!running) continue;
    if (state) running.listening.seen(state.listened);
    if (state?.stopRequested) running.abort.abort(state.stopRequested satisfies StopReason);
    else if (state?.leaseOwner !== instanceId && state?.lastEvent === null)
      running.abort.abort('handover' satisfies Handover);
  }
}

function startJob(context: RunnerContext, job: JobRecord, stopped: StopReason | null, done: number): void {
  const { live, leaving, admission, kinds, logger, repositories } = context;
  if (live.has(job._id)) return;
  if (leaving.signal.aborted) {
    admission.forget(job._id);
    return;
  }
  const owner = { accountId: job.accountId, isPaid: kinds[job.kind].isPaid };
  admission.readmit(job._id, job.total - done, owner);
  const abort = new AbortController();
  // Each image of the job that waits or is processed listens to the signal.
  setMaxListeners(0, abort.signal);
  if (stopped) abort.abort(stopped);
  const feed = context.feeds.open(job._id, { fresh: job.attempts === 0, live: true });
  const listening = createListening({
    stopsAfterMs: kinds[job.kind].stopsUnheardAfterMs,
    isTakenOver: job.attempts > 0,
    listened: job.listened,
    readListened: async () => (await repositories.jobs.findStates([job._id]))[0]?.listened ?? 0,
    stop: () => abort.abort('client_left' satisfies StopReason),
  });
  const ended = performJob({ job, feed, abort, isHeard: listening.isHeard }, context)
    .catch((error: unknown) => logger.error({ err: error, jobId: job._id }, 'a job stopped unexpectedly'))
    .finally(() => {
      live.delete(job._id);
      listening.close();
      admission.forget(job._id);
      // The end of a job that was handed over comes from another server.
      feed.live = false;
      context.feeds.release(feed);
    });
  live.set(job._id, { job, abort, ended, listening });
}

/** Resolves when the jobs that run at the moment have ended, or after `waitMs`. */
async function waitForJobs(live: RunnerContext['live'], waitMs: number): Promise<void> {
  const waited = new AbortController();
  const deadline = sleep(waitMs, undefined, { signal: waited.signal }).catch(() => {});
  await Promise.race([Promise.all([...live.values()].map(({ ended }) => ended)), deadline]);
  waited.abort();
}

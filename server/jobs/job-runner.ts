import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImageResultRecord, JobRecord } from '../db/index.ts';
import { outlastOutage } from './database-outage.ts';
import { createEventLog, type EventLog, eventsOf, type NumberedEvent } from './event-log.ts';
import type { StopReason } from './finish-job.ts';
import { type Handover, performJob, type WorkContext } from './perform-job.ts';

/** Longest wait of a job that needs a listener for its first one, in milliseconds. */
const ARRIVAL_MS = 300;
/** The same after the job was taken over from another process, in milliseconds: clients return after `retry`. */
const RETURN_MS = 15_000;

/** A job that runs in this process. */
interface LiveJob {
  job: JobRecord;
  log: EventLog;
  abort: AbortController;
  /** Resolves when the work has ended. */
  ended: Promise<void>;
  silence: Silence;
}

/** Who listens to a job. */
interface Silence {
  /** Current readers of the events. */
  listeners: number;
  /** Stops the job, unless somebody listens again. */
  timer: NodeJS.Timeout | undefined;
}

/** State of a job runner. */
interface RunnerContext extends WorkContext {
  /** Jobs that run in this process, by id. */
  live: Map<string, LiveJob>;
  leaseMs: number;
  /** Aborts when this process hands its jobs over. */
  leaving: AbortController;
}

/** Dependencies of {@link createJobRunner}. */
export type RunnerDeps = Omit<RunnerContext, 'live' | 'leaving' | 'outlast'>;

/** Creates the runner of this process's jobs: one event log per job, renewed leases, exactly one last event. */
export function createJobRunner(deps: RunnerDeps) {
  const live = new Map<string, LiveJob>();
  const leaving = new AbortController();
  const context: RunnerContext = { ...deps, live, leaving, outlast: (work) => outlastOutage(work, leaving.signal) };
  const renewal = setInterval(() => void renewLeases(context), deps.leaseMs / 3).unref();

  return {
    /** Starts work on a job whose lease this process holds, unless it is running. Does not wait for its end. */
    start: (job: JobRecord, stopped: StopReason | null = null, earlier: ImageResultRecord[] = []): void =>
      startJob(context, job, stopped, earlier),

    /** Returns true when a job runs in this process. */
    has: (jobId: string): boolean => live.has(jobId),

    /** Resolves when no work on a job is in progress in this process. */
    async ended(jobId: string): Promise<void> {
      await live.get(jobId)?.ended;
    },

    /** Yields live events after the number `after`; undefined when the job does not run in this process. */
    listen(jobId: string, after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent> | undefined {
      const running = live.get(jobId);
      return running && readEvents(context, running, after, signal);
    },

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
  await Promise.all(
    [...live.values()].map(async ({ job, abort }) => {
      const renewed = await repositories.jobs
        .renewLease(job._id, instanceId, new Date(now().getTime() + leaseMs))
        // The job continues during an outage; another server can take it only when the database is back.
        .catch(() => undefined);
      if (renewed === null && live.has(job._id)) abort.abort('handover' satisfies Handover);
      if (renewed?.stopRequested) abort.abort(renewed.stopRequested satisfies StopReason);
    }),
  );
}

function startJob(
  context: RunnerContext,
  job: JobRecord,
  stopped: StopReason | null,
  earlier: ImageResultRecord[],
): void {
  const { live, leaving, admission, kinds, logger } = context;
  if (live.has(job._id)) return;
  if (leaving.signal.aborted) {
    admission.forget(job._id);
    return;
  }
  const owner = { accountId: job.accountId, isPaid: kinds[job.kind].isPaid };
  admission.readmit(job._id, job.images.length - earlier.length, owner);
  const abort = new AbortController();
  // Each image of the job that waits or is processed listens to the signal.
  setMaxListeners(0, abort.signal);
  const log = createEventLog(eventsOf(earlier));
  if (stopped) abort.abort(stopped);
  const silence: Silence = { listeners: 0, timer: undefined };
  const isHeard = () => silence.listeners > 0 || kinds[job.kind].stopsUnheardAfterMs === null;
  const ended = performJob({ job, log, abort, isHeard, earlier }, context)
    .catch((error: unknown) => logger.error({ err: error, jobId: job._id }, 'a job stopped unexpectedly'))
    .finally(() => {
      live.delete(job._id);
      clearTimeout(silence.timer);
      admission.forget(job._id);
      log.close();
    });
  const running = { job, log, abort, ended, silence };
  live.set(job._id, running);
  // The client may disconnect before it listens, or never return to a job that was taken over.
  const graceMs = job.attempts > 0 ? RETURN_MS : ARRIVAL_MS;
  stopUnheard(kinds, running, graceMs);
}

async function* readEvents(
  { kinds }: RunnerContext,
  running: LiveJob,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent> {
  running.silence.listeners += 1;
  clearTimeout(running.silence.timer);
  try {
    yield* running.log.read(after, signal);
  } finally {
    running.silence.listeners -= 1;
    stopUnheard(kinds, running, 0);
  }
}

/** Stops a job of a kind that needs a listener if nobody listens for as long as the kind says, and for `leastMs`. */
function stopUnheard(kinds: RunnerContext['kinds'], { job, abort, silence }: LiveJob, leastMs: number): void {
  const { stopsUnheardAfterMs } = kinds[job.kind];
  if (stopsUnheardAfterMs === null || silence.listeners > 0) return;
  const waitMs = Math.max(stopsUnheardAfterMs, leastMs);
  const stop = () => abort.abort('client_left' satisfies StopReason);
  clearTimeout(silence.timer);
  if (waitMs > 0) silence.timer = setTimeout(stop, waitMs).unref();
  else stop();
}

/** Resolves when the jobs that run at the moment have ended, or after `waitMs`. */
async function waitForJobs(live: RunnerContext['live'], waitMs: number): Promise<void> {
  const waited = new AbortController();
  const deadline = sleep(waitMs, undefined, { signal: waited.signal }).catch(() => {});
  await Promise.race([Promise.all([...live.values()].map(({ ended }) => ended)), deadline]);
  waited.abort();
}

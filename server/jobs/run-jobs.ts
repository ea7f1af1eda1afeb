import { setMaxListeners } from 'node:events';
import { waitAtMost } from '../concurrency.ts';
import type { JobLease, JobRecord } from '../db/index.ts';
import { breakOff } from './break-off.ts';
import type { Handover, StopReason } from './job-kind.ts';
import { type JobsContext, POLL_EVERY_MS } from './jobs-context.ts';
import { helpWithJob, performJob } from './perform-job.ts';
import { createListening } from './read-jobs.ts';

/** Time between two readings of the whole state of jobs (ends, listeners elsewhere, lost leases, jobs to help with), in milliseconds. */
const READ_EVERY_MS = 500;
/** Most jobs of other servers that are worked on at once, one of an account. */
const MOST_HELPED = 4;
/** Accounts that are remembered as helped. */
const MOST_REMEMBERED = 1000;

/**
 * Starts work on a job whose lease this process holds, unless it is running, or leaves it to a worker. Does not wait for its end.
 * @param done images with a result
 */
export function startJob(context: JobsContext, job: JobRecord, stopped: StopReason | null = null, done = 0): void {
  const { live, leaving, admission, kinds, repositories, config } = context;
  if (config.ROLE === 'api') {
    leaveToWorker(context, job);
    return;
  }
  if (live.has(job._id)) return;
  if (leaving.signal.aborted) {
    admission.forget(job._id);
    return;
  }
  const owner = { accountId: job.accountId, isPaid: kinds[job.kind].isPaid };
  admission.readmit(job._id, job.total - done, owner);
  const abort = newAbort();
  if (stopped) abort.abort(stopped);
  const feed = context.feeds.open(job._id, { fresh: job.attempts === 0, live: true });
  const listening = createListening({
    stopsAfterMs: kinds[job.kind].stopsWithoutListenerAfterMs,
    isTakenOver: job.attempts > 0,
    listened: job.listened,
    readListened: async () => (await repositories.jobs.findStates([job._id]))[0]?.listened ?? 0,
    stop: () => abort.abort('client_left' satisfies StopReason),
  });
  const ended = performJob({ job, feed, abort, hasListener: listening.hasListener }, context)
    .catch((error: unknown) => breakOff(context, feed, error))
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

/** Stops a job and resolves when its end is stored. Returns false when it does not run in this process. */
export async function stopJob({ live }: JobsContext, jobId: string, reason: StopReason): Promise<boolean> {
  const running = live.get(jobId);
  running?.abort.abort(reason);
  await running?.ended;
  return running !== undefined;
}

/** Polls the state of the jobs of this process and renews its leases, in one loop, until the returned function is called. */
export function pollJobs(context: JobsContext): () => void {
  const { live, helped, repositories, instanceId, leaseMs } = context;
  const next = takeTurns((notOf) => repositories.jobs.findOffered(instanceId, notOf));
  let [renewedAt, readAt, isPolling] = [performance.now(), 0, false];

  async function poll(): Promise<void> {
    isPolling = true;
    try {
      if (performance.now() - readAt < READ_EVERY_MS) await takeStopRequests(context);
      else {
        readAt = performance.now();
        await readStates(context);
        await joinOffered(context, next);
      }
    } catch {
      // An outage of the database: the next poll repeats it.
    } finally {
      isPolling = false;
    }
  }

  const timer = setInterval(() => {
    if (performance.now() - renewedAt > leaseMs / 3) {
      renewedAt = performance.now();
      void sendHeartbeats(context);
    }
    if (!isPolling && (live.size > 0 || helped.size > 0 || !context.isAlone)) void poll();
  }, POLL_EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** Stops all help at once, waits up to `waitMs` for the jobs of this process, and releases the others to another one. */
export async function drainJobs({ live, helped, leaving }: JobsContext, waitMs: number): Promise<void> {
  for (const { abort } of helped.values()) abort.abort();
  await waitAtMost(waitMs, Promise.all([...live.values()].map(({ ended }) => ended)));
  leaving.abort();
  for (const { abort } of live.values()) abort.abort('handover' satisfies Handover);
  // Read again: a job that was admitted before may have started since.
  await Promise.all([...live.values(), ...helped.values()].map(({ ended }) => ended));
}

/** Frees the room of jobs that workers have ended, and returns their number. */
export async function forgetEnded({ away, admission, repositories }: JobsContext): Promise<number> {
  if (away.size === 0) return 0;
  const states = await repositories.jobs.findStates([...away]);
  const unfinished = new Set(states.filter(({ lastEvent }) => lastEvent === null).map(({ _id }) => _id));
  const ended = [...away].filter((jobId) => !unfinished.has(jobId));
  for (const jobId of ended) {
    away.delete(jobId);
    admission.forget(jobId);
  }
  return ended.length;
}

/** Leaves a paid job to the first worker that finds it, for a server that does not work on jobs. Does not wait. */
function leaveToWorker(
  { away, repositories: { jobs }, instanceId, now, outlast, logger }: JobsContext,
  job: JobRecord,
) {
  away.add(job._id);
  outlast(async () => {
    // A job that was not begun would be taken for one whose charge was interrupted.
    await jobs.begin(job._id, instanceId);
    await jobs.releaseLease(job._id, instanceId, now());
    // Its lease ends if this fails, and a worker takes it over then.
  }).catch((error: unknown) => logger.warn({ err: error, jobId: job._id }, 'a job was handed over late'));
}

/** Each image of a job that waits or is processed listens to the signal. */
function newAbort(): AbortController {
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  return abort;
}

/** Renews what this process needs: leases and sessions of the jobs that it leads, and the blocks that it has taken of others. */
async function sendHeartbeats(context: JobsContext): Promise<void> {
  const { live, helped, repositories, instanceId, keepSessions } = context;
  const sessionIds = new Set([...live.values()].map(({ job }) => job.sessionId));
  const renewed = [
    live.size > 0 && repositories.jobs.renewLeases([...live.keys()], instanceId, context.leaseEnd()),
    live.size > 0 && keepSessions([...sessionIds]),
    helped.size > 0 && repositories.jobImages.heartbeat([...helped.keys()], instanceId),
  ];
  // The work continues during an outage; another server can take it only when the database is back.
  await Promise.allSettled(renewed);
}

async function takeStopRequests({ live, repositories, instanceId }: JobsContext): Promise<void> {
  if (live.size === 0) return;
  for (const { _id, stopRequested } of await repositories.jobs.findStopRequests(instanceId))
    live.get(_id)?.abort.abort(stopRequested satisfies StopReason);
}

/** Reads what other servers ask of the jobs of this process, who listens there, which it has lost, and which have ended. */
async function readStates({ live, helped, repositories, instanceId }: JobsContext): Promise<void> {
  const [led, others] = [[...live], [...helped]];
  if (led.length + others.length === 0) return;
  const states = await repositories.jobs.findStates([...led, ...others].map(([id]) => id));
  const found = new Map(states.map((state) => [state._id, state]));
  for (const [id, { abort, listening }] of led) {
    const state = found.get(id);
    if (state) listening.updateRemote(state.listened);
    if (state?.stopRequested) abort.abort(state.stopRequested satisfies StopReason);
    else if (state?.leaseOwner !== instanceId && state?.lastEvent === null) abort.abort('handover' satisfies Handover);
  }
  for (const [id, { abort }] of others) {
    const state = found.get(id);
    if (!state || state.stopRequested || state.lastEvent !== null) abort.abort();
  }
}

/**
 * Creates a fair choice between accounts: returns the oldest job of an account that has not had one since all others that have any, however
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

/** Takes blocks of one more job of another server, of an account that is not helped here, while workers are free. */
async function joinOffered(context: JobsContext, next: (busy: string[]) => Promise<JobRecord | null>): Promise<void> {
  const { live, helped, admission, isAlone, freeWorkers, logger, config } = context;
  if (isAlone || config.ROLE === 'api' || admission.isClosed) return;
  if (helped.size >= MOST_HELPED || freeWorkers() <= 0) return;
  const job = await next([...helped.values()].map(({ job }) => job.accountId));
  if (!job || admission.isClosed || live.has(job._id)) return;
  const abort = newAbort();
  const ended = helpWithJob(job, abort, context)
    .catch((err: unknown) => logger.warn({ err, jobId: job._id }, 'help with a job of another server ended early'))
    .finally(() => helped.delete(job._id));
  helped.set(job._id, { job, abort, ended });
}

/** Most crashes of processes during a job; above it the job is ended, since it may be their cause. */
const MAX_CRASHES = 3;

/** Options of a sweep. */
interface SweepOptions {
  /** No other process uses the data: a lease of another process belongs to a dead one. @default false */
  alone?: boolean;
}

/**
 * Creates the recovery of interrupted jobs. Does not compare wall clocks, which differ between servers and may be set at
 * any time: a lease has ended when this process has seen it unchanged for the lease time, by its monotonic clock.
 * @returns takes over every job without a living owner and returns their number
 */
export function createRecovery(context: JobsContext) {
  const { repositories, instanceId, leaseMs, monotonicNow } = context;
  /** Leases of the last sweep, each with the time since which it has been unchanged. */
  let seen = new Map<string, { lease: JobLease; since: number }>();

  /** Returns the leases of jobs without a living owner. */
  async function findAbandoned(alone: boolean): Promise<JobLease[]> {
    const at = monotonicNow();
    const leases = await repositories.jobs.findLeases();
    const before = seen;
    seen = new Map(
      leases.map((lease) => {
        const last = before.get(lease._id);
        return [lease._id, last && isSame(last.lease, lease) ? last : { lease, since: at }];
      }),
    );
    return leases.filter(({ _id, leaseOwner }) => {
      if (leaseOwner === null || (alone && leaseOwner !== instanceId)) return true;
      return at - (seen.get(_id)?.since ?? at) > leaseMs;
    });
  }

  return async ({ alone = false }: SweepOptions = {}): Promise<number> => {
    let taken = 0;
    for (const lease of await findAbandoned(alone)) {
      const job = await repositories.jobs.claim(lease, instanceId, context.leaseEnd());
      if (!job) continue;
      taken += 1;
      await recover(context, job);
    }
    return taken;
  };
}

/** Ends or resumes one job. `job` is the record before it was claimed. */
async function recover(context: JobsContext, job: JobRecord): Promise<void> {
  const { repositories, live, discarded, isPaid, instanceId, config, logger, now } = context;
  // A job of this process, whose lease ended during an outage: claiming has renewed it.
  if (live.has(job._id)) return;
  if (job.state === 'created' && (discarded.has(job._id) || !(await isPaid(job)))) {
    // The process died before the charge: no client knows this job.
    await removeJob(repositories, job._id);
    return;
  }
  const idleMs = now().getTime() - job.leaseUntil.getTime();
  // A released lease has no owner: only a process that died leaves one.
  const crashes = job.leaseOwner === null ? job.crashes : await repositories.jobs.countCrash(job._id);
  let stopped: StopReason | null = job.stopRequested;
  if (!stopped && (crashes > MAX_CRASHES || idleMs > config.RESUME_MINUTES * 60_000)) stopped = 'job_abandoned';
  if (job.leaseOwner !== null) await repositories.jobImages.giveBack(job._id, job.leaseOwner);
  // Of a job that was opened again: its process may have died before it had done this.
  if (job.eventBase >= 0) await repositories.imageResults.removeFailures(job._id, 'client_left');
  const done = await repositories.imageResults.countOfJob(job._id);
  await stopHelp(context, job._id);
  const level = job.leaseOwner === null ? 'info' : 'warn';
  logger[level]({ jobId: job._id, done, total: job.total, stopped }, 'taking over a job');
  startJob(context, { ...job, leaseOwner: instanceId, attempts: job.attempts + 1 }, stopped, done);
}

/** Removes a job with its images. A job without a record has none, so that goes last. */
export async function removeJob({ jobs, jobImages }: JobsContext['repositories'], jobId: string): Promise<void> {
  await jobImages.removeOfJob(jobId);
  await jobs.remove(jobId);
}

/** Ends the help of this process with a job that it leads from now on: it would take its own images twice. */
async function stopHelp({ helped }: JobsContext, jobId: string): Promise<void> {
  const help = helped.get(jobId);
  help?.abort.abort();
  await help?.ended;
}

function isSame(a: JobLease, b: JobLease): boolean {
  return a.leaseOwner === b.leaseOwner && a.leaseUntil.getTime() === b.leaseUntil.getTime();
}

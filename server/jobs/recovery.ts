import type { JobLease, JobRecord } from '../db/index.ts';
import type { StopReason } from './job-kind.ts';
import type { JobsContext } from './jobs-context.ts';
import { startJob } from './run-jobs.ts';

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

import type { JobLease, JobRecord, Repositories } from '../db/index.ts';
import type { Logger } from '../observability/index.ts';
import type { StopReason } from './finish-job.ts';
import type { JobRunner } from './job-runner.ts';

/** A job over which more processes died than this is given up, since it may be what they died of. */
const MAX_CRASHES = 3;

interface RecoveryDeps {
  repositories: Pick<Repositories, 'jobs' | 'imageResults'>;
  runner: JobRunner;
  isPaid: (job: JobRecord) => Promise<boolean>;
  instanceId: string;
  leaseMs: number;
  /** A job that nobody worked on for longer is refunded instead of resumed, in milliseconds. */
  resumeMs: number;
  logger: Logger;
  now: () => Date;
  /** Monotonic clock, in milliseconds. */
  monotonicNow: () => number;
}

/** Who sweeps. */
interface SweepOptions {
  /** No other process can be working on the data, so a lease that is not this one's is of a process that died. @default false */
  alone?: boolean;
}

/**
 * Builds what takes up jobs that an interrupted process left. Whether an owner is alive is not asked of the clock on the
 * wall, which may be set at any time, and differently on each server: a lease is over when nobody has renewed it for as
 * long as it lasts, by the time that this process has seen pass.
 */
export function createRecovery(deps: RecoveryDeps) {
  const { repositories, runner, isPaid, instanceId, leaseMs, resumeMs, logger, now, monotonicNow } = deps;
  /** The leases of the last look, and since when each has been as it is. */
  let seen = new Map<string, { lease: JobLease; since: number }>();

  /** The jobs that nobody works on. */
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

  /** Ends or resumes one job. `job` is as it was before it was claimed. */
  async function recover(job: JobRecord): Promise<void> {
    // The lease of a job of our own ran out during an outage; claiming it has renewed it.
    if (runner.has(job._id)) return;
    const claimed = { ...job, leaseOwner: instanceId, attempts: job.attempts + 1 };
    if (job.state === 'created' && !(await isPaid(job))) {
      // The process died before the work was paid for: nobody was told of this job.
      await repositories.jobs.remove(job._id);
      return;
    }
    const idleMs = now().getTime() - job.leaseUntil.getTime();
    // A lease that was given back belongs to nobody: only a process that died leaves one behind.
    const crashes = job.leaseOwner === null ? job.crashes : await repositories.jobs.countCrash(job._id);
    let stopped: StopReason | null = job.stopRequested;
    if (!stopped && (crashes > MAX_CRASHES || idleMs > resumeMs)) stopped = 'job_abandoned';
    const earlier = await repositories.imageResults.findOfJob(job._id);
    logger.warn({ jobId: job._id, done: earlier.length, total: job.images.length, stopped }, 'taking up a job');
    runner.start(claimed, stopped, earlier);
  }

  return {
    /** Takes up every job that nobody works on. @returns how many */
    async sweep({ alone = false }: SweepOptions = {}): Promise<number> {
      let taken = 0;
      for (const lease of await findAbandoned(alone)) {
        const job = await repositories.jobs.claim(lease, instanceId, new Date(now().getTime() + leaseMs));
        if (!job) continue;
        taken += 1;
        await recover(job);
      }
      return taken;
    },
  };
}

function isSame(a: JobLease, b: JobLease): boolean {
  return a.leaseOwner === b.leaseOwner && a.leaseUntil.getTime() === b.leaseUntil.getTime();
}

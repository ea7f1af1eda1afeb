import type { JobRecord, Repositories } from '../db/index.ts';
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
}

/** Builds what takes up jobs that an interrupted process left. */
export function createRecovery(deps: RecoveryDeps) {
  const { repositories, runner, isPaid, instanceId, leaseMs, resumeMs, logger, now } = deps;

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
    /** Takes up every job whose lease has ended. @returns how many */
    async sweep(): Promise<number> {
      for (let taken = 0; ; taken += 1) {
        const leaseUntil = new Date(now().getTime() + leaseMs);
        const job = await repositories.jobs.claimAbandoned(instanceId, now(), leaseUntil);
        if (!job) return taken;
        await recover(job);
      }
    },
  };
}

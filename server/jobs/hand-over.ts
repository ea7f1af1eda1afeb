import { outlastOutage } from '../database-outage.ts';
import type { JobRecord, Repositories } from '../db/index.ts';
import type { Logger } from '../observability/index.ts';
import type { Admission } from './admission.ts';

/** Dependencies of {@link createHandOver}. */
export interface HandOverDeps {
  repositories: Pick<Repositories, 'jobs'>;
  instanceId: string;
  admission: Admission;
  logger: Logger;
  now: () => Date;
}

/** Creates the hand-over of paid jobs by a server that does not work on jobs itself. */
export function createHandOver({ repositories: { jobs }, instanceId, admission, logger, now }: HandOverDeps) {
  /** Jobs that were handed over and have not ended: they keep their room, so that overload is refused. */
  const away = new Set<string>();
  const closing = new AbortController();

  async function release({ _id: jobId }: JobRecord): Promise<void> {
    await outlastOutage(async () => {
      // A job that was not begun would be taken for one whose charge was interrupted.
      await jobs.advance(jobId, instanceId, 'processing');
      await jobs.releaseLease(jobId, instanceId, now());
    }, closing.signal);
  }

  return {
    /** Leaves a job to the first worker that finds it. Does not wait. */
    start(job: JobRecord): void {
      away.add(job._id);
      // Its lease ends if this fails, and a worker takes it over then.
      release(job).catch((error: unknown) => logger.warn({ err: error, jobId: job._id }, 'a job was handed over late'));
    },

    /** Frees the room of jobs that have ended elsewhere. */
    async sweep(): Promise<number> {
      if (away.size === 0) return 0;
      const unfinished = new Set(
        (await jobs.findStates([...away])).filter(({ lastEvent }) => lastEvent === null).map(({ _id }) => _id),
      );
      const ended = [...away].filter((jobId) => !unfinished.has(jobId));
      for (const jobId of ended) {
        away.delete(jobId);
        admission.forget(jobId);
      }
      return ended.length;
    },

    /** Stops trying to hand over. */
    close: () => closing.abort(),
  };
}

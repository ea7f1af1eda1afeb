import { outlastOutage } from '../database-outage.ts';
import type { JobRecord, Repositories } from '../db/index.ts';
import type { NumberedEvent } from './event-log.ts';
import type { JobFeeds } from './job-feeds.ts';
import type { JobRunner } from './job-runner.ts';

interface FollowDeps {
  repositories: Pick<Repositories, 'jobs'>;
  runner: Pick<JobRunner, 'join'>;
  feeds: JobFeeds;
}

/** Creates the reader of a job's events, whichever server works on the job. */
export function createFollowJob({ repositories, runner, feeds }: FollowDeps) {
  /**
   * Yields the events of a job with a number above `after`, up to its last one or until the signal aborts, also when
   * another server takes the job over. Ends without a last event only when the job is removed.
   */
  return async function* followJob(job: JobRecord, after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent> {
    let seen = after;
    while (!signal.aborted) {
      const feed = feeds.open(job._id);
      const leave = runner.join(job._id);
      try {
        await feed.ready;
        const hasEnded = feed.log.closed;
        for await (const event of feed.log.read(seen, signal)) {
          // Its client has seen the last event.
          if (hasEnded && event.n <= after) return;
          seen = Math.max(seen, event.n);
          yield event;
          if (event.event !== 'progress') return;
        }
      } finally {
        leave();
        feeds.release(feed);
      }
      if (signal.aborted) return;
      if (!(await outlastOutage(() => repositories.jobs.find(job.accountId, job._id), signal))) return;
    }
  };
}

import { isUnwritable } from '../errors.ts';
import type { JobFeed, JobsContext } from './jobs-context.ts';

/**
 * Logs that the work on a job has stopped. If nothing can be written, ends its readers: the job goes on when its lease can be
 * taken again, and until then they would hear nothing.
 */
export function breakOff({ feeds, logger, onUnwritable }: JobsContext, feed: JobFeed, error: unknown): void {
  logger.error({ err: error, jobId: feed.jobId }, 'a job stopped unexpectedly');
  if (!isUnwritable(error)) return;
  onUnwritable();
  feed.broken = true;
  feeds.end(feed);
}

import { outlastOutage } from '../concurrency.ts';
import type { JobRecord } from '../db/index.ts';
import { reopenJob } from './control-jobs.ts';
import type { NumberedEvent } from './event-log.ts';
import type { JobsContext } from './jobs-context.ts';
import { isUnfinished } from './read-jobs.ts';

/**
 * Yields the events of a job with a number above `after`, up to its last one or until the signal aborts, whichever server works
 * on it, also when another one takes it over. Ends without a last event only when the job is removed, or nothing can be written. A job that was stopping
 * because its client had left goes on.
 */
export async function* followJob(
  context: JobsContext,
  job: JobRecord,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent> {
  const { feeds, live, repositories } = context;
  let seen = after;
  while (!signal.aborted) {
    const feed = feeds.open(job._id);
    const leave = live.get(job._id)?.listening.join();
    try {
      await feed.ready;
      const hasEnded = feed.log.closed;
      for await (const event of feed.log.read(seen, signal)) {
        // Its client has seen the last event.
        if (hasEnded && event.n <= after) return;
        if (!hasEnded && isForWantOfListener(event) && (await goesOn(context, job))) break;
        seen = Math.max(seen, event.n);
        yield event;
        if (event.event !== 'progress') return;
      }
    } finally {
      leave?.();
      feeds.release(feed);
    }
    if (signal.aborted || feed.broken) return;
    if (!(await outlastOutage(() => repositories.jobs.find(job.accountId, job._id), signal))) return;
  }
}

function isForWantOfListener({ event, data }: NumberedEvent): boolean {
  return event === 'error' && data.code === 'client_left';
}

/** Opens a job that has just stopped without a listener; false if it is not to go on. */
async function goesOn(context: JobsContext, { accountId, _id }: JobRecord): Promise<boolean> {
  if (await reopenJob(context, accountId, _id)) return true;
  // Another reader may have opened it.
  const job = await context.repositories.jobs.find(accountId, _id);
  return job !== null && isUnfinished(job);
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { JobRecord, Repositories } from '../db/index.ts';
import { outlastOutage } from './database-outage.ts';
import { eventsOf, type NumberedEvent } from './event-log.ts';
import type { JobKinds } from './job-kind.ts';
import type { JobRunner } from './job-runner.ts';
import { replayLastEvent } from './show-job.ts';

/** Interval at which a job of another server is polled, in milliseconds. */
const POLL_MS = 500;

interface FollowDeps {
  repositories: Pick<Repositories, 'jobs' | 'imageResults'>;
  runner: Pick<JobRunner, 'listen'>;
  kinds: JobKinds;
}

/** Creates the reader of a job's events: live from memory, replayed from the store, or polled from another server's work. */
export function createFollowJob({ repositories, runner, kinds }: FollowDeps) {
  /**
   * Yields the events of a job with a number above `after`, up to its last one or until the signal aborts, also when
   * another server takes the job over. Ends without a last event only when the job is removed.
   */
  return async function* followJob(job: JobRecord, after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent> {
    let seen = after;
    let known = after;
    let current = 0;
    const emitted = new Set<string>();
    /** Keeps `current` from decreasing, in any order of images. */
    const forward = (event: NumberedEvent): NumberedEvent => {
      if (event.event !== 'progress') return event;
      current = Math.max(current, event.data.current);
      return { ...event, data: { ...event.data, current } };
    };
    while (!signal.aborted) {
      const live = runner.listen(job._id, seen, signal);
      if (live) {
        for await (const event of live) {
          seen = event.n;
          yield forward(event);
          if (event.event !== 'progress') return;
        }
        if (signal.aborted) return;
        known = seen;
      }
      const found = await outlastOutage(() => repositories.jobs.find(job.accountId, job._id), signal);
      if (!found) return;
      const records = await outlastOutage(() => repositories.imageResults.findOfJob(job._id), signal);
      // Images are stored in the order of their ends, not of their events: all events of an image are emitted together.
      const fresh = records.filter(({ _id }) => !emitted.has(_id));
      for (const event of eventsOf(fresh)) if (event.n > known) yield forward(event);
      for (const { _id } of fresh) emitted.add(_id);
      seen = Math.max(seen, ...fresh.flatMap(({ events }) => events.slice(-1).map(({ n }) => n)));
      if (found.lastEvent !== null) {
        if (found.lastEvent > seen) {
          yield { n: found.lastEvent, ...replayLastEvent(found, kinds[job.kind], records) };
        }
        return;
      }
      await sleep(POLL_MS, undefined, { signal }).catch(() => {});
    }
  };
}

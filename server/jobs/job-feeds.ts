import { outlastOutage } from '../concurrency.ts';
import {
  eventId,
  type FollowedState,
  type ImageResultRecord,
  type JobEventRecord,
  type JobRecord,
  type Repositories,
} from '../db/index.ts';
import { createEventLog, type NumberedEvent, sentEvent } from './event-log.ts';
import type { JobKinds } from './job-kind.ts';
import type { JobFeed, JobFeeds } from './jobs-context.ts';
import { refreshed, replayLastEvent } from './read-jobs.ts';

/** Interval at which the jobs of other servers are polled, in milliseconds. */
const POLL_MS = 450;
/** Polls between two checks of the jobs that have not ended: they may have been removed. */
const POLLS_PER_STATE_CHECK = 10;
/** Events read at once of a job that had none at the last poll; the others wait for the next poll. */
const IDLE_BATCH = 2;
/** Events read first of a job that had some at the last poll; each full batch is followed by one that is larger by the factor. */
const FIRST_BATCH = 4;
const BATCH_GROWTH = 8;
/** Most events read at once of a job that has ended. */
const LAST_BATCH = 500;
/** Most ids of one query. */
const IDS_AT_ONCE = 5000;
/** Most results of one query, unless they are of one job. */
const RESULTS_AT_ONCE = 1000;

/** A job of another server, with its record once it has ended. */
interface Followed {
  feed: JobFeed;
  ended?: JobRecord | undefined;
}

interface Ended extends Followed {
  ended: JobRecord;
}

interface FeedsDeps {
  repositories: Pick<Repositories, 'jobs' | 'jobEvents' | 'imageResults'>;
  kinds: JobKinds;
}

interface Feeds extends FeedsDeps {
  open: Map<string, JobFeed>;
  timer: NodeJS.Timeout | undefined;
  polling: boolean;
  polls: number;
  /** Closes the change stream; undefined until a job of another server is followed. */
  unwatch: (() => void) | undefined;
}

/** Creates the events of all jobs that this process works on or reads: one poller for all that other servers work on. */
export function createJobFeeds(deps: FeedsDeps): JobFeeds {
  const feeds: Feeds = { ...deps, open: new Map(), timer: undefined, polling: false, polls: 0, unwatch: undefined };
  return {
    open(jobId, { fresh = false, live = false } = {}) {
      const feed = feeds.open.get(jobId) ?? createFeed(feeds, jobId, fresh);
      feed.users += 1;
      feed.live ||= live;
      if (!feed.live) watch(feeds);
      return feed;
    },

    release(feed) {
      feed.users -= 1;
      if (feed.users === 0) forget(feeds, feed);
    },

    end: (feed, event) => end(feeds, feed, event),
    refresh: (feed) => refresh(feeds, feed),
    close: () => feeds.unwatch?.(),
  };
}

function createFeed(feeds: Feeds, jobId: string, fresh: boolean): JobFeed {
  const log = createEventLog();
  const state = { users: 0, live: false, base: -1, needsListener: false, active: true, broken: false };
  const feed: JobFeed = { jobId, log, ready: Promise.resolve(), ...state };
  feeds.open.set(jobId, feed);
  if (!fresh) feed.ready = outlastOutage(() => load(feeds, feed));
  feed.ready.catch(() => forget(feeds, feed));
  feeds.timer ??= setInterval(() => void poll(feeds), POLL_MS).unref();
  return feed;
}

function forget(feeds: Feeds, feed: JobFeed): void {
  if (feeds.open.get(feed.jobId) === feed) feeds.open.delete(feed.jobId);
  if (feeds.open.size > 0) return;
  clearInterval(feeds.timer);
  feeds.timer = undefined;
}

function end(feeds: Feeds, feed: JobFeed, event?: NumberedEvent): void {
  feed.log.close(event);
  forget(feeds, feed);
}

/** Reads the stored events of a job, and its end if it has ended. */
async function load(feeds: Feeds, feed: JobFeed): Promise<void> {
  const [state] = await feeds.repositories.jobs.findStates([feed.jobId]);
  if (!state) return end(feeds, feed);
  applyState(feeds, feed, state);
  const [ended] = state.lastEvent === null ? [] : await feeds.repositories.jobs.findEnded([feed.jobId]);
  if (!ended) return refresh(feeds, feed);
  const records = await feeds.repositories.imageResults.findOfJob(feed.jobId);
  await endWith(feeds, { feed, ended }, await refreshed(ended, feeds.kinds[ended.kind], records));
}

/** Reads the events that were stored since, below a number. */
async function refresh({ repositories }: Feeds, feed: JobFeed, below = Number.POSITIVE_INFINITY): Promise<void> {
  const stored = await repositories.jobEvents.findAfter(feed.jobId, feed.log.last);
  feed.log.add(stored.filter(({ n }) => n < below).map(sentEvent));
}

function watch(feeds: Feeds): void {
  feeds.unwatch ??= feeds.repositories.jobEvents.watch({
    onEvent: (event) => addEvent(feeds, event),
    onEnd: (jobId) => void endFollowed(feeds, jobId).catch(() => {}),
  });
}

/** Adds the next event of a job that another server works on; one behind a gap is left to the poll. */
function addEvent(feeds: Feeds, event: JobEventRecord): void {
  const feed = feeds.open.get(event._id.slice(0, event._id.lastIndexOf(':')));
  if (feed && !feed.live && event.n === nextOf(feed)) feed.log.add([sentEvent(event)]);
}

/** Ends the readers of a job that has ended on another server. */
async function endFollowed(feeds: Feeds, jobId: string): Promise<void> {
  const feed = feeds.open.get(jobId);
  if (!feed || feed.live) return;
  await feed.ready;
  const [ended] = await feeds.repositories.jobs.findEnded([jobId]);
  if (feeds.open.get(jobId) === feed) await endAll(feeds, [{ feed, ended }]);
}

/** Reads the new events of all jobs that other servers work on, in a few queries however many they are. */
async function poll(feeds: Feeds): Promise<void> {
  if (feeds.polling) return;
  const followed = [...feeds.open.values()].filter(({ live }) => !live);
  if (followed.length === 0) return;
  feeds.polling = true;
  try {
    await showListening(feeds, followed);
    const ended = await feeds.repositories.jobs.findEnded(followed.map(({ jobId }) => jobId));
    const byId = new Map(ended.map((job) => [job._id, job]));
    const all = followed.map((feed) => ({ feed, ended: byId.get(feed.jobId) }));
    await readEvents(feeds, all);
    await endAll(feeds, all);
    if (feeds.polls % POLLS_PER_STATE_CHECK === 0) await checkStates(feeds, followed);
    feeds.polls += 1;
  } catch {
    // The next poll repeats it.
  } finally {
    feeds.polling = false;
  }
}

async function showListening({ repositories }: Feeds, followed: JobFeed[]): Promise<void> {
  const listenedTo = followed.filter(({ needsListener }) => needsListener).map(({ jobId }) => jobId);
  if (listenedTo.length > 0) await repositories.jobs.showListening(listenedTo);
}

/** Ends the readers of jobs that were removed, and reads the state of the others, which may have been opened again. */
async function checkStates(feeds: Feeds, followed: JobFeed[]): Promise<void> {
  const open = followed.filter(({ log }) => !log.closed);
  const states = await feeds.repositories.jobs.findStates(open.map(({ jobId }) => jobId));
  const byId = new Map(states.map((state) => [state._id, state]));
  for (const feed of open) {
    const state = byId.get(feed.jobId);
    if (state) applyState(feeds, feed, state);
    else if (!feed.live) end(feeds, feed);
  }
}

/** Reads new events of many jobs by their ids, which are known, since numbers have no gaps. */
async function readEvents({ repositories }: Feeds, followed: Followed[]): Promise<void> {
  let pending = followed;
  for (let round = 0; pending.length > 0; round += 1) {
    const withMore: Followed[] = [];
    for (const some of portions(pending, (one) => batchSizeOf(one, round), IDS_AT_ONCE)) {
      const ids = some.map((one) => nextIds(one, round));
      const found = await repositories.jobEvents.findByIds(ids.flat());
      const byId = new Map(found.map((event) => [event._id, event]));
      for (const [index, one] of some.entries()) {
        const wanted = ids[index] ?? [];
        const stored = wanted.flatMap((id) => byId.get(id) ?? []);
        one.feed.log.add(stored.map(sentEvent));
        const mayHaveMore = stored.length === wanted.length && (one.ended || one.feed.active);
        if (mayHaveMore && batchSizeOf(one, round + 1) > 0) withMore.push(one);
        if (round === 0) one.feed.active = stored.length > 0;
      }
    }
    pending = withMore;
  }
}

/** Divides a list so that the sizes of each portion come to at most a sum, unless it is one item. */
function* portions<T>(items: T[], sizeOf: (item: T) => number, most: number): Generator<T[]> {
  let portion: T[] = [];
  let sum = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (portion.length > 0 && sum + size > most) {
      yield portion;
      portion = [];
      sum = 0;
    }
    portion.push(item);
    sum += size;
  }
  if (portion.length > 0) yield portion;
}

function nextOf({ log, base }: JobFeed): number {
  return Math.max(log.last, base) + 1;
}

/** Returns the number of events to read of a job: of one that has ended all that are missing, up to a limit. */
function batchSizeOf({ feed, ended }: Followed, round: number): number {
  if (ended) return Math.max(0, Math.min(LAST_BATCH, (ended.lastEvent ?? 0) - nextOf(feed)));
  return feed.active ? Math.min(FIRST_BATCH * BATCH_GROWTH ** round, IDS_AT_ONCE) : IDLE_BATCH;
}

function nextIds(one: Followed, round: number): string[] {
  const next = nextOf(one.feed);
  return Array.from({ length: batchSizeOf(one, round) }, (_, index) => eventId(one.feed.jobId, next + index));
}

function applyState({ kinds }: Feeds, feed: JobFeed, state: FollowedState): void {
  feed.base = state.eventBase;
  feed.needsListener = kinds[state.kind].stopsWithoutListenerAfterMs !== null;
}

/**
 * Ends the readers of those jobs that have ended. Results are as they were then, so that this end is the one that readers of the
 * other server got.
 */
async function endAll(feeds: Feeds, followed: Followed[]): Promise<void> {
  const all = followed.filter((one): one is Ended => one.ended !== undefined && !one.feed.live);
  for (const some of portions(all, ({ ended }) => ended.total, RESULTS_AT_ONCE)) {
    const results = await feeds.repositories.imageResults.findOfJobs(some.map(({ feed }) => feed.jobId));
    for (const one of some) await endWith(feeds, one, results.get(one.feed.jobId) ?? []);
  }
}

/** Adds the events that are missing, and the last one, and ends every reader. */
async function endWith(feeds: Feeds, { feed, ended }: Ended, records: ImageResultRecord[]): Promise<void> {
  const { lastEvent } = ended;
  if (lastEvent === null) return;
  // A server that was given up for dead may store events after the end.
  if (feed.log.last + 1 < lastEvent) await refresh(feeds, feed, lastEvent);
  if (!feed.live) end(feeds, feed, { n: lastEvent, ...replayLastEvent(ended, feeds.kinds[ended.kind], records) });
}

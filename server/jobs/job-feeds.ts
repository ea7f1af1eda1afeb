import { outlastOutage } from '../database-outage.ts';
import { eventId, type JobEventRecord, type JobState, type Repositories } from '../db/index.ts';
import { createEventLog, type EventLog, type NumberedEvent, sentEvent } from './event-log.ts';
import type { JobKinds } from './job-kind.ts';
import { refreshed } from './refresh-results.ts';
import { replayLastEvent } from './show-job.ts';

/** Interval at which the jobs of other servers are polled, in milliseconds. */
const POLL_MS = 450;
/** Events of a job that are asked for at once: more each time while there are as many. */
const FIRST_ASK = 4;
const ASK_GROWTH = 8;
/** Most ids of one query. */
const IDS_AT_ONCE = 5000;

/** The events of a job as this process knows them, shared by all who read them. */
export interface JobFeed {
  readonly jobId: string;
  readonly log: EventLog;
  /** Resolves when the stored events are in the log. */
  ready: Promise<void>;
  /** Readers, and the work on the job in this process. */
  users: number;
  /** True while this process works on the job alone, so that it knows every event. */
  live: boolean;
  /** Numbers go on above this one. */
  base: number;
  /** True if the job stops without a listener. */
  needsListener: boolean;
}

interface FeedsDeps {
  repositories: Pick<Repositories, 'jobs' | 'jobEvents' | 'imageResults'>;
  kinds: JobKinds;
}

interface Feeds extends FeedsDeps {
  open: Map<string, JobFeed>;
  timer: NodeJS.Timeout | undefined;
  polling: boolean;
  /** Ends the news of the database; undefined until a job of another server is followed. */
  unwatch: (() => void) | undefined;
}

/** Creates the events of all jobs that this process works on or reads: one poller for all that other servers work on. */
export function createJobFeeds(deps: FeedsDeps) {
  const feeds: Feeds = { ...deps, open: new Map(), timer: undefined, polling: false, unwatch: undefined };
  return {
    /** Opens the events of a job, to be released again. `fresh`: none are stored yet. */
    open(jobId: string, { fresh = false, live = false } = {}): JobFeed {
      const feed = feeds.open.get(jobId) ?? createFeed(feeds, jobId, fresh);
      feed.users += 1;
      feed.live ||= live;
      if (!feed.live) watch(feeds);
      return feed;
    },

    /** Ends the news of the database. */
    close: (): void => feeds.unwatch?.(),

    /** Ends one use of a feed. */
    release(feed: JobFeed): void {
      feed.users -= 1;
      if (feed.users === 0) forget(feeds, feed);
    },

    /** Adds the last event and ends every reader. */
    end: (feed: JobFeed, event: NumberedEvent): void => end(feeds, feed, event),

    /** Reads what was stored since. */
    refresh: (feed: JobFeed): Promise<void> => refresh(feeds, feed),
  };
}

/** Events of jobs in this process. */
export type JobFeeds = ReturnType<typeof createJobFeeds>;

function createFeed(feeds: Feeds, jobId: string, fresh: boolean): JobFeed {
  const log = createEventLog();
  const state = { users: 0, live: false, base: -1, needsListener: false };
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
  await take(feeds, feed, state);
  if (state.lastEvent === null) await refresh(feeds, feed);
}

/** Reads the events that were stored since, below a number. */
async function refresh({ repositories }: Feeds, feed: JobFeed, below = Number.POSITIVE_INFINITY): Promise<void> {
  const stored = await repositories.jobEvents.findAfter(feed.jobId, feed.log.last);
  feed.log.add(stored.filter(({ n }) => n < below).map(sentEvent));
}

function watch(feeds: Feeds): void {
  feeds.unwatch ??= feeds.repositories.jobEvents.watch({
    onEvent: (event) => takeNews(feeds, event),
    onEnd: (jobId) => void takeEnd(feeds, jobId).catch(() => {}),
  });
}

/** Adds the next event of a job that another server works on; one behind a gap is left to the poll. */
function takeNews(feeds: Feeds, event: JobEventRecord): void {
  const feed = feeds.open.get(event._id.slice(0, event._id.lastIndexOf(':')));
  if (feed && !feed.live && event.n === Math.max(feed.log.last, feed.base) + 1) feed.log.add([sentEvent(event)]);
}

/** Ends the readers of a job that has ended on another server. */
async function takeEnd(feeds: Feeds, jobId: string): Promise<void> {
  const feed = feeds.open.get(jobId);
  if (!feed || feed.live) return;
  await feed.ready;
  const [state] = await feeds.repositories.jobs.findStates([jobId]);
  if (state && feeds.open.get(jobId) === feed && !feed.live) await take(feeds, feed, state);
}

/** Looks for news of all jobs that other servers work on, in a few queries however many they are. */
async function poll(feeds: Feeds): Promise<void> {
  if (feeds.polling) return;
  const followed = [...feeds.open.values()].filter(({ live }) => !live);
  if (followed.length === 0) return;
  feeds.polling = true;
  try {
    const states = new Map((await findStates(feeds, followed)).map((state) => [state._id, state]));
    await takeEvents(feeds, followed);
    for (const feed of followed) {
      const state = states.get(feed.jobId);
      if (feed.live) continue;
      if (state) await take(feeds, feed, state);
      else end(feeds, feed);
    }
  } catch {
    // The next poll repeats it.
  } finally {
    feeds.polling = false;
  }
}

async function findStates({ repositories }: Feeds, followed: JobFeed[]): Promise<JobState[]> {
  const unheard = followed.filter(({ needsListener }) => needsListener).map(({ jobId }) => jobId);
  if (unheard.length > 0) await repositories.jobs.showListening(unheard);
  return repositories.jobs.findStates(followed.map(({ jobId }) => jobId));
}

/** Reads new events of many jobs by their ids, which are known, since numbers have no gaps. */
async function takeEvents({ repositories }: Feeds, followed: JobFeed[]): Promise<void> {
  let asked = followed;
  for (let count = FIRST_ASK; asked.length > 0; count *= ASK_GROWTH) {
    const goOn: JobFeed[] = [];
    const jobsAtOnce = Math.max(1, Math.floor(IDS_AT_ONCE / count));
    for (let at = 0; at < asked.length; at += jobsAtOnce) {
      const some = asked.slice(at, at + jobsAtOnce);
      const found = await repositories.jobEvents.findByIds(some.flatMap((feed) => nextIds(feed, count)));
      const byId = new Map(found.map((event) => [event._id, event]));
      for (const feed of some) {
        const news = nextIds(feed, count).flatMap((id) => byId.get(id) ?? []);
        feed.log.add(news.map(sentEvent));
        if (news.length === count) goOn.push(feed);
      }
    }
    asked = goOn;
  }
}

function nextIds({ jobId, log, base }: JobFeed, count: number): string[] {
  const next = Math.max(log.last, base) + 1;
  return Array.from({ length: count }, (_, index) => eventId(jobId, next + index));
}

/** Applies the state of a job; a job that has ended gets its remaining events and the last one. */
async function take(feeds: Feeds, feed: JobFeed, state: JobState): Promise<void> {
  const { repositories, kinds } = feeds;
  feed.base = state.eventBase;
  feed.needsListener = kinds[state.kind].stopsUnheardAfterMs !== null;
  if (state.lastEvent === null) return;
  const job = await repositories.jobs.find(state.accountId, feed.jobId);
  if (!job) return end(feeds, feed);
  // Opened again meanwhile.
  if (job.lastEvent === null) return;
  const kind = kinds[job.kind];
  const records = await refreshed(job, kind, await repositories.imageResults.findOfJob(feed.jobId));
  // A server that was given up for dead may store events after the end.
  await refresh(feeds, feed, job.lastEvent);
  if (feed.live) return;
  end(feeds, feed, { n: job.lastEvent, ...replayLastEvent(job, kind, records) });
}

import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import {
  createJobEventRepository,
  eventId,
  type Watchable,
  watchJobs,
} from '../../server/db/repositories/job-history.ts';
import { createJobFeeds } from '../../server/jobs/job-feeds.ts';
import { useDatabase } from './embedded/embedded-fixture.ts';

/** A stand-in for the driver's change streams, which the embedded store does not have. */
function standIn() {
  const streams: (EventEmitter & { close(): Promise<void> })[] = [];
  const watch = vi.fn(() => {
    const stream = Object.assign(new EventEmitter(), { close: vi.fn(async () => {}) });
    streams.push(stream);
    return stream;
  });
  return { database: { watch } as unknown as Watchable, watch, streams };
}

const event = (n: number) => ({ _id: `job_a:${String(n).padStart(10, '0')}`, n, event: 'progress', data: {}, by: 'b' });
const inserted = (n: number) => ({
  ns: { coll: 'job_events' },
  documentKey: { _id: event(n)._id },
  fullDocument: event(n),
});
const ended = { ns: { coll: 'jobs' }, documentKey: { _id: 'job_a' } };

it('reports stored events and ended jobs, and opens a stream that breaks again', () => {
  vi.useFakeTimers();
  const { database, watch, streams } = standIn();
  const seen: unknown[] = [];
  const end = watchJobs(database, { onEvent: ({ n }) => seen.push(n), onEnd: (jobId) => seen.push(jobId) });
  streams[0]?.emit('change', inserted(1));
  streams[0]?.emit('change', ended);
  streams[0]?.emit('error', Object.assign(new Error('interrupted'), { code: 11602 }));
  expect(streams[0]?.close).toHaveBeenCalled();
  vi.advanceTimersByTime(5000);
  streams[1]?.emit('change', inserted(2));
  expect(seen).toEqual([1, 'job_a', 2]);
  end();
  expect(streams[1]?.close).toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(watch).toHaveBeenCalledTimes(2);
  vi.useRealTimers();
});

it.each([40573, 238])('stops asking a server without change streams, which answers %i', (code) => {
  vi.useFakeTimers();
  const { database, watch, streams } = standIn();
  watchJobs(database, { onEvent() {}, onEnd() {} });
  streams[0]?.emit('error', Object.assign(new Error('not here'), { code }));
  vi.advanceTimersByTime(600_000);
  expect(watch).toHaveBeenCalledTimes(1);
  vi.useRealTimers();
});

const store = useDatabase();

it('the embedded store says that it has none, with a code that is known', async () => {
  const stream = store.connection.db?.watch([]);
  stream?.on('change', () => {});
  const error = await new Promise((resolve) => stream?.on('error', resolve));
  await stream?.close();
  expect(error).toMatchObject({ code: 115 });
});

it('an event that the database reports reaches the reader at once, one behind a gap with the next poll', async () => {
  const jobEvents = createJobEventRepository(store.connection);
  let changes: Parameters<typeof jobEvents.watch>[0] | undefined;
  const repositories = {
    jobs: {
      findStates: async () => [{ _id: 'job_a', lastEvent: null, eventBase: -1, kind: 'export' }],
      findEnded: async () => [],
    },
    jobEvents: {
      ...jobEvents,
      watch(reported: typeof changes) {
        changes = reported;
        return () => {};
      },
    },
  };
  const kinds = { export: { stopsWithoutListenerAfterMs: null } };
  const feeds = createJobFeeds({ repositories, kinds } as never);
  const feed = feeds.open('job_a');
  await feed.ready;
  changes?.onEvent(event(0));
  changes?.onEvent(event(2));
  expect(feed.log.last).toBe(0);
  await jobEvents.append([event(0), event(1), event(2)]);
  await expect.poll(() => feed.log.last).toBe(2);
  feeds.release(feed);
  feeds.close();
});

it('jobs that end together are read together, with the events that are missing', async () => {
  const jobEvents = createJobEventRepository(store.connection);
  const ids = ['job_c', 'job_d'];
  const events = ids.flatMap((id) => [0, 1, 2, 3, 4, 5].map((n) => ({ ...event(n), _id: eventId(id, n) })));
  const open = { lastEvent: null as number | null, eventBase: -1, kind: 'export', state: 'completed', total: 1 };
  let states = ids.map((_id) => ({ ...open, _id, createdAt: new Date(), credits: null, summary: { total: 1 } }));
  const findOfJobs = vi.fn(async (jobIds: string[]) => new Map(jobIds.map((id) => [id, [{ result: id }]])));
  const queries = vi.spyOn(jobEvents, 'findByIds');
  const repositories = {
    jobs: {
      findStates: async (of: string[]) => states.filter(({ _id }) => of.includes(_id)),
      findEnded: async () => states.filter(({ lastEvent }) => lastEvent !== null),
    },
    jobEvents: { ...jobEvents, watch: () => () => {} },
    imageResults: { findOfJobs },
  };
  const kinds = {
    export: { stopsWithoutListenerAfterMs: null, show: (result: string) => result, completeDetails: () => ({}) },
  };
  const feeds = createJobFeeds({ repositories, kinds } as never);
  const followed = ids.map((id) => feeds.open(id));
  await Promise.all(followed.map(({ ready }) => ready));
  await jobEvents.append(events);
  states = states.map((state) => ({ ...state, lastEvent: 6 }));
  await expect.poll(() => followed.every(({ log }) => log.closed)).toBe(true);
  expect(findOfJobs.mock.calls).toEqual([[ids]]);
  expect(queries.mock.calls.filter(([some]) => some.length > 8)).toHaveLength(1);
  for (const { jobId, log } of followed) {
    const read = [];
    for await (const sent of log.read(-1, new AbortController().signal)) read.push(sent);
    expect(read.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(read.at(-1)).toMatchObject({ event: 'complete', data: { results: [jobId] } });
  }
  feeds.close();
});

import { beforeEach, expect, it } from 'vitest';
import type { JobResult } from '#contract';
import type { ImageRecord, JobRecord } from '../../server/db/index.ts';
import { newId } from '../../server/ids.ts';
import { createJobs, type JobKind, type JobKinds, type Jobs, type TaskOptions } from '../../server/jobs/index.ts';
import { createLogger, createMetrics } from '../../server/observability/index.ts';
import { useAccounts } from '../accounts/accounts-fixture.ts';
import { type Gate, newGate } from '../support/gate.ts';

const fixture = useAccounts();
const LEASE_SECONDS = 60;
const ACCOUNT = 'acct_a';

/** Images that were worked on, by the process that did it, and at which of them work waits. */
let worked: string[];
let gates: Map<number, Gate>;
/** Settlements that were asked for: completed images of each. */
let settled: number[];
/** What the clock that nobody sets shows, in milliseconds. */
let elapsedMs: number;
beforeEach(() => {
  fixture.clock.now = new Date();
  elapsedMs = 0;
  worked = [];
  gates = new Map();
  settled = [];
});

/** Sets the clock on the wall; no time passes. */
const setClock = (seconds: number) => {
  fixture.clock.now = new Date(fixture.clock.now.getTime() + seconds * 1000);
};
const wait = (seconds: number) => {
  setClock(seconds);
  elapsedMs += seconds * 1000;
};
/** What a process takes up that sees a lease's time pass without a renewal. */
async function recoverAfterLease(...processes: Jobs[]): Promise<number> {
  for (const jobs of processes) expect(await jobs.recover()).toBe(0);
  wait(LEASE_SECONDS + 1);
  return Promise.all(processes.map((jobs) => jobs.recover())).then((taken) => taken.reduce((sum, n) => sum + n));
}
const waitFor = (predicate: () => boolean) => expect.poll(predicate, { interval: 10 }).toBe(true);

/** Work that takes as long as its gate is closed, one image after the other. */
function kindOf(process: string): JobKind<JobResult> {
  const resultOf = ({ _id }: ImageRecord, error: unknown = null) =>
    ({ imageId: _id, status: error ? 'failed' : 'completed', error }) as JobResult;
  return {
    steps: ['optimize'],
    concurrency: 1,
    stopsWithoutListener: false,
    plan: async (job, images) =>
      job.images.flatMap(({ imageId }, index) => {
        const image = images.get(imageId);
        if (!image) return [];
        const run = async ({ signal, onStep }: TaskOptions) => {
          onStep('optimize');
          worked.push(`${process} ${index}`);
          const left = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
          await Promise.race([gates.get(index)?.pass(), left]);
          return resultOf(image);
        };
        return [{ index, image, run }];
      }),
    failed: (_job, image, error) => resultOf(image, error),
    show: (result) => result,
    summarize: (results, durationMs) => ({
      total: results.length,
      completed: results.filter(({ status }) => status === 'completed').length,
      failed: 0,
      durationMs,
    }),
    completeDetails: () => ({}),
    showSettings: () => ({ settings: null, options: null }),
    finalProgress: () => ({}),
    formatOf: () => 'webp',
  };
}

interface ProcessOptions {
  isPaid?: (job: JobRecord) => Promise<boolean>;
  repositories?: typeof fixture.repositories;
}

/** The jobs of a process of its own. */
function newProcess(
  name: string,
  { isPaid = async () => true, repositories = fixture.repositories }: ProcessOptions = {},
) {
  const kind = kindOf(name);
  return createJobs({
    repositories,
    kinds: { export: kind, sample: kind, analyze: kind } as JobKinds,
    requireSession: async () => {},
    settle: async (job, completed) => {
      settled.push(completed);
      return { credits: { charged: 3, refunded: job.images.length - completed, balance: 0 }, perImage: 1 };
    },
    isPaid,
    config: { LEASE_SECONDS, RESUME_MINUTES: 10, MAX_QUEUED_IMAGES: 100 },
    logger: createLogger({ level: 'silent', format: 'json' }),
    metrics: createMetrics(),
    now: () => new Date(fixture.clock.now),
    elapsed: () => elapsedMs,
  });
}

/** A job of three images, written down and not started. */
async function newJob(jobs: Jobs): Promise<JobRecord> {
  const sessionId = newId('sess');
  const ids = [0, 1, 2].map(() => newId('img'));
  await fixture.repositories.images.insertMany(
    ids.map((_id, position) => ({ _id, accountId: ACCOUNT, sessionId, position, clientRef: null }) as ImageRecord),
  );
  const images = ids.map((imageId) => ({ imageId, filename: null, title: null, alt: null }));
  const asked = { jobId: newId('job'), accountId: ACCOUNT, sessionId, kind: 'export', images, settings: {} } as const;
  const job = await jobs.create({ ...asked, images });
  if (!job) throw new Error('expected a new job');
  return job;
}

const stored = async ({ _id }: JobRecord) => fixture.repositories.jobs.find(ACCOUNT, _id);

/** The whole story of a job as a client that was there from the beginning reads it. */
async function storyOf(jobs: Jobs, job: JobRecord) {
  const story = [];
  for await (const event of jobs.follow(job, -1, new AbortController().signal)) story.push(event);
  return story;
}

/** What holds for every job, however often it was taken up. */
async function expectWhole(jobs: Jobs, job: JobRecord) {
  const story = await storyOf(jobs, job);
  const numbers = story.map(({ n }) => n);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  const counts = story.flatMap(({ event, data }) => (event === 'progress' ? [data.current] : []));
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
  expect(story.filter(({ event }) => event !== 'progress')).toHaveLength(1);
  expect(story.at(-1)).toMatchObject({ event: 'complete', data: { status: 'completed', summary: { completed: 3 } } });
  expect(await stored(job)).toMatchObject({ state: 'completed', leaseOwner: null });
}

function gateAt(index: number): Gate {
  const gate = newGate();
  gates.set(index, gate);
  return gate;
}

it('a job whose lease ran out while this process was at it is not started again', async () => {
  const jobs = newProcess('a');
  const job = await newJob(jobs);
  const gate = gateAt(1);
  jobs.start(job);
  await gate.reached;
  const other = newProcess('b');
  expect(await other.recover()).toBe(0);
  expect(await recoverAfterLease(jobs)).toBe(1);
  expect(jobs.stats()).toEqual({ waiting: 2, jobs: 1 });
  // Taking it up has renewed the lease: nobody else gets it.
  expect(await other.recover()).toBe(0);
  gate.open();
  await expectWhole(jobs, job);
  expect(worked).toEqual(['a 0', 'a 1', 'a 2']);
  expect(settled).toEqual([3]);
  expect(jobs.stats()).toEqual({ waiting: 0, jobs: 0 });
  // It was an outage, and nobody died.
  expect(await stored(job)).toMatchObject({ crashes: 0 });
});

it('a job that is started while the recovery takes it up runs once', async () => {
  const asked = newGate();
  const { imageResults } = fixture.repositories;
  const findOfJob: typeof imageResults.findOfJob = async (jobId) => {
    await asked.pass();
    return imageResults.findOfJob(jobId);
  };
  const jobs = newProcess('a', {
    repositories: { ...fixture.repositories, imageResults: { ...imageResults, findOfJob } },
  });
  const job = await newJob(jobs);
  const gate = gateAt(0);
  // Its request was still paying when the lease ran out.
  const recovering = recoverAfterLease(jobs);
  await asked.reached;
  jobs.start(job);
  await gate.reached;
  asked.open();
  expect(await recovering).toBe(1);
  expect(jobs.stats()).toEqual({ waiting: 3, jobs: 1 });
  gate.open();
  await expectWhole(jobs, job);
  expect(worked).toEqual(['a 0', 'a 1', 'a 2']);
});

it('a job that the recovery has taken up is not started by its late request', async () => {
  const jobs = newProcess('a');
  const job = await newJob(jobs);
  const gate = gateAt(0);
  await recoverAfterLease(jobs);
  await gate.reached;
  jobs.start(job);
  gate.open();
  await expectWhole(jobs, job);
  expect(worked).toEqual(['a 0', 'a 1', 'a 2']);
});

it('a job that is handed over twice goes on where it was, and its story stays one', async () => {
  const first = newProcess('a');
  const job = await newJob(first);
  let gate = gateAt(1);
  first.start(job);
  await gate.reached;
  await first.drain(0);

  const second = newProcess('b');
  gates.clear();
  gate = gateAt(2);
  expect(await second.recover()).toBe(1);
  await gate.reached;
  expect(second.stats()).toEqual({ waiting: 1, jobs: 1 });
  await second.drain(0);

  const third = newProcess('c');
  gates.clear();
  expect(await third.recover()).toBe(1);
  await expectWhole(third, job);
  expect(worked).toEqual(['a 0', 'a 1', 'b 1', 'b 2', 'c 2']);
  expect(settled).toEqual([3]);
  // Whoever hands over has not died of it.
  expect(await stored(job)).toMatchObject({ attempts: 2, crashes: 0 });
});

it('of two processes that look at once, one takes a job up', async () => {
  const job = await newJob(newProcess('dead'));
  const [left, right] = [newProcess('a'), newProcess('b')];
  expect(await recoverAfterLease(left, right, left, right)).toBe(1);
  await expectWhole(left, job);
  expect(worked).toHaveLength(3);
});

it('a job over which one process after the other dies is given up and settled with what is done', async () => {
  const first = newProcess('0');
  const job = await newJob(first);
  gateAt(1);
  first.start(job);
  await waitFor(() => worked.length === 2);
  // They die at the second image: from then on nobody renews the lease, and nothing they do counts.
  for (const name of ['1', '2', '3']) {
    gates.clear();
    const gate = gateAt(1);
    expect(await recoverAfterLease(newProcess(name))).toBe(1);
    await gate.reached;
  }
  const last = newProcess('last');
  expect(await recoverAfterLease(last)).toBe(1);
  const story = await storyOf(last, job);
  expect(story.at(-1)).toMatchObject({ event: 'complete', data: { status: 'partial', summary: { completed: 1 } } });
  expect(worked).toEqual(['0 0', '0 1', '1 1', '2 1', '3 1']);
  expect(await stored(job)).toMatchObject({ state: 'partial', crashes: 4 });
  expect(settled).toEqual([1]);
});

it('a job that nobody paid for is forgotten, and none of its images is worked on', async () => {
  const job = await newJob(newProcess('dead'));
  const jobs = newProcess('a', { isPaid: async () => false });
  expect(await recoverAfterLease(jobs)).toBe(1);
  expect(await stored(job)).toBeNull();
  expect(jobs.stats()).toEqual({ waiting: 0, jobs: 0 });
  expect(worked).toEqual([]);
});

it.each([
  ['forwards', 86_400],
  ['backwards', -86_400],
])('a clock that is set a day %s takes no job from who is at it, nor from who is paying for it', async (_, seconds) => {
  const [owner, other] = [newProcess('a', { isPaid: async () => false }), newProcess('b')];
  const paying = await newJob(owner);
  const job = await newJob(owner);
  const gate = gateAt(1);
  owner.start(job);
  await gate.reached;
  expect(await other.recover()).toBe(0);
  setClock(seconds);
  expect(await owner.recover()).toBe(0);
  expect(await other.recover()).toBe(0);
  wait(LEASE_SECONDS / 2);
  gate.open();
  await expectWhole(owner, job);
  owner.start(paying);
  await expectWhole(owner, paying);
  const last = (await storyOf(owner, job)).at(-1);
  // What the work took, not what the clock says.
  expect(last).toMatchObject({ data: { summary: { durationMs: (LEASE_SECONDS / 2) * 1000 } } });
  expect(settled).toEqual([3, 3]);
});

it.each([
  ['forwards', 300],
  ['backwards', -86_400],
])('a job of a process that died is taken up in time, though the clock was set %s', async (_, seconds) => {
  const job = await newJob(newProcess('dead'));
  setClock(seconds);
  const jobs = newProcess('a');
  expect(await recoverAfterLease(jobs)).toBe(1);
  await expectWhole(jobs, job);
});

it('a process that is alone takes up the jobs of the one before it at once, whatever the clock says', async () => {
  const job = await newJob(newProcess('dead'));
  setClock(-86_400);
  const jobs = newProcess('a');
  expect(await jobs.recover({ alone: true })).toBe(1);
  await expectWhole(jobs, job);
});

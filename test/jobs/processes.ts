import { beforeEach, expect } from 'vitest';
import { emptyMetadataValues, type JobResult, pickFields, REQUEST_FIELDS } from '#contract';
import type { ImageRecord, JobRecord } from '../../server/db/index.ts';
import { newId } from '../../server/ids.ts';
import { createJobs, type JobKind, type JobKinds, type Jobs, type TaskOptions } from '../../server/jobs/index.ts';
import { createLogger, createMetrics } from '../../server/observability/index.ts';
import { useAccounts } from '../accounts/accounts-fixture.ts';
import { type Gate, newGate } from '../support/gate.ts';

/** Lease time of the processes of {@link useProcesses}. */
export const LEASE_SECONDS = 60;
const ACCOUNT = 'acct_a';

interface ProcessOptions {
  isPaid?: (job: JobRecord) => Promise<boolean>;
  repositories?: ReturnType<typeof useAccounts>['repositories'];
  /** True if its jobs are shared with other processes. */
  isShared?: boolean;
  /** @default nothing */
  keepSessions?: (sessionIds: string[]) => Promise<void>;
  /** True if its jobs cost nothing and stop when nobody listens. */
  stopsAlone?: boolean;
  /** Workers with which it helps others. */
  freeWorkers?: number;
}

/** Jobs modules of several processes on one database, with work that waits at gates and clocks that are set. */
export function useProcesses() {
  const fixture = useAccounts();
  /** Images that were worked on, by the process that did it, and at which of them work waits. */
  const worked: string[] = [];
  const gates = new Map<number, Gate>();
  /** Settlements that were asked for: completed images of each. */
  const settled: number[] = [];
  /** Time of the monotonic clock, in milliseconds. */
  let elapsedMs = 0;
  beforeEach(() => {
    fixture.clock.now = new Date();
    elapsedMs = 0;
    worked.length = 0;
    gates.clear();
    settled.length = 0;
  });

  /** Sets the clock on the wall; no time passes. */
  const setClock = (seconds: number) => {
    fixture.clock.now = new Date(fixture.clock.now.getTime() + seconds * 1000);
  };
  const wait = (seconds: number) => {
    setClock(seconds);
    elapsedMs += seconds * 1000;
  };
  /** Takes over the jobs of a process after the lease time without a renewal. */
  async function recoverAfterLease(...processes: Jobs[]): Promise<number> {
    for (const jobs of processes) expect(await jobs.recover()).toBe(0);
    wait(LEASE_SECONDS + 1);
    return Promise.all(processes.map((jobs) => jobs.recover())).then((taken) => taken.reduce((sum, n) => sum + n));
  }
  const waitFor = (predicate: () => boolean) => expect.poll(predicate, { interval: 10 }).toBe(true);

  /** Work that takes as long as its gate is closed, one image after the other. */
  function kindOf(process: string, isShared: boolean, stopsAlone: boolean): JobKind<JobResult> {
    const resultOf = ({ _id }: ImageRecord, error: unknown = null) =>
      ({ imageId: _id, status: error ? 'failed' : 'completed', error }) as JobResult;
    return {
      steps: ['optimize'],
      concurrency: 1,
      isShared,
      isPaid: true,
      isWithoutGain: () => false,
      stopsWithoutListenerAfterMs: stopsAlone ? 0 : null,
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

  /** The jobs of a process of its own. */
  function newProcess(
    name: string,
    {
      isPaid = async () => true,
      repositories = fixture.repositories,
      keepSessions = async () => {},
      isShared = false,
      stopsAlone = false,
      freeWorkers = 0,
    }: ProcessOptions = {},
  ) {
    const kind = kindOf(name, isShared, stopsAlone);
    return createJobs({
      repositories,
      kinds: { export: kind, sample: kind, analyze: kind } as JobKinds,
      requireSession: async () => {},
      keepSessions,
      settle: async (job, completed) => {
        settled.push(completed);
        const credits = stopsAlone ? { charged: 0, refunded: 0 } : { charged: 3, refunded: job.total - completed };
        return { credits: { ...credits, balance: 0 }, perImage: 1 };
      },
      isPaid,
      freeWorkers: () => freeWorkers,
      config: { ROLE: 'all', LEASE_SECONDS, RESUME_MINUTES: 10, MAX_QUEUED_IMAGES: 100 },
      logger: createLogger({ level: 'silent', format: 'json' }),
      metrics: createMetrics(),
      now: () => new Date(fixture.clock.now),
      monotonicNow: () => elapsedMs,
    });
  }

  /** A job of three images, written down and not started. */
  async function newJob(jobs: Jobs): Promise<JobRecord> {
    const sessionId = newId('sess');
    const ids = [0, 1, 2].map(() => newId('img'));
    await fixture.repositories.images.insertMany(
      ids.map((_id, position) => ({ _id, accountId: ACCOUNT, sessionId, position, clientRef: null }) as ImageRecord),
    );
    const images = ids.map((imageId) => ({ imageId, ...pickFields(emptyMetadataValues(), REQUEST_FIELDS) }));
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

  /** Checks the invariants of every job, however often it was taken over. */
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

  return {
    fixture,
    worked,
    gates,
    settled,
    setClock,
    wait,
    recoverAfterLease,
    waitFor,
    newProcess,
    newJob,
    stored,
    storyOf,
    expectWhole,
    gateAt,
  };
}

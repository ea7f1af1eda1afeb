import { expect, test } from 'vitest';
import type { Job, ProgressEvent } from '#contract';
import { type CancelReason, readJob } from '../../../plugin-bridge/batch/index.ts';
import type { ResultEvent, ResultStream } from '../../../plugin-bridge/sdk/index.ts';

const CANCEL: CancelReason = 'cancel';

type Result = { imageId: string };

/** A job whose stream, cancel and state are scripted. The stream stalls after its last event. */
function scriptedJob(
  events: readonly ResultEvent<Result>[],
  own: { cancel?(): Promise<void>; job?: Partial<Job> } = {},
) {
  const controller = new AbortController();
  const timers: (() => void)[] = [];
  const seen: ProgressEvent[] = [];
  const state = { closed: false, cancelled: 0 };
  const open = (closing: AbortSignal): ResultStream<Result> => {
    closing.addEventListener('abort', () => {
      state.closed = true;
    });
    return {
      jobId: async () => 'job_1',
      async cancel() {
        state.cancelled += 1;
        await own.cancel?.();
      },
      async *[Symbol.asyncIterator]() {
        yield* events;
        await new Promise(() => {});
      },
    };
  };
  const reader = {
    open,
    getJob: async () => ({ jobId: 'job_1', credits: null, error: null, finishedAt: null, ...own.job }) as Job,
    onProgress: (event: ProgressEvent) => void seen.push(event),
    timers: {
      setTimeout(task: () => void) {
        timers.push(task);
        return task;
      },
      clearTimeout(task: unknown) {
        if (task) timers.splice(timers.indexOf(task as () => void), 1);
      },
    },
  };
  return { end: readJob<Result>(reader, controller.signal), controller, timers, seen, state };
}

const progress: ResultEvent<Result> = {
  event: 'progress',
  data: { imageId: 'img_1', status: 'processing', step: 'optimize', current: 0, total: 1, clientRef: null },
};
const results = [{ imageId: 'img_1' }];
const credits = { charged: 1, refunded: 0, balance: 9 };

test('a job is read to its end and the connection is closed', async () => {
  const job = scriptedJob([
    progress,
    { event: 'complete', data: { jobId: 'job_1', status: 'completed', results, credits } },
  ]);
  expect(await job.end).toEqual({ jobId: 'job_1', results, credits, error: null });
  expect(job.seen).toEqual([progress.data]);
  expect(job.state).toEqual({ closed: true, cancelled: 0 });
});

test('an error keeps the results that came with it', async () => {
  const data = { error: 'Cancelled', code: 'job_cancelled', jobId: 'job_1', results };
  const error = { code: 'job_cancelled', message: 'Cancelled' };
  expect(await scriptedJob([{ event: 'error', data }]).end).toEqual({ jobId: 'job_1', results, credits: null, error });
});

test('an abort without a reason leaves the job running and closes the connection', async () => {
  const job = scriptedJob([progress]);
  job.controller.abort();
  await expect(job.end).rejects.toMatchObject({ code: 'aborted' });
  expect(job.state).toEqual({ closed: true, cancelled: 0 });
});

test('a cancel returns what was finished by then, also if the stream stalls', async () => {
  const job = scriptedJob([progress], { job: { finishedAt: '2026-01-01', results: results as Job['results'] } });
  job.controller.abort(CANCEL);
  expect(await job.end).toMatchObject({ jobId: 'job_1', results });
  expect(job.state).toEqual({ closed: true, cancelled: 1 });
  expect(job.timers).toEqual([]);
});

test('a cancel whose job does not end in time is an abort', async () => {
  const job = scriptedJob([progress]);
  job.controller.abort(CANCEL);
  await expect.poll(() => job.state.cancelled).toBe(1);
  await new Promise((resolve) => setTimeout(resolve));
  for (const timer of [...job.timers]) timer();
  await expect(job.end).rejects.toMatchObject({ code: 'aborted' });
});

test('a cancel without a response in time is a timeout', async () => {
  const job = scriptedJob([progress], { cancel: () => new Promise(() => {}) });
  job.controller.abort(CANCEL);
  for (const timer of [...job.timers]) timer();
  await expect(job.end).rejects.toMatchObject({ code: 'timeout' });
});

test('a cancel that the service refuses is its error', async () => {
  const refusal = Object.assign(new Error('No'), { code: 'unauthorized' });
  const job = scriptedJob([progress], { cancel: () => Promise.reject(refusal) });
  job.controller.abort(CANCEL);
  await expect(job.end).rejects.toBe(refusal);
});

import { beforeEach, expect, it } from 'vitest';
import type { JobResult } from '#contract';
import type { ImageRecord } from '../../server/db/index.ts';
import { AppError } from '../../server/errors.ts';
import type { JobKind, JobTask, PlannedJob } from '../../server/jobs/job-kind.ts';
import { runJob } from '../../server/jobs/perform-job.ts';
import { sourceOf } from '../../server/jobs/take-blocks.ts';
import { createLogger } from '../../server/observability/index.ts';
import { newGate } from '../support/gate.ts';

let logged: object[] = [];
let counted: string[] = [];
beforeEach(() => {
  logged = [];
  counted = [];
});
const logger = Object.assign(createLogger({ level: 'silent', format: 'json' }), {
  error: (details: object) => void logged.push(details),
});
const metrics = { unexpectedError: (where: string) => void counted.push(where) };
const imageOf = (index: number) => ({ _id: `img_${index}`, clientRef: null }) as ImageRecord;

/** A job of some images, two at once, each of which is what `run` makes of its number. */
function jobOf(count: number, run: (index: number) => Promise<JobResult>) {
  const tasks = Array.from({ length: count }, (_, index): JobTask<JobResult> => {
    return { index, image: imageOf(index), run: () => run(index) };
  });
  const job = { _id: 'job_a', sessionId: 'sess_a', total: count };
  const kind = {
    steps: [],
    concurrency: 2,
    failed: (_job, { _id }, error) => ({ imageId: _id, status: 'failed', error }) as JobResult,
    finalProgress: () => ({}),
  } as Partial<JobKind<JobResult>>;
  const input = {
    job: job as PlannedJob,
    kind: kind as JobKind<JobResult>,
    source: sourceOf(tasks, 2),
    hasListener: () => true,
    emit: () => {},
    logger,
    metrics,
  };
  return (saveResult: (record: { index: number; result: JobResult }) => Promise<void>) =>
    runJob({ ...input, saveResult }, new AbortController().signal);
}

const done = (index: number) => ({ imageId: imageOf(index)._id, status: 'completed', error: null }) as JobResult;

it('a job of which a result cannot be stored ends once nothing of it is worked on, and begins nothing more', async () => {
  const gate = newGate();
  const begun: number[] = [];
  const stored: number[] = [];
  const start = jobOf(6, async (index) => {
    begun.push(index);
    if (index === 1) await gate.pass();
    return done(index);
  });
  const refused = new Error('No space left on device');
  let ended: unknown;
  const running = start(async ({ index }) => {
    if (index === 0) throw refused;
    stored.push(index);
  }).catch((error: unknown) => {
    ended = error;
  });
  await expect.poll(() => begun).toEqual([0, 1]);
  // Long enough for everything that does not wait for the second image.
  for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
  expect(ended).toBeUndefined();
  gate.open();
  await running;
  expect(ended).toBe(refused);
  expect([begun, stored]).toEqual([[0, 1], [1]]);
});

it.each([
  ['of the files', 'ENOSPC'],
  ['of the files, by a quota', 'EDQUOT'],
  ['of the database', 14031],
])('an image that meets the full disk %s says so', async (_where, code) => {
  const results: JobResult[] = [];
  const start = jobOf(1, async () => {
    throw Object.assign(new Error('No space left on device'), { code });
  });
  await start(async ({ result }) => void results.push(result));
  expect(results).toMatchObject([{ status: 'failed', error: { code: 'insufficient_storage' } }]);
});

it('an image that fails for a reason that nothing foresaw blames the service, with the cause in its log and a count', async () => {
  const cause = new TypeError("Cannot read properties of undefined (reading 'width')");
  const results: JobResult[] = [];
  const start = jobOf(1, () => Promise.reject(cause));
  await start(async ({ result }) => void results.push(result));
  const message = expect.stringMatching(/the fault is not in the file/);
  expect(results).toMatchObject([{ status: 'failed', error: { code: 'internal_error', message } }]);
  expect(logged).toEqual([{ err: cause, jobId: 'job_a' }]);
  expect(counted).toEqual(['image']);
});

it('an image that meets a server without image processing is left to another server, not failed', async () => {
  const results: JobResult[] = [];
  const stopped = new AppError('shutting_down', 'Image processing is not running');
  const start = jobOf(3, async (index) => {
    if (index === 1) throw stopped;
    return done(index);
  });
  await expect(start(async ({ result }) => void results.push(result))).rejects.toBe(stopped);
  expect(results.map(({ status }) => status)).not.toContain('failed');
});

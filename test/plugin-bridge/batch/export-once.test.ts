import { expect, test } from 'vitest';
import { endOf, errorOf, imagesOf, runScript } from './scripted-export.ts';

const images = imagesOf(5);
const [first, second, third] = [images.slice(0, 2), images.slice(2, 4), images.slice(4)];

test('batches follow one another, each with a key derived from the job before it', async () => {
  const answers = [endOf('job_1', first), endOf('job_2', second), endOf('job_3', third)];
  const { requests, batches, confirmed, error } = await runScript({ images, size: 2, answers });
  expect(requests).toEqual([
    { images: ['img_1', 'img_2'], key: 'new:0' },
    { images: ['img_3', 'img_4'], key: 'job_1:0' },
    { images: ['img_5'], key: 'job_2:0' },
  ]);
  expect(batches).toEqual([
    [0, 3],
    [1, 3],
    [2, 3],
  ]);
  expect(confirmed).toBe(1);
  expect(error).toBeNull();
});

test('finished results are taken over instead of being paid again', async () => {
  const journal = [{ found: first, running: [], state: 'job_1' }];
  const { requests, shared } = await runScript({
    images: images.slice(0, 4),
    answers: [endOf('job_2', second)],
    journal,
  });
  expect(requests).toEqual([{ images: ['img_3', 'img_4'], key: 'job_1:0' }]);
  expect(shared).toBe(1);
});

test('nothing is sent, nor confirmed, if everything is paid for', async () => {
  const { requests, confirmed } = await runScript({
    images: first,
    answers: [],
    journal: [{ found: first, running: [], state: 'job_1' }],
  });
  expect(requests).toEqual([]);
  expect(confirmed).toBe(0);
});

test('a job in progress is followed, and only the rest is sent', async () => {
  const follow = async () => endOf('job_1', first);
  const running = { found: [], running: [{ jobId: 'job_1', follow }], state: 'job_1' };
  const { requests, shared } = await runScript({
    images: images.slice(0, 4),
    answers: [endOf('job_2', second)],
    journal: [running, { ...running, running: [] }],
  });
  expect(requests).toEqual([{ images: ['img_3', 'img_4'], key: 'job_1:0' }]);
  expect(shared).toBe(1);
});

test('a job is followed once, even if the journal lists it again', async () => {
  let follows = 0;
  const follow = async () => {
    follows += 1;
    return endOf('job_1', []);
  };
  const journal = [{ found: [], running: [{ jobId: 'job_1', follow }], state: 'job_1' }];
  const { requests } = await runScript({ images: first, answers: [endOf('job_2', first)], journal });
  expect(follows).toBe(1);
  expect(requests).toHaveLength(1);
});

test('a refused job of another client that is deleted meanwhile does not end the run', async () => {
  const follow = () => Promise.reject(errorOf('job_not_found', 404));
  const journal = [
    { found: [], running: [{ jobId: 'job_1', follow }], state: 'job_1' },
    { found: [], running: [], state: 'new' },
  ];
  const { requests, thrown } = await runScript({ images: first, answers: [endOf('job_2', first)], journal });
  expect(thrown).toBeNull();
  expect(requests).toEqual([{ images: ['img_1', 'img_2'], key: 'new:0' }]);
});

test.each([
  ['a connection lost', errorOf('stream_interrupted')],
  ['a page of a gateway that has no backend', errorOf('bad_response', 404)],
])('%s while following ends the run without a request', async (_, lost) => {
  const follow = () => Promise.reject(lost);
  const journal = [{ found: [], running: [{ jobId: 'job_1', follow }], state: 'job_1' }];
  const { requests, thrown } = await runScript({ images: first, answers: [], journal });
  expect(thrown).toBe(lost);
  expect(requests).toEqual([]);
});

test('a followed job that is cancelled ends the run as aborted', async () => {
  const error = { code: 'job_cancelled', message: 'Cancelled' };
  const follow = async () => endOf('job_1', [], { error });
  const journal = [{ found: [], running: [{ jobId: 'job_1', follow }], state: 'job_1' }];
  const { requests, thrown } = await runScript({ images: first, answers: [], journal });
  expect(thrown?.code).toBe('aborted');
  expect(requests).toEqual([]);
});

test('the same state gives the same key: a try after a lost connection joins the first job', async () => {
  const lost = await runScript({ images: first, answers: [errorOf('stream_interrupted')] });
  expect(lost.thrown?.code).toBe('stream_interrupted');
  const again = await runScript({ images: first, answers: [endOf('job_1', first)] });
  expect(again.requests).toEqual(lost.requests);
});

test('of two clients that saw the same state, the second reads the session again and sends what is left', async () => {
  const { requests, waited, thrown } = await runScript({
    images: images.slice(0, 4),
    answers: [errorOf('idempotency_mismatch', 409), endOf('job_2', second)],
    journal: [
      { found: [], running: [], state: 'new' },
      { found: first, running: [], state: 'job_1' },
    ],
  });
  expect(thrown).toBeNull();
  expect(waited).toBe(1);
  expect(requests).toEqual([
    { images: ['img_1', 'img_2', 'img_3', 'img_4'], key: 'new:0' },
    { images: ['img_3', 'img_4'], key: 'job_1:0' },
  ]);
});

test('a session that does not change is read five times before a mismatch is an error', async () => {
  const { requests, waited, thrown } = await runScript({
    images: first,
    answers: Array.from({ length: 6 }, () => errorOf('idempotency_mismatch', 409)),
  });
  expect(thrown?.code).toBe('idempotency_mismatch');
  expect(waited).toBe(5);
  expect(requests.map(({ key }) => key)).toEqual(['new:0', 'new:1', 'new:2', 'new:3', 'new:4', 'new:5']);
});

test('without other clients a mismatch is an error at once', async () => {
  const answers = [errorOf('idempotency_mismatch', 409)];
  const { requests, thrown } = await runScript({ images: first, answers, waits: false });
  expect(thrown?.code).toBe('idempotency_mismatch');
  expect(requests).toHaveLength(1);
});

test('credits that run out end the run; batches before it keep their results', async () => {
  const answers = [endOf('job_1', first), errorOf('insufficient_credits', 402)];
  const { requests, thrown } = await runScript({ images, size: 2, answers });
  expect(thrown?.code).toBe('insufficient_credits');
  expect(requests).toHaveLength(2);
});

test('a job without any result ends the run with its error', async () => {
  const error = { code: 'export_failed', message: 'No image was exported' };
  const { error: reason, requests } = await runScript({ images, size: 2, answers: [endOf('job_1', [], { error })] });
  expect(reason).toEqual(error);
  expect(requests).toHaveLength(1);
});

test('a job with some results does not end the run, and its failed images are not sent again', async () => {
  const error = { code: 'export_failed', message: 'Some images failed' };
  const answers = [endOf('job_1', first.slice(0, 1), { error }), endOf('job_2', second), endOf('job_3', third)];
  const { error: reason, requests } = await runScript({ images, size: 2, answers });
  expect(reason).toBeNull();
  expect(requests.flatMap((request) => request.images)).toEqual(['img_1', 'img_2', 'img_3', 'img_4', 'img_5']);
});

test('a cancelled job ends the run without an error', async () => {
  const error = { code: 'job_cancelled', message: 'Cancelled' };
  const { error: reason, requests } = await runScript({ images, size: 2, answers: [endOf('job_1', first, { error })] });
  expect(reason).toBeNull();
  expect(requests).toHaveLength(1);
});

test('nothing is sent after an abort or a refused confirmation', async () => {
  const aborted = await runScript({ images: first, answers: [], signal: AbortSignal.abort() });
  expect(aborted.thrown?.code).toBe('aborted');
  const refused = await runScript({ images: first, answers: [], confirm: false });
  expect(refused).toMatchObject({ thrown: null, error: null, requests: [] });
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../../plugin-bridge/sdk/index.ts';
import { untilIdle } from '../../support/aftermath.ts';
import type { Fault } from '../../support/fault-proxy.ts';
import { collect, expectOneCharge, type SdkHarness, startSdkHarness, uploadPictures } from './sdk-harness.ts';

const COUNT = 4;
const SETTINGS = { format: 'webp' } as const;
const EXPORT = /\/export$/;
const EVENTS = /\/events$/;

let harness: SdkHarness;
beforeAll(async () => {
  harness = await startSdkHarness();
});
afterAll(() => harness.close());
afterEach(async () => {
  harness.proxy.reset();
  await untilIdle(harness.test);
});

/** Exports four pictures and fails unless every event came once, in order, and each image was charged once. */
async function expectWholeExport(client: Client): Promise<void> {
  const { sessionId, images } = await uploadPictures(client, COUNT);
  const stream = client.exportImages(sessionId, { images, settings: SETTINGS });
  const events = await collect(stream);
  const numbers = events.map(({ id }) => Number(id.split(':')[1]));
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  expect(events.filter(({ event }) => event !== 'progress').map(({ event }) => event)).toEqual(['complete']);
  const progress = events.flatMap((event) => (event.event === 'progress' ? [event.data] : []));
  for (const { id } of images) {
    expect(progress.filter(({ imageId, step }) => imageId === id && step === 'done')).toHaveLength(1);
  }
  const result = await stream.result();
  expect(result.results.map(({ imageId, status }) => [imageId, status])).toEqual(
    images.map(({ id }) => [id, 'completed']),
  );
  expect(await stream.jobId()).toBe(result.jobId);
  await expectOneCharge(client, COUNT);
}

describe('an export with a faulty stream', () => {
  it('delivers every event without a fault', async () => {
    await expectWholeExport(await harness.createClient());
    expect(harness.proxy.seen.filter(({ path }) => EXPORT.test(path))).toHaveLength(1);
  });

  const once: [string, Fault][] = [
    ['cut before its first byte', { kind: 'cut', afterBytes: 0 }],
    ['cut in the middle of its first event', { kind: 'cut', afterBytes: 100 }],
    ['cut after one event', { kind: 'cut', afterEvents: 1 }],
    ['cut after seven events', { kind: 'cut', afterEvents: 7 }],
    ['cut within an event far on', { kind: 'cut', afterBytes: 2000 }],
    ['delivered one byte at a time', { kind: 'bytewise' }],
    ['held back until it is whole', { kind: 'buffer' }],
    ['answered, but the answer is lost', { kind: 'lose-answer' }],
    ['lost before the service hears of it', { kind: 'lose-request' }],
    ['refused by a gateway with a page of its own', { kind: 'answer', status: 502 }],
    ['given up by a gateway with a page of its own', { kind: 'answer', status: 504 }],
    [
      'refused because of too many requests',
      {
        kind: 'answer',
        status: 429,
        json: { error: 'Too many', code: 'rate_limited' },
        headers: { 'Retry-After': '1' },
      },
    ],
    ['refused by an overloaded service', { kind: 'answer', status: 503, json: { error: 'Later', code: 'overloaded' } }],
  ];
  it.each(once)('is complete and charged once when it is %s', async (_, fault) => {
    harness.proxy.inject(fault, { path: EXPORT });
    await expectWholeExport(await harness.createClient());
    expect(harness.proxy.seen.filter(({ fault }) => fault)).toHaveLength(1);
  });

  it.each<[string, Fault]>([
    ['never answers', { kind: 'hang' }],
    ['falls silent in the middle', { kind: 'stall', afterEvents: 2 }],
  ])('is asked for again when the service %s', async (_, fault) => {
    harness.proxy.inject(fault, { path: EXPORT });
    await expectWholeExport(await harness.createClient({ timeoutMs: 2000 }));
  });

  it('is joined repeatedly if every connection breaks after one event', async () => {
    harness.proxy.inject({ kind: 'cut', afterEvents: 1 }, { path: EXPORT });
    harness.proxy.inject({ kind: 'cut', afterEvents: 1 }, { path: EVENTS, times: 1000 });
    await expectWholeExport(await harness.createClient());
    const joined = harness.proxy.seen.filter(({ path }) => EVENTS.test(path));
    expect(joined.length).toBeGreaterThan(COUNT);
    // Each asks for what comes after the last event it has seen.
    expect(new Set(joined.map(({ headers }) => headers['last-event-id'])).size).toBe(joined.length);
  });

  it('is joined by its key if a proxy drops the header with the job’s id', async () => {
    const client = await harness.createClient({
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        const headers = new Headers(response.headers);
        headers.delete('X-Job-Id');
        return new Response(response.body, { status: response.status, headers });
      },
    });
    harness.proxy.inject({ kind: 'cut', afterBytes: 20 }, { path: EXPORT });
    await expectWholeExport(client);
    const keys = harness.proxy.seen
      .filter(({ path }) => EXPORT.test(path))
      .map((seen) => seen.headers['idempotency-key']);
    expect(keys).toEqual([keys[0], keys[0]]);
  });
});

describe('an export that cannot be completed', () => {
  it('rejects with the connection’s error if no retry succeeds, and the same key joins it later', async () => {
    const client = await harness.createClient({ retryDelayMs: 1 });
    const { sessionId, images } = await uploadPictures(client, COUNT);
    harness.proxy.inject({ kind: 'cut', afterEvents: 1 }, { path: EXPORT });
    harness.proxy.inject({ kind: 'lose-request' }, { path: EVENTS, times: 10 });
    const stream = client.exportImages(sessionId, { images, settings: SETTINGS });
    await expect(stream.result()).rejects.toMatchObject({ name: 'ConnectionError', code: 'network', retryable: true });
    harness.proxy.reset();
    const { idempotencyKey } = stream;
    const again = client.exportImages(sessionId, { images, settings: SETTINGS }, { idempotencyKey });
    expect((await again.result()).summary.completed).toBe(COUNT);
    await expectOneCharge(client, COUNT);
  });

  it('rejects with `bad_response` if a page arrives instead of a stream', async () => {
    const client = await harness.createClient();
    const { sessionId, images } = await uploadPictures(client, 1);
    harness.proxy.inject({ kind: 'answer', status: 200, html: '<h1>Log in</h1>' }, { path: EXPORT });
    await expect(client.exportImages(sessionId, { images, settings: SETTINGS }).result()).rejects.toMatchObject({
      name: 'ApiError',
      code: 'bad_response',
      status: 200,
      message: expect.stringContaining('text/html'),
    });
  });
});

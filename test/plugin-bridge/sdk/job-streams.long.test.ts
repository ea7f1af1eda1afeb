import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ApiError, type Client, type ExportEvent } from '../../../plugin-bridge/sdk/index.ts';
import { untilIdle } from '../../support/aftermath.ts';
import { type FakeVisionServer, startFakeVisionServer } from '../../support/fake-vision-server.ts';
import { noiseImage } from '../../support/small-images.ts';
import {
  chargesOf,
  collect,
  expectOneCharge,
  type SdkHarness,
  startSdkHarness,
  uploadPictures,
} from './sdk-harness.ts';

let vision: FakeVisionServer;
let harness: SdkHarness;
beforeAll(async () => {
  vision = await startFakeVisionServer();
  harness = await startSdkHarness({
    AI_PROVIDER: 'openai-compatible',
    AI_BASE_URL: vision.url,
    AI_MODEL: 'fake-model',
    AI_CANARY: 'off',
    AI_CONCURRENCY: '1',
    AI_MAX_RETRIES: '0',
  });
});
afterAll(async () => {
  await harness?.close();
  await vision?.close();
});
afterEach(async () => {
  vision.delayMs = 0;
  harness.proxy.reset();
  await untilIdle(harness.test);
});

/** Pictures that keep the encoder busy for a while. */
async function uploadNoise(client: Client, count: number) {
  const files = await Promise.all(
    Array.from({ length: count }, async (_, seed) => {
      const { name, bytes } = await noiseImage(`n${seed}.png`, { width: 900, height: 900, seed: seed + 1 });
      return { name, file: new Blob([bytes as Uint8Array<ArrayBuffer>]) };
    }),
  );
  const { sessionId, images } = await client.createSession({ files });
  return { sessionId, images: images.map(({ id }) => ({ id })) };
}

describe('a stream', () => {
  it('sends nothing before its first use', async () => {
    const client = await harness.createClient();
    const { sessionId, images } = await uploadPictures(client, 1);
    harness.proxy.reset();
    const stream = client.exportImages(sessionId, { images, settings: {} });
    expect(stream.idempotencyKey).not.toBe('');
    expect(harness.proxy.seen).toEqual([]);
    await stream.result();
    await expectOneCharge(client, 1);
  });

  it('continues after the last event when a loop was left', async () => {
    const client = await harness.createClient();
    const { sessionId, images } = await uploadPictures(client, 3);
    const stream = client.exportImages(sessionId, { images, settings: {} });
    const seen: string[] = [];
    for await (const { id } of stream) {
      seen.push(id);
      if (seen.length === 2) break;
    }
    for (const { id } of await collect(stream)) seen.push(id);
    expect(new Set(seen).size).toBe(seen.length);
    expect((await stream.result()).summary.completed).toBe(3);
    await expectOneCharge(client, 3);
  });

  it('leaves the job running without a reader', async () => {
    const client = await harness.createClient();
    const { sessionId, images } = await uploadPictures(client, 2);
    const stream = client.exportImages(sessionId, { images, settings: {} });
    for await (const _ of stream) break;
    const jobId = await stream.jobId();
    await expect.poll(async () => (await client.getJob(jobId)).status).toBe('completed');
  });

  it('has the id of its job before the first event is read', async () => {
    const client = await harness.createClient();
    const { sessionId, images } = await uploadPictures(client, 1);
    const stream = client.exportImages(sessionId, { images, settings: {} });
    const jobId = await stream.jobId();
    expect((await collect(stream)).map(({ id }) => id.split(':')[0])).toEqual(expect.arrayContaining([jobId]));
    expect(harness.proxy.seen.filter(({ path }) => path.endsWith('/export'))).toHaveLength(1);
  });

  it('is cancelled at the service, which refunds images that were not exported', async () => {
    const client = await harness.createClient({ credits: 30 });
    const { sessionId, images } = await uploadNoise(client, 12);
    const stream = client.exportImages(sessionId, { images, settings: { format: 'avif' } });
    for await (const { event } of stream) if (event === 'progress') break;
    await stream.cancel();
    const events: ExportEvent[] = await collect(stream);
    const last = events.at(-1);
    expect(last?.event).not.toBe('progress');
    const [refund = 0, charge = 0] = await chargesOf(client);
    expect(charge).toBe(-12);
    expect(refund).toBeGreaterThan(0);
    await stream.cancel();
  });

  it('is cancelled at the service also after its signal has ended the stream, before or after the service has told its id', async () => {
    const client = await harness.createClient({ credits: 30 });
    for (const answered of [true, false]) {
      const { sessionId, images } = await uploadNoise(client, 6);
      const leaving = new AbortController();
      const stream = client.exportImages(
        sessionId,
        { images, settings: { format: 'avif' } },
        { signal: leaving.signal },
      );
      if (answered) for await (const { event } of stream) if (event === 'progress') break;
      leaving.abort();
      await stream.cancel();
      const job = await client.getJob(answered ? await stream.jobId() : newestJob(await client.getSession(sessionId)));
      expect(job.status).toBe('cancelled');
    }
  });

  it('rejects its result with the error of its `error` event', async () => {
    const client = await harness.createClient();
    const { sessionId, images } = await uploadNoise(client, 2);
    const stream = client.exportImages(sessionId, { images, settings: { format: 'avif' } });
    await stream.cancel();
    const error = (await stream.result().catch((caught: unknown) => caught)) as ApiError;
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'job_cancelled', status: 200, details: { jobId: await stream.jobId() } });
  });

  it('is aborted by its signal, and the job continues', async () => {
    const client = await harness.createClient();
    const { sessionId, images } = await uploadNoise(client, 2);
    const controller = new AbortController();
    const stream = client.exportImages(sessionId, { images, settings: {} }, { signal: controller.signal });
    const jobId = await stream.jobId();
    controller.abort();
    await expect(collect(stream)).rejects.toMatchObject({ code: 'aborted' });
    expect((await client.followJob(jobId).result()).results).toHaveLength(2);
  });
});

describe('a followed job', () => {
  it('is streamed from its beginning, or after the last event that was received', async () => {
    const client = await harness.createClient();
    const { sessionId, images } = await uploadPictures(client, 2);
    const stream = client.exportImages(sessionId, { images, settings: {} });
    const all = await collect(stream);
    const jobId = await stream.jobId();
    expect(await collect(client.followJob(jobId))).toHaveLength(all.length);
    const after = await collect(client.followJob(jobId, { lastEventId: all[1]?.id }));
    expect(after.map(({ id }) => id)).toEqual(all.slice(2).map(({ id }) => id));
  });

  it('has no further events but a result if all events were received', async () => {
    const client = await harness.createClient();
    const { sessionId, images } = await uploadPictures(client, 1);
    const stream = client.exportImages(sessionId, { images, settings: {} });
    const last = (await collect(stream)).at(-1);
    const followed = client.followJob(await stream.jobId(), { lastEventId: last?.id });
    expect(await collect(followed)).toEqual([]);
    expect((await followed.result()).summary.completed).toBe(1);
  });
});

describe('an analysis', () => {
  it('describes the images of a session', async () => {
    const client = await harness.createClient();
    const { sessionId } = await uploadPictures(client, 2);
    const { results, provider } = await client.analyzeImages(sessionId, { options: { language: 'en' } }).result();
    expect(provider).toBe('openai-compatible');
    expect(results.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect((await client.getAnalysis(sessionId)).status).toBe('completed');
  });

  it('continues after a broken connection, although it had no listener for a moment', async () => {
    const client = await harness.createClient();
    const { sessionId, images } = await uploadPictures(client, 4);
    vision.delayMs = 100;
    harness.proxy.inject({ kind: 'cut', afterEvents: 6 }, { path: /\/analyze$/, times: 3 });
    const stream = client.analyzeImages(sessionId);
    const events = await collect(stream);
    const ids = events.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(events.at(-1)?.event).toBe('complete');
    const requests = harness.proxy.seen.filter(({ path }) => path.endsWith('/analyze'));
    expect(requests.length).toBeGreaterThan(3);
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    const { results } = await stream.result();
    expect(results.map(({ imageId, status }) => [imageId, status])).toEqual(images.map(({ id }) => [id, 'completed']));
  });
});

function newestJob({ jobs }: Awaited<ReturnType<Client['getSession']>>): string {
  return jobs.at(-1)?.jobId ?? '';
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorEvent, ImageResult } from '#contract';
import { expectCleanBooks, filesOf } from '../support/aftermath.ts';
import { type ApiClient, type ClientEvent, createApiClient, readEvents } from '../support/api-client.ts';
import { startTestService, type TestAccount, type TestService } from '../support/service.ts';
import { noiseImage } from '../support/small-images.ts';

const FORMATS = ['avif', 'webp', 'jpeg'] as const;
const SETTINGS = { formats: FORMATS, preset: 'high', responsive: true, responsiveSizes: [40] };
const FILES = FORMATS.flatMap((format) => [`full ${format}`, `40w ${format}`]);

let dataDir: string;
let test: TestService;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'imagewright-formats-'));
  test = await start();
});
afterAll(async () => {
  await test.close();
  await rm(dataDir, { recursive: true, force: true });
});

function start(): Promise<TestService> {
  // The embedded database, which stays with the directory.
  return startTestService({ DATA_DIR: dataDir, MONGODB_URI: '', WORKERS: '1', SHUTDOWN_SECONDS: '0' });
}

let seed = 8100;
async function begin({ api }: TestAccount, count: number) {
  const images = Array.from({ length: count }, (_, index) =>
    noiseImage(`n${index}.png`, { seed: seed++, width: 200, height: 140 }),
  );
  const uploaded = await api.upload(await Promise.all(images));
  const json = api.exportBody(uploaded, SETTINGS);
  const response = await api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json });
  return { response, jobId: response.headers.get('X-Job-Id') ?? '', sessionId: uploaded.sessionId };
}

/** Reads a stream, and calls back once after the first image that is done. */
async function readUntil(response: Response, onFirst: () => Promise<unknown>): Promise<ClientEvent[]> {
  const events: ClientEvent[] = [];
  let first: Promise<unknown> | undefined;
  try {
    for await (const event of readEvents(response)) {
      events.push(event);
      if (event.event === 'progress' && event.data.step === 'done') first ??= onFirst();
    }
  } catch {
    // The service has stopped.
  }
  await first;
  return events;
}

/** Every file of every completed image is there, whole, and no other one. */
async function expectFiles(api: ApiClient, sessionId: string, results: ImageResult[]): Promise<void> {
  const done = results.filter(({ status }) => status === 'completed');
  for (const { variants } of done) {
    expect(variants.map(({ name, format }) => `${name} ${format}`)).toEqual(FILES);
    for (const { url, size } of variants) {
      const file = await api.request(url);
      expect(file.status).toBe(200);
      expect((await file.arrayBuffer()).byteLength).toBe(size);
    }
  }
  const rest = results.filter(({ status }) => status !== 'completed');
  for (const { variants, creditsCharged } of rest) expect([variants, creditsCharged]).toEqual([[], 0]);
  expect(await filesOf({ dataDir }, sessionId)).not.toContainEqual(expect.stringMatching(/\.part$/));
}

describe('an export in several formats', () => {
  it('that is cancelled keeps images with all their formats, and gives back the credits of the others', async () => {
    const account = await test.createAccount({ credits: 20 });
    const { api } = account;
    const { response, jobId, sessionId } = await begin(account, 8);
    const events = await readUntil(response, () => api.request(`/v1/jobs/${jobId}/cancel`, { method: 'POST' }));
    const last = events.at(-1)?.data as ErrorEvent;
    expect(last.code).toBe('job_cancelled');
    const results = last.results ?? [];
    const done = results.filter(({ status }) => status === 'completed').length;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(8);
    expect(last.credits).toEqual({ charged: 8, refunded: 8 - done, balance: 20 - done });
    await expectFiles(api, sessionId, results);
    await expectCleanBooks(test);
  });

  it('that a stop interrupts is resumed by the next start, for one credit an image', async () => {
    const { apiKey, ...account } = await test.createAccount({ credits: 20 });
    const { response, jobId, sessionId } = await begin({ apiKey, ...account }, 6);
    const stopped = test;
    await readUntil(response, () => stopped.close());
    test = await start();
    const api = createApiClient({ url: test.url, apiKey });
    const events: ClientEvent[] = [];
    for await (const event of readEvents(await api.request(`/v1/jobs/${jobId}/events`))) events.push(event);
    const last = events.at(-1);
    expect(last).toMatchObject({
      event: 'complete',
      data: { status: 'completed', credits: { charged: 6, refunded: 0 } },
    });
    if (last?.event !== 'complete') throw new Error('expected completion');
    expect(await api.balance()).toBe(14);
    await expectFiles(api, sessionId, last.data.results as ImageResult[]);
    await expectCleanBooks(test);
  });

  it('that is ordered again after all that is taken from the files that are there', async () => {
    const account = await test.createAccount({ credits: 20 });
    const uploaded = await account.api.upload([await noiseImage('again.png', { seed: seed++ })]);
    const first = await account.api.run('export', uploaded, SETTINGS);
    const again = await account.api.run('export', uploaded, SETTINGS);
    if (first.last.event !== 'complete' || again.last.event !== 'complete') throw new Error('expected completion');
    const [one, other] = [first.last.data.results[0], again.last.data.results[0]] as ImageResult[];
    expect(other).toMatchObject({ fromCache: true, variants: one?.variants });
    expect(await account.api.balance()).toBe(18);
    await expectCleanBooks(test);
  });
});

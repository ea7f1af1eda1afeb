import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Job } from '#contract';
import { storedFiles } from '../support/aftermath.ts';
import { type ApiClient, type ClientEvent, createApiClient, readEvents } from '../support/api-client.ts';
import { sharedStore } from '../support/database.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { noiseImage } from '../support/small-images.ts';

/** Enough that an export is still at work when a busy machine hears of its first image. */
const IMAGES = 12;

let directory: string;
let embedded: Awaited<ReturnType<typeof sharedStore>>;
let first: TestService;
let second: TestService;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-two-'));
  embedded = await sharedStore(join(directory, 'shared-db'));
  const shared = { MONGODB_URI: embedded.uri, DATA_DIR: directory };
  const env = { ...shared, WORKERS: '1', LEASE_SECONDS: '3', QUALITY_SEARCH: 'off' };
  first = await startTestService(env);
  second = await startTestService(env);
});
afterAll(async () => {
  await first?.close();
  await second?.close();
  await embedded?.close();
  await rm(directory, { recursive: true, force: true });
});

/** An export on the first server, as it is read there, and the same account's client of the second. */
async function exportOnFirst() {
  const { api, apiKey } = await first.createAccount();
  const files = await Promise.all(
    Array.from({ length: IMAGES }, (_, index) =>
      noiseImage(`${index}.png`, { width: 1400, height: 1000, seed: index + 1 }),
    ),
  );
  const uploaded = await api.upload(files);
  const path = `/v1/sessions/${uploaded.sessionId}/export`;
  const response = await api.request(path, { json: api.exportBody(uploaded, { format: 'avif' }) });
  const jobId = response.headers.get('X-Job-Id') ?? '';
  const events: ClientEvent[] = [];
  const ended = (async () => {
    for await (const event of readEvents(response)) events.push(event);
  })();
  const elsewhere = createApiClient({ url: second.url, apiKey });
  await vi.waitFor(
    () => expect(events.some(({ data }) => 'step' in data && data.step === 'done')).toBe(true),
    PATIENCE_MS,
  );
  return { api, elsewhere, uploaded, jobId, events, ended };
}

async function expectBooks(api: ApiClient, jobId: string, last: ClientEvent | undefined): Promise<void> {
  if (!last || last.event === 'progress') throw new Error(`expected a last event of ${jobId}`);
  const { charged = 0, refunded = 0 } = last.data.credits ?? {};
  const completed = (last.data.results ?? []).filter(({ status }) => status === 'completed').length;
  expect({ charged, refunded }).toEqual({ charged: IMAGES, refunded: IMAGES - completed });
  expect(await api.balance()).toBe(25 - completed);
  expect((await first.service.accounts.audit()).broken).toEqual([]);
}

describe('two servers on one database and one directory', () => {
  it('tell the same events, whoever is asked', async () => {
    const { elsewhere, jobId, events, ended } = await exportOnFirst();
    const followed: ClientEvent[] = [];
    for await (const event of readEvents(await elsewhere.request(`/v1/jobs/${jobId}/events`))) followed.push(event);
    await ended;
    expect(followed).toEqual(events);
    expect(followed.map(({ id }) => id)).toEqual(followed.map((_, n) => `${jobId}:${n}`));
  });

  it('stop a job that is cancelled at the other one', async () => {
    const { api, elsewhere, jobId, events, ended } = await exportOnFirst();
    const job = await elsewhere.readJson<Job>(`/v1/jobs/${jobId}/cancel`, { method: 'POST' });
    expect(job).toMatchObject({ status: 'cancelled', credits: { charged: IMAGES } });
    await ended;
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'job_cancelled' } });
    await expectBooks(api, jobId, events.at(-1));
  });

  it('end and settle an export whose session is deleted at the other one, and leave nothing of it', async () => {
    const { api, elsewhere, uploaded, jobId, events, ended } = await exportOnFirst();
    const deleted = await elsewhere.request(`/v1/sessions/${uploaded.sessionId}`, { method: 'DELETE' });
    expect(deleted.status).toBe(204);
    await ended;
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'session_deleted' } });
    await expectBooks(api, jobId, events.at(-1));
    const files = await storedFiles({ dataDir: directory });
    expect(files.filter((file) => file.includes(uploaded.sessionId))).toEqual([]);
    expect((await elsewhere.request(`/v1/jobs/${jobId}`)).status).toBe(404);
  });
});

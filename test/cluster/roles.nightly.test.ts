import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Job } from '#contract';
import { createApiClient } from '../support/api-client.ts';
import { sharedStore } from '../support/database.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { startTestService } from '../support/service.ts';
import { noiseImage, plainImages } from '../support/small-images.ts';

let directory: string;
let embedded: Awaited<ReturnType<typeof sharedStore>>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-roles-'));
  embedded = await sharedStore(join(directory, 'shared-db'));
});
afterAll(async () => {
  await embedded?.close();
  await rm(directory, { recursive: true, force: true });
});

/** Starts a server on the database and files that all of them share. */
async function startServer(env: Record<string, string>) {
  const shared = { MONGODB_URI: embedded.uri, DATA_DIR: directory, WORKERS: '1', QUALITY_SEARCH: 'off' };
  const server = await startTestService({ ...shared, ...env });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= server.close();
    return closed;
  };
  onTestFinished(close);
  return { ...server, close };
}

const statusOf = async (url: string) => (await fetch(url)).status;

describe('servers with roles', () => {
  it('a worker does the jobs of a server of the API, and answers about itself alone', async () => {
    const api = await startServer({ ROLE: 'api' });
    const worker = await startServer({ ROLE: 'worker' });
    const { api: client } = await api.createAccount({ credits: 10 });
    const uploaded = await client.upload(await plainImages(2));

    const sample = await client.run('sample', uploaded, { format: 'webp' });
    expect(sample.last).toMatchObject({ event: 'complete', data: { summary: { completed: 2 } } });
    const { jobId, events, last } = await client.run('export', uploaded, { format: 'webp' });
    expect(last).toMatchObject({ event: 'complete', data: { summary: { completed: 2 }, credits: { charged: 2 } } });
    expect(events.map(({ id }) => id)).toEqual(events.map((_, n) => `${jobId}:${n}`));
    expect(await client.balance()).toBe(8);
    // The room of ended jobs is free again.
    await vi.waitFor(() => expect(api.service.jobs.stats()).toEqual({ waiting: 0, jobs: 0 }), PATIENCE_MS);

    for (const [path, status] of Object.entries({ '/readyz': 200, '/healthz': 200, '/metrics': 200, '/': 404 }))
      expect([path, await statusOf(worker.url + path)]).toEqual([path, status]);
    expect(await statusOf(`${worker.url}/v1/openapi.json`)).toBe(404);
    expect((await api.service.accounts.audit()).broken).toEqual([]);
  });

  it('a cancel at a server of the API ends the job of a worker', async () => {
    const api = await startServer({ ROLE: 'api' });
    await startServer({ ROLE: 'worker' });
    const { api: client } = await api.createAccount({ credits: 10 });
    const files = await Promise.all(
      [1, 2, 3, 4].map((seed) => noiseImage(`${seed}.png`, { width: 1200, height: 900, seed })),
    );
    const uploaded = await client.upload(files);
    const body = client.exportBody(uploaded, { format: 'avif' });
    const response = await client.request(`/v1/sessions/${uploaded.sessionId}/export`, { json: body });
    const jobId = response.headers.get('X-Job-Id') ?? '';
    const job = await client.readJson<Job>(`/v1/jobs/${jobId}/cancel`, { method: 'POST' });
    await response.body?.cancel();
    expect(job).toMatchObject({ status: 'cancelled' });
    expect(await client.balance()).toBe(10 - (job.summary?.completed ?? 0));
  });

  it.each(['api', 'worker'])('the role %s needs a MongoDB server', async (role) => {
    await expect(startTestService({ DATA_DIR: join(directory, role), ROLE: role, MONGODB_URI: '' })).rejects.toThrow(
      `ROLE: ${role} needs MONGODB_URI`,
    );
  });
});

describe('a server that is replaced', () => {
  it('is not ready but serves, then hands its jobs over at once', async () => {
    const leaving = await startServer({ DRAIN_SECONDS: '1', SHUTDOWN_SECONDS: '0' });
    const staying = await startServer({});
    const { api, apiKey } = await leaving.createAccount({ credits: 10 });
    const files = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((seed) => noiseImage(`${seed}.png`, { width: 1200, height: 900, seed })),
    );
    const uploaded = await api.upload(files);
    const path = `/v1/sessions/${uploaded.sessionId}`;
    const response = await api.request(`${path}/export`, { json: api.exportBody(uploaded, { format: 'avif' }) });
    const jobId = response.headers.get('X-Job-Id') ?? '';
    expect(await statusOf(`${leaving.url}/readyz`)).toBe(200);

    const closed = leaving.close();
    expect(await statusOf(`${leaving.url}/readyz`)).toBe(503);
    const served = await api.request(path);
    expect([served.status, served.headers.get('Connection')]).toEqual([200, 'close']);
    await response.body?.cancel();
    await closed;

    const elsewhere = createApiClient({ url: staying.url, apiKey });
    await vi.waitFor(
      async () => expect(await elsewhere.readJson<Job>(`/v1/jobs/${jobId}`)).toMatchObject({ status: 'completed' }),
      { timeout: PATIENCE_MS, interval: 100 },
    );
    expect(await elsewhere.balance()).toBe(4);
    expect((await staying.service.accounts.audit()).broken).toEqual([]);
  });
});

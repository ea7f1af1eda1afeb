import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job, Transaction } from '#contract';
import { type Embedded, startEmbedded } from '../../server/db/embedded/index.ts';
import type { ApiClient } from '../support/api-client.ts';
import { faultyFiles } from './files-on-disk.ts';
import { type FlakyProxy, type ProxyMode, startFlakyProxy } from './flaky-proxy.ts';
import { collect, type Follower, failuresOf, faultsOf, hasEnded, resume } from './job-client.ts';
import { auditOf, clientOf, createAccountIn, type ServiceProcess, startServiceProcess } from './service-process.ts';
import { smallPhotographs } from './small-photographs.ts';

const IMAGES = 8;
/** The outage lasts this long, and until each kind of request was refused. */
const AWAY_MS = Number(process.env.IMAGEWRIGHT_OUTAGE_MS ?? 6000);
/** Two attempts take at most 2.5 s each; the rest is for a busy machine. The driver's own limit is 30 s. */
const LONGEST_REFUSAL_MS = 20_000;

const REQUESTS = ['balance', 'session', 'export', 'upload', 'ready'] as const;
type Request = (typeof REQUESTS)[number];

interface Answer {
  what: Request;
  status: number;
  ms: number;
  retryAfter: string | null;
}

describe('the database is away', () => {
  let dataDir: string;
  let store: Embedded;
  let proxy: FlakyProxy;
  let env: Record<string, string>;
  let direct: Record<string, string>;
  let service: ServiceProcess;
  let key: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'imagewright-away-'));
    store = await startEmbedded({ directory: join(dataDir, 'db') });
    proxy = await startFlakyProxy(store.uri);
    env = { DATA_DIR: dataDir, MONGODB_URI: proxy.uri, SHUTDOWN_SECONDS: '2' };
    direct = { ...env, MONGODB_URI: store.uri };
    key = await createAccountIn(direct, 'away@example.com', 200);
    service = await startServiceProcess(env);
  });
  afterEach(async () => {
    await service?.kill();
    await proxy?.close();
    await store?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Sends requests of every kind until told to stop, and collects the answers. */
  async function load(
    { api, sessionId, imageId }: { api: ApiClient; sessionId: string; imageId: string },
    answers: Answer[],
    until: () => boolean,
  ): Promise<void> {
    const json = { sessionId, images: [{ id: imageId }], settings: { format: 'jpeg' } };
    const photograph = await smallPhotographs(1);
    const requests: [what: Request, send: () => Promise<Response>][] = [
      ['balance', () => api.request('/v1/credits/balance')],
      ['session', () => api.request(`/v1/sessions/${sessionId}`)],
      ['export', () => api.request(`/v1/sessions/${sessionId}/export`, { json })],
      ['upload', () => upload(api, photograph)],
      ['ready', () => fetch(`${service.url}/readyz`)],
    ];
    await Promise.all(
      [...requests, ...requests].map(async ([what, send]) => {
        while (!until()) {
          const startedAt = performance.now();
          const response = await withinTime(send());
          // A stream that has begun may wait for the database; its first bytes may not.
          const ms = performance.now() - startedAt;
          if (what === 'export' && response.ok) await response.body?.cancel();
          else await response.arrayBuffer();
          answers.push({ what, status: response.status, ms, retryAfter: response.headers.get('Retry-After') });
          await sleep(100);
        }
      }),
    );
  }

  async function upload(api: ApiClient, files: Awaited<ReturnType<typeof smallPhotographs>>): Promise<Response> {
    const body = new FormData();
    for (const { name, bytes } of files) body.append('images', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
    return api.request('/v1/sessions', { method: 'POST', body });
  }

  /** Starts an export and collects its events. `ended` resolves when the stream ends, or `hangUp` ends the connection. */
  async function startExport() {
    const api = clientOf(service, key);
    const uploaded = await api.upload(await smallPhotographs(IMAGES));
    const json = api.exportBody(uploaded, { format: 'avif' });
    const connection = new AbortController();
    const { signal } = connection;
    const response = await api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json, signal });
    const follower: Follower = { jobId: null, events: [], clean: false };
    return { api, uploaded, follower, ended: collect(response, follower), hangUp: () => connection.abort() };
  }

  it.each<ProxyMode>(['refusing', 'silent'])(
    '%s: requests answer 503 in time, a running export waits and finishes, nothing is charged twice',
    async (mode) => {
      const { api, uploaded, follower, ended, hangUp } = await startExport();

      let over = false;
      const answers: Answer[] = [];
      const target = { api, sessionId: uploaded.sessionId, imageId: uploaded.images[0]?.id ?? '' };
      const answering = load(target, answers, () => over);
      const refusedKinds = () =>
        REQUESTS.filter((kind) => answers.some(({ what, status }) => what === kind && status === 503));
      await expect.poll(() => answers.length).toBeGreaterThan(0);
      proxy.setMode(mode);
      expect(hasEnded(follower)).toBe(false);
      await sleep(AWAY_MS);
      await expect.poll(refusedKinds).toEqual(REQUESTS);
      proxy.setMode('open');
      const back = answers.length;
      await expect.poll(() => answers.slice(back).some(({ status }) => status < 300)).toBe(true);
      over = true;
      await answering;
      await Promise.race([ended, sleep(10_000)]);
      // Two connections at once would both bring the next event.
      hangUp();
      await ended;

      const refused = answers.filter(({ status }) => status === 503);
      const slowest = answers.reduce((slow, one) => (one.ms > slow.ms ? one : slow));
      const summary = `${answers.length} answers, ${refused.length} of them 503`;
      console.log(`${mode}: ${summary}; slowest ${slowest.what} ${Math.round(slowest.ms)} ms`);
      expect(service.log.filter(({ code }) => code === 'internal_error')).toEqual([]);
      expect(answers.filter(({ status }) => ![200, 201, 503].includes(status))).toEqual([]);
      expect(refused.length).toBeGreaterThan(5);
      expect(refused.filter(({ retryAfter }) => !/^\d+$/.test(retryAfter ?? ''))).toEqual([]);
      expect(refused.filter(({ ms }) => ms > LONGEST_REFUSAL_MS)).toEqual([]);

      await resume(api, follower);
      expect(faultsOf(follower)).toEqual([]);
      expect(failuresOf(follower)).toEqual([]);
      expect(follower.events.at(-1)).toMatchObject({ event: 'complete', data: { summary: { completed: IMAGES } } });
      expect(follower.clean).toBe(true);

      // Every job that is there has its charge, and every charge its job or its refund.
      const jobs = await untilAllJobsEnd(api, uploaded.sessionId);
      const exported = jobs.reduce((sum, job) => sum + (job.summary?.completed ?? 0), 0);
      await expect.poll(() => api.balance()).toBe(200 - exported);
      const { transactions } = await api.readJson<{ transactions: Transaction[] }>(
        '/v1/credits/transactions?limit=200',
      );
      const charged = transactions.filter(({ kind }) => kind === 'charge').map(({ ref }) => ref);
      expect(new Set(charged).size).toBe(charged.length);
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
      expect(await faultyFiles(dataDir)).toEqual([]);
      // A movement whose line is still to be written is finished by the regular chores.
      expect(await auditOf(direct)).toMatchObject({ ok: true, broken: [] });
    },
  );

  it('SIGTERM meanwhile: the process still ends in time, and the next one finishes the export', async () => {
    const { follower, ended } = await startExport();
    await sleep(300);
    proxy.setMode('silent');
    await sleep(500);
    const startedAt = performance.now();
    await service.terminate();
    expect(performance.now() - startedAt).toBeLessThan(60_000);
    await ended;
    proxy.setMode('open');

    service = await startServiceProcess({ ...env, LEASE_SECONDS: '3' });
    const after = clientOf(service, key);
    await resume(after, follower);
    expect(faultsOf(follower)).toEqual([]);
    expect({ failed: failuresOf(follower), log: alarmsOf(service) }).toEqual({ failed: [], log: [] });
    expect(follower.events.at(-1)).toMatchObject({ event: 'complete', data: { summary: { completed: IMAGES } } });
    expect(await after.balance()).toBe(200 - IMAGES);
    expect(await auditOf(direct)).toEqual({ ok: true, broken: [], pending: 0 });
  });
});

/** Returns the errors in a service's log. */
function alarmsOf({ log }: ServiceProcess): Record<string, unknown>[] {
  return log.filter(({ level }) => Number(level) >= 50);
}

/** An answer that never comes counts as one of status 0, so that it is seen which one it was. */
function withinTime(answer: Promise<Response>): Promise<Response> {
  return Promise.race([answer, sleep(60_000).then(() => Response.error())]);
}

async function untilAllJobsEnd(api: ApiClient, sessionId: string): Promise<Job[]> {
  const read = async () => (await api.readJson<{ jobs: Job[] }>(`/v1/sessions/${sessionId}`)).jobs;
  await expect.poll(async () => (await read()).filter(({ finishedAt }) => finishedAt === null)).toEqual([]);
  return read();
}

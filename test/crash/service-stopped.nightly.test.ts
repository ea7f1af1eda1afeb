import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openAccounts } from '../../server/compose-accounts.ts';
import type { ApiClient } from '../support/api-client.ts';
import { onTestServer } from '../support/database.ts';
import { startMailServer } from '../support/mail-server.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { faultyFiles } from './files-on-disk.ts';
import { collect, type Follower, faultsOf, hasEnded, resume } from './job-client.ts';
import { auditOf, clientOf, createAccountIn, type ServiceProcess, startServiceProcess } from './service-process.ts';
import { smallPhotographs } from './small-photographs.ts';

const IMAGES = 16;

describe('SIGTERM during an export', () => {
  let dataDir: string;
  let env: Record<string, string>;
  let service: ServiceProcess;
  let key: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'imagewright-stop-'));
    env = onTestServer({ DATA_DIR: dataDir });
    key = await createAccountIn(env, 'stop@example.com', 100);
  });
  afterEach(async () => {
    await service?.kill();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Starts an export and returns once an image of it is in work. */
  async function startExport(api: ApiClient): Promise<{ follower: Follower; ended: Promise<void> }> {
    const uploaded = await api.upload(await smallPhotographs(IMAGES));
    const json = api.exportBody(uploaded, { format: 'avif', preset: 'very_high' });
    const response = await api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json });
    const follower: Follower = { jobId: null, events: [], clean: false };
    let ended = Promise.resolve();
    await new Promise<void>((resolve) => {
      ended = collect(response, follower, ({ event, data }) => {
        if (event === 'progress' && data.step === 'load') resolve();
      });
    });
    return { follower, ended };
  }

  it('lets the export finish within SHUTDOWN_SECONDS; /readyz says 503, new exports are refused', async () => {
    service = await startServiceProcess({ ...env, SHUTDOWN_SECONDS: '60' });
    const api = clientOf(service, key);
    const second = await api.upload(await smallPhotographs(1));
    const { follower, ended } = await startExport(api);
    const exit = service.terminate();
    const { url } = service;
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { interval: 20 }).toBe(503);
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    const refused = await api.request(`/v1/sessions/${second.sessionId}/export`, { json: api.exportBody(second, {}) });
    expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'shutting_down' }]);
    expect(refused.headers.get('Retry-After')).toMatch(/^\d+$/);

    expect(await exit).toBe(0);
    await ended;
    expect(follower.clean).toBe(true);
    expect(faultsOf(follower)).toEqual([]);
    expect(follower.events.at(-1)).toMatchObject({ event: 'complete', data: { summary: { completed: IMAGES } } });
    expect(await auditOf(env)).toEqual({ ok: true, broken: [], pending: 0 });
  });

  it('hands a longer export over to the next start; open streams end in time', async () => {
    service = await startServiceProcess({ ...env, SHUTDOWN_SECONDS: '0' });
    const { follower, ended } = await startExport(clientOf(service, key));
    expect(await service.terminate()).toBe(0);
    await ended;
    expect(follower.clean).toBe(true);
    expect(hasEnded(follower)).toBe(false);
    expect(await faultyFiles(dataDir)).toEqual([]);

    service = await startServiceProcess(env);
    const api = clientOf(service, key);
    await resume(api, follower);
    expect(faultsOf(follower)).toEqual([]);
    expect(follower.events.at(-1)).toMatchObject({ event: 'complete', data: { summary: { completed: IMAGES } } });
    expect(await api.balance()).toBe(100 - IMAGES);
    expect(await faultyFiles(dataDir)).toEqual([]);
    expect(await auditOf(env)).toEqual({ ok: true, broken: [], pending: 0 });
  });
});

describe('SIGTERM while a mail server says nothing', () => {
  it('ends the service all the same, and the next start sends the mails that waited', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-stop-'));
    const mail = await startMailServer();
    let service: ServiceProcess | undefined;
    try {
      const env = { DATA_DIR: dataDir, SMTP_URL: mail.url, SIGN_UP: 'open' };
      const { signIn, close } = await openAccounts(env);
      // Later orders are left to the service.
      await signIn.close();
      for (const name of ['one', 'two', 'three']) {
        await signIn.signUp.request(`${name}@example.com`, { address: '192.0.2.1', userAgent: '' });
      }
      await close();

      mail.state.mode = 'mute';
      service = await startServiceProcess(env);
      await vi.waitFor(() => expect(mail.state.connections).toBe(1), { timeout: PATIENCE_MS });
      const startedAt = performance.now();
      expect(await service.terminate()).toBe(0);
      expect(performance.now() - startedAt).toBeLessThan(30_000);

      mail.state.mode = 'accept';
      service = await startServiceProcess(env);
      // The one that was being sent is left alone as long as its server may still be at it.
      await vi.waitFor(() => expect(mail.received).toHaveLength(2), { timeout: PATIENCE_MS });
      // To where it listens now: neither the port of the run before nor the 0 that it was told.
      for (const { text } of mail.received) expect(text).toContain(`${service.url}/dashboard/confirm#token=`);
      expect(await service.terminate()).toBe(0);
    } finally {
      await service?.kill();
      await mail.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

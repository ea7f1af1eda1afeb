import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS, errorCodesOf } from '#contract';
import { storedFiles } from '../support/aftermath.ts';
import type { ApiClient } from '../support/api-client.ts';
import { faultyFiles } from './files-on-disk.ts';
import { collect, type Follower, faultsOf, resume } from './job-client.ts';
import { auditOf, clientOf, createAccountIn, type ServiceProcess, startServiceProcess } from './service-process.ts';
import { mountSmallDisk, reasonNotToMount } from './small-disk.ts';
import { smallPhotographs } from './small-photographs.ts';

const DISK_MB = 16;
const IMAGES = 6;

const reason = reasonNotToMount();
if (reason) console.warn(`SKIPPED: the disk-full tests did not run, because ${reason}`);

describe.skipIf(reason !== null)('the disk of the files is full', () => {
  let dataDir: string;
  let disk: ReturnType<typeof mountSmallDisk>;
  let env: Record<string, string>;
  let service: ServiceProcess;
  let api: ApiClient;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'imagewright-full-'));
    const files = join(dataDir, 'files');
    await mkdir(files);
    disk = mountSmallDisk(files, DISK_MB);
    env = { DATA_DIR: dataDir };
    const key = await createAccountIn(env, 'full@example.com', 100);
    service = await startServiceProcess(env);
    api = clientOf(service, key);
  });
  afterAll(async () => {
    await service?.kill();
    disk.unmount();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function upload(count: number): Promise<Response> {
    const body = new FormData();
    for (const { name, bytes } of await smallPhotographs(count)) {
      body.append('images', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
    }
    return api.request('/v1/sessions', { method: 'POST', body });
  }

  it('an upload is answered 507 and leaves nothing; with space again it succeeds', async () => {
    const before = await storedFiles({ dataDir });
    await disk.fill(65_536);
    const refused = await upload(IMAGES);
    expect([refused.status, await refused.json()]).toMatchObject([507, { code: 'insufficient_storage' }]);
    expect((await storedFiles({ dataDir })).filter((file) => file !== 'ballast')).toEqual(before);
    await disk.empty();
    expect((await upload(1)).status).toBe(201);
  });

  it('an upload without a length that runs into the end of the disk is answered 507 too', async () => {
    const before = await storedFiles({ dataDir });
    await disk.fill(200_000);
    const form = new FormData();
    for (const { name, bytes } of await smallPhotographs(IMAGES))
      form.append('images', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
    const encoded = new Response(form);
    const refused = await api.request('/v1/sessions', {
      method: 'POST',
      headers: { 'Content-Type': encoded.headers.get('Content-Type') ?? '' },
      body: encoded.body,
      duplex: 'half',
    } as RequestInit);
    expect([refused.status, await refused.json()]).toMatchObject([507, { code: 'insufficient_storage' }]);
    expect((await storedFiles({ dataDir })).filter((file) => file !== 'ballast')).toEqual(before);
    await disk.empty();
  });

  it.each([
    ['no space at all', 0, 'high'],
    ['space for some of them', 250_000, 'low'],
  ])('%s: images fail one by one, are refunded, and leave nothing partial', async (_what, leave, preset) => {
    const uploaded = await api.upload(await smallPhotographs(IMAGES));
    const balance = await api.balance();
    await disk.fill(leave);
    const { last } = await api.run('export', uploaded, { format: 'png', preset });
    await disk.empty();

    const { results = [], credits } = last.data;
    const failed = results.filter(({ status }) => status === 'failed');
    expect(results).toHaveLength(IMAGES);
    expect(failed.length).toBeGreaterThan(0);
    expect(new Set(failed.map(({ error }) => error?.code))).toEqual(new Set(['insufficient_storage']));
    expect(credits?.refunded).toBe(failed.length);
    expect(await api.balance()).toBe(balance - (IMAGES - failed.length));
    expect(await faultyFiles(dataDir)).toEqual([]);

    const again = await api.run('export', uploaded, { format: 'png', preset });
    expect(again.last).toMatchObject({ event: 'complete', data: { summary: { completed: IMAGES } } });
    expect(service.child.exitCode).toBeNull();
    expect(await auditOf(env)).toEqual({ ok: true, broken: [], pending: 0 });
    await api.request(`/v1/sessions/${uploaded.sessionId}`, { method: 'DELETE' });
  });
});

describe.skipIf(reason !== null)('the disk of everything is full, the database included', () => {
  it('is answered 507, charges nothing, and does not end the service, which goes on when there is space', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-full-'));
    const disk = mountSmallDisk(dataDir, DISK_MB);
    let service: ServiceProcess | undefined;
    try {
      const env = { DATA_DIR: dataDir };
      const key = await createAccountIn(env, 'full@example.com', 100);
      service = await startServiceProcess(env);
      const api = clientOf(service, key);
      const uploaded = await api.upload(await smallPhotographs(2));
      const json = api.exportBody(uploaded, { format: 'webp' });
      const path = `/v1/sessions/${uploaded.sessionId}/export`;

      await disk.fill(0);
      for (let attempt = 0; attempt < 20; attempt++) {
        const refused = await api.request(path, { json });
        expect([refused.status, await refused.json()]).toMatchObject([507, { code: 'insufficient_storage' }]);
      }
      expect(errorCodesOf(ENDPOINTS.exportImages)).toContain('insufficient_storage');
      expect(await api.balance()).toBe(100);
      await disk.empty();

      const { last } = await api.run('export', uploaded, { format: 'webp' });
      expect(last).toMatchObject({ event: 'complete', data: { summary: { completed: 2 } } });
      expect(await api.balance()).toBe(98);
      expect(service.child.exitCode).toBeNull();
      expect(await auditOf(env)).toEqual({ ok: true, broken: [], pending: 0 });
      expect(await service.terminate()).toBe(0);
    } finally {
      await service?.kill();
      disk.unmount();
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  it('in the middle of an export: that is stopped, and goes on by itself when there is space', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-full-'));
    const disk = mountSmallDisk(dataDir, DISK_MB);
    let service: ServiceProcess | undefined;
    try {
      const env = { DATA_DIR: dataDir, LEASE_SECONDS: '3' };
      const key = await createAccountIn(env, 'full@example.com', 100);
      service = await startServiceProcess(env);
      const { log } = service;
      const api = clientOf(service, key);
      const uploaded = await api.upload(await smallPhotographs(20));
      const json = api.exportBody(uploaded, { format: 'webp', preset: 'maximum' });
      const follower: Follower = { jobId: null, events: [], clean: false };
      let filled: Promise<void> | undefined;
      const response = await api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json });
      const collected = collect(response, follower, ({ data }) => {
        if ('current' in data && data.current > 0) filled ??= disk.fill(0);
      });
      await expect.poll(() => log.some(({ msg }) => msg === 'a job stopped unexpectedly')).toBe(true);
      await filled;
      await disk.empty();
      await collected;
      await resume(api, follower);
      expect(faultsOf(follower)).toEqual([]);
      expect(follower.events.at(-1)).toMatchObject({ event: 'complete', data: { summary: { completed: 20 } } });
      expect(await api.balance()).toBe(80);
      expect(await auditOf(env)).toEqual({ ok: true, broken: [], pending: 0 });
      expect(await faultyFiles(dataDir)).toEqual([]);
      expect(await service.terminate()).toBe(0);
    } finally {
      await service?.kill();
      disk.unmount();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

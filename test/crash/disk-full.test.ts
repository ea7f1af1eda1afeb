import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedFiles } from '../support/aftermath.ts';
import type { ApiClient } from '../support/api-client.ts';
import { faultyFiles } from './files-on-disk.ts';
import { auditOf, clientOf, createAccountIn, type ServiceProcess, startServiceProcess } from './service-process.ts';
import { smallPhotographs } from './small-photographs.ts';

const DISK_MB = 16;
const IMAGES = 6;

/** Why no small disk can be mounted here; null when one can. */
function reasonNotToMount(): string | null {
  if (process.platform !== 'linux') return `mounting a tmpfs needs Linux, this is ${process.platform}`;
  const place = join(tmpdir(), `imagewright-mount-${process.pid}`);
  try {
    mkdirSync(place, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place], { stdio: 'pipe' });
    execFileSync('umount', [place]);
    return null;
  } catch (error) {
    return `this user may not mount a tmpfs: ${String((error as Error).message)
      .split('\n')
      .at(-1)}`;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

const reason = reasonNotToMount();
if (reason) console.warn(`SKIPPED: the disk-full tests did not run, because ${reason}`);

describe.skipIf(reason !== null)('the disk of the files is full', () => {
  let dataDir: string;
  let disk: string;
  let env: Record<string, string>;
  let service: ServiceProcess;
  let api: ApiClient;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'imagewright-full-'));
    disk = join(dataDir, 'files');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', disk]);
    env = { DATA_DIR: dataDir };
    const key = await createAccountIn(env, 'full@example.com', 100);
    service = await startServiceProcess(env);
    api = clientOf(service, key);
  });
  afterAll(async () => {
    await service?.kill();
    execFileSync('umount', ['-l', disk]);
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Takes all space but this much. */
  async function fillDisk(leaveBytes: number): Promise<void> {
    const { bavail, bsize } = statfsSync(disk);
    const handle = await open(join(disk, 'ballast'), 'w');
    await handle.writeFile(Buffer.alloc(bavail * bsize - leaveBytes));
    await handle.close();
  }
  const emptyDisk = () => rm(join(disk, 'ballast'), { force: true });

  async function upload(count: number): Promise<Response> {
    const body = new FormData();
    for (const { name, bytes } of await smallPhotographs(count)) {
      body.append('images', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
    }
    return api.request('/v1/sessions', { method: 'POST', body });
  }

  it('an upload is answered 507 and leaves nothing; with space again it succeeds', async () => {
    const before = await storedFiles({ dataDir });
    await fillDisk(65_536);
    const refused = await upload(IMAGES);
    expect([refused.status, await refused.json()]).toMatchObject([507, { code: 'insufficient_storage' }]);
    expect((await storedFiles({ dataDir })).filter((file) => file !== 'ballast')).toEqual(before);
    await emptyDisk();
    expect((await upload(1)).status).toBe(201);
  });

  it('an upload without a length that runs into the end of the disk is answered 507 too', async () => {
    const before = await storedFiles({ dataDir });
    await fillDisk(200_000);
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
    await emptyDisk();
  });

  it.each([
    ['no space at all', 0, 'high'],
    ['space for some of them', 250_000, 'low'],
  ])('%s: images fail one by one, are refunded, and leave nothing partial', async (_what, leave, preset) => {
    const uploaded = await api.upload(await smallPhotographs(IMAGES));
    const balance = await api.balance();
    await fillDisk(leave);
    const { last } = await api.run('export', uploaded, { format: 'png', preset });
    await emptyDisk();

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

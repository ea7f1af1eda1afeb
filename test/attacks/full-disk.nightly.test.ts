import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { mountSmallDisk, reasonNotToMount } from '../crash/small-disk.ts';
import { createPerson, PASSWORD } from '../support/browser-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImages } from '../support/small-images.ts';

const DISK_MB = 24;

const reason = reasonNotToMount();
if (reason) console.warn(`SKIPPED: the full-disk attacks did not run, because ${reason}`);

describe.skipIf(reason !== null)('on a full disk', () => {
  let dataDir: string;
  let disk: ReturnType<typeof mountSmallDisk>;
  let test: TestService;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'imagewright-full-'));
    disk = mountSmallDisk(dataDir, DISK_MB);
    // No sweep runs beside those of the tests.
    test = await startTestService({ DATA_DIR: dataDir, SWEEP_SECONDS: '3600', WORKERS: '1' });
  });
  afterEach(() => disk.empty());
  afterAll(async () => {
    await test.close();
    disk.unmount();
    await rm(dataDir, { recursive: true, force: true });
  });

  const statusOf = async (path: string, method = 'GET', api = test.api) => {
    const response = await api.request(path, { method });
    await response.text();
    return response.status;
  };

  it('sessions, links and accounts can be deleted, and nothing can be added', async () => {
    const me = await createPerson(test);
    const uploaded = [];
    for (let count = 0; count < 5; count += 1)
      uploaded.push(await test.api.upload(await plainImages(20, { from: count * 20 })));
    const path = `/v1/sessions/${uploaded[0]?.sessionId}`;
    const { id: shareId } = await test.api.readJson<{ id: string }>(`${path}/shares`, { json: {} });

    await disk.fill(0);
    const more = new FormData();
    more.append('images', new Blob([(await plainImages(1))[0]?.bytes as Uint8Array<ArrayBuffer>]), 'more.png');
    expect((await test.api.request('/v1/sessions', { method: 'POST', body: more })).status).toBe(507);
    expect(await statusOf(`${path}/shares/${shareId}`, 'DELETE')).toBe(204);
    for (const { sessionId } of uploaded) expect(await statusOf(`/v1/sessions/${sessionId}`, 'DELETE')).toBe(204);
    for (const { sessionId } of uploaded) expect(await statusOf(`/v1/sessions/${sessionId}`)).toBe(404);
    // Others use the freed space at once.
    await disk.empty();
    await disk.fill(0);
    expect((await me.browser.post('/account/delete', { password: PASSWORD })).status).toBe(204);
    expect((await me.browser.get('/account/profile')).status).toBe(401);
    await disk.empty();
    expect((await test.api.upload(await plainImages(1))).images).toHaveLength(1);
  });

  it('the sweep removes sessions that have expired', async () => {
    const { sessionId } = await test.api.upload(await plainImages(30, { from: 500 }));
    const database = await test.openDatabase();
    const [old] = await database.sessions
      .findDisposable(new Date(Date.now() + 48 * 3_600_000), 1000)
      .then((all) => all.filter(({ _id }) => _id === sessionId));
    await database.sessions.remove(sessionId);
    if (old) await database.sessions.insert({ ...old, expiresAt: new Date(0) });
    await disk.fill(0);
    expect(await test.service.disposal.sweep()).toBe(1);
    expect(await database.sessions.exists(sessionId)).toBe(false);
    await database.close();
  });

  it('a job can be cancelled, and is settled when there is space', async () => {
    const account = await test.createAccount({ credits: 25 });
    const uploaded = await account.api.upload(await plainImages(6, { from: 900, width: 400, height: 400 }));
    const started = await account.api.request(`/v1/sessions/${uploaded.sessionId}/export`, {
      json: account.api.exportBody(uploaded, { format: 'avif' }),
    });
    const jobId = started.headers.get('X-Job-Id') ?? '';
    await disk.fill(0);
    expect([200, 409]).toContain(await statusOf(`/v1/jobs/${jobId}/cancel`, 'POST', account.api));
    await disk.empty();
    await started.body?.cancel();
    await test.service.jobs.recover({ alone: true });
    const job = () => account.api.readJson<{ status: string; results: { status: string }[] }>(`/v1/jobs/${jobId}`);
    await expect.poll(async () => (await job()).status).not.toBe('processing');
    const done = (await job()).results.filter(({ status }) => status === 'completed').length;
    await expect.poll(() => account.api.balance()).toBe(25 - done);
  });
});

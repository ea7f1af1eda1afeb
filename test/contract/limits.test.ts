import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Balance, Session, UploadResult } from '#contract';
import { type ApiClient, formOf } from '../support/api-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { noiseImage, plainImages } from '../support/small-images.ts';

const PLANS = JSON.stringify({
  free: { keys: 1, samplesPerDay: 5, storageMb: 1, sessions: 3 },
  limited: { keys: 1, sessions: 1 },
  open: { keys: 1 },
});

let test: TestService;
let api: ApiClient;
let logged = '';
beforeAll(async () => {
  const env = { PLANS, SIGN_UP: 'open', LOG_LEVEL: 'warn' };
  test = await startTestService(env, { log: (line) => (logged += line) });
});
afterAll(() => test.close());
beforeEach(async () => {
  ({ api } = await test.createAccount());
});

const limitsOf = async (client = api) => (await client.readJson<Balance>('/v1/credits/balance')).limits;

async function refusal(response: Response) {
  const { code, limit, used, error } = (await response.json()) as Record<string, unknown>;
  return { status: response.status, after: response.headers.get('Retry-After'), code, limit, used, error };
}

const sample = (uploaded: UploadResult, settings = {}) =>
  api.request(`/v1/sessions/${uploaded.sessionId}/sample`, { json: api.exportBody(uploaded, settings) });

const upload = async (count: number, width: number) => api.upload(await plainImages(count, { width, height: width }));

it('samples count by image, those in the cache and exports do not, and more than the limit are refused with 429', async () => {
  const uploaded = await upload(3, 60);
  await api.run('sample', uploaded);
  await api.run('sample', uploaded);
  await api.run('export', uploaded, { format: 'avif' });
  expect((await limitsOf()).samplesPerDay).toMatchObject({ limit: 5, used: 3 });
  const refused = await refusal(await sample(uploaded, { format: 'jpeg' }));
  expect(refused).toMatchObject({ status: 429, code: 'daily_limit_reached', limit: 5, used: 3 });
  expect(Number(refused.after)).toBeGreaterThan(0);
  expect(refused.error).toContain('3 of 5 images');
  // The refused request counts nothing, what is in the cache is still given, and nothing was paid for samples.
  expect((await limitsOf()).samplesPerDay).toMatchObject({ used: 3 });
  expect((await api.run('sample', uploaded)).last.event).toBe('complete');
  expect(await api.balance()).toBe(22);
});

it('images that onlySmaller exports without a gain count as samples; with none left, such exports are refused unpaid', async () => {
  let uploaded = await upload(4, 50);
  const run = (format: string, bytes: number, from = api) => {
    const images = uploaded.images.map(({ id }) => ({ id, replaces: [{ name: 'full', bytes }] }));
    const json = { images, settings: { format, onlySmaller: true } };
    return from.request(`/v1/sessions/${uploaded.sessionId}/export`, { json });
  };
  const used = async () => (await limitsOf()).samplesPerDay?.used;
  await (await run('webp', 1)).text();
  expect(await used()).toBe(4);
  // Images that are in the cache, were not made or have a gain do not count.
  for (const [format, bytes] of [
    ['webp', 1],
    ['avif', 0],
    ['avif', 1e6],
  ] as const)
    await (await run(format, bytes)).text();
  expect([await used(), await api.balance()]).toEqual([4, 21]);
  // A running export does not fail by the limit.
  await (await run('png', 1)).text();
  expect(await used()).toBe(8);
  const refused = await refusal(await run('jpeg', 1e6));
  expect(refused).toMatchObject({ status: 429, code: 'daily_limit_reached', limit: 5, used: 8 });
  expect(await (await run('png', 1)).text()).toContain('event: complete');
  expect(await api.balance()).toBe(21);
  expect((await api.run('export', uploaded, { format: 'jpeg' })).last.event).toBe('complete');
  // An account without the limit is never refused.
  const { api: owner } = await test.createAccount({ plan: 'open' });
  uploaded = await owner.upload(await plainImages(6));
  for (const format of ['webp', 'png', 'jpeg']) expect(await (await run(format, 1, owner)).text()).toContain('no_gain');
});

it('a session above the limit is refused with 429, which says how to delete one', async () => {
  const { api: owner } = await test.createAccount({ plan: 'limited' });
  const first = await owner.upload(await plainImages(1));
  const key = { 'Idempotency-Key': 'second' };
  const create = async () =>
    owner.request('/v1/sessions', { method: 'POST', body: await formOf(await plainImages(2)), headers: key });
  const refused = await refusal(await create());
  expect(refused).toMatchObject({ status: 429, code: 'session_limit_reached', limit: 1, used: 1 });
  expect(refused.error).toContain('DELETE /v1/sessions/:sessionId');
  // The only session expires in 24 hours.
  expect(Number(refused.after)).toBeGreaterThan(86_000);
  await owner.upload(await plainImages(1), { sessionId: first.sessionId });
  await owner.request(`/v1/sessions/${first.sessionId}`, { method: 'DELETE' });
  const created = await create();
  expect(created.status).toBe(201);
  // The answer that was lost is given again, although the limit is reached meanwhile.
  expect(await (await create()).json()).toEqual(await created.json());
});

it('uploads at the same moment do not exceed the number of sessions together', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => upload(1, 40)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  expect((await limitsOf()).sessions).toEqual({ limit: 3, used: 3 });
});

it('storage counts uploads, previews, samples and results, each file once', async () => {
  const { api: owner, accountId } = await test.createAccount({ plan: 'open' });
  const uploaded = await owner.upload([await noiseImage('noise.png', { width: 300, height: 200 })]);
  const [image] = uploaded.images;
  const settings = { format: 'webp', preset: 'high', responsive: true, responsiveSizes: [100] };
  await owner.run('sample', uploaded, settings);
  await owner.run('export', uploaded, settings);
  await owner.run('export', uploaded, { ...settings, responsive: false });
  await owner.run('export', uploaded, settings);
  await owner.request(`/v1/sessions/${uploaded.sessionId}/images/${image?.id}/preview?width=64`);
  const database = await test.openDatabase();
  const counted = await database.sessions.bytesOfAccount(accountId);
  await database.close();
  expect(counted).toBe(await bytesOnDisk(uploaded.sessionId));
});

it('an upload, a sample or an export above the storage of the plan is refused with 507, before anything is paid', async () => {
  const large = await noiseImage('noise.png', { width: 600, height: 400 });
  const send = async (key: string) => {
    const headers = { 'Idempotency-Key': key };
    return api.request('/v1/sessions', { method: 'POST', headers, body: await formOf([large]) });
  };
  const uploaded = (await (await send('first')).json()) as UploadResult;
  const refused = await refusal(await send('second'));
  const used = Math.ceil(large.bytes.length / 1e5) / 10;
  expect(refused).toMatchObject({ status: 507, code: 'storage_limit_reached', limit: 1, used });
  await api.run('export', uploaded, { format: 'png' });
  expect((await limitsOf()).storageMb?.used).toBeGreaterThan(1);
  // A repetition of what is stored gets its response also when nothing more fits.
  expect(await (await send('first')).json()).toEqual(uploaded);
  const credits = await api.balance();
  for (const kind of ['sample', 'export']) {
    const path = `/v1/sessions/${uploaded.sessionId}/${kind}`;
    const answer = await refusal(await api.request(path, { json: api.exportBody(uploaded, { format: 'webp' }) }));
    expect(answer).toMatchObject({ status: 507, code: 'storage_limit_reached' });
  }
  expect(await api.balance()).toBe(credits);
  expect(await api.readJson<Session>(`/v1/sessions/${uploaded.sessionId}`)).toMatchObject({ images: [{}] });
  await api.request(`/v1/sessions/${uploaded.sessionId}`, { method: 'DELETE' });
  expect((await limitsOf()).storageMb?.used).toBe(0);
});

it('the log warns when sign-up is open to a plan that lacks limits', () => {
  expect(logged).toContain('"missing":["analysesPerDay"]');
});

/** Sums the bytes of a session's files; one that sample and export hold counts once. */
async function bytesOnDisk(sessionId: string): Promise<number> {
  const database = await test.openDatabase();
  const files = new Set(await database.outputs.pathsOfSession(sessionId));
  await database.close();
  const folder = join('sessions', sessionId);
  const entries = await readdir(join(test.dataDir, 'files', folder), { recursive: true, withFileTypes: true });
  for (const entry of entries)
    if (entry.isFile()) files.add(relative(join(test.dataDir, 'files'), join(entry.parentPath, entry.name)));
  const sizes = await Promise.all([...files].map(async (file) => (await stat(join(test.dataDir, 'files', file))).size));
  expect(files.size).toBe(1 + 1 + 2);
  return sizes.reduce((sum, size) => sum + size, 0);
}

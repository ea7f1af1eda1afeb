import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectDatabase } from '../../server/db/connect.ts';
import { createJobEventRepository, eventId } from '../../server/db/repositories/job-history.ts';
import { type ApiClient, readEvents } from '../support/api-client.ts';
import { inParallel } from '../support/raw-request.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImages } from '../support/small-images.ts';

const EXPORTS = 200;
/** Exports at once: an account may have 64 uploads open. */
const AT_ONCE = 40;
/** A member that does not answer is replaced after 10 s. */
const SILENT_MS = 20_000;
const IMAGES = 3;

let admin: MongoClient;
let service: TestService;
let api: ApiClient;

beforeAll(async () => {
  admin = await new MongoClient(process.env.TEST_MONGODB_URI ?? '').connect();
  service = await startTestService({ LEASE_SECONDS: '5' });
  api = (await service.createAccount({ credits: 10_000, plan: 'agency' })).api;
});
afterAll(async () => {
  await service?.close();
  await admin?.close();
});

/** Repeats a request, with the same `Idempotency-Key`, while it gets 503. */
async function send(path: string, init: RequestInit & { json?: unknown }, key: string): Promise<Response> {
  for (;;) {
    const response = await api.request(path, { ...init, headers: { 'Idempotency-Key': key } });
    if (response.status !== 503) return response;
    expect(response.headers.get('Retry-After')).not.toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Exports some images to the last event; returns how many were completed. */
async function exportOnce(key: string): Promise<number> {
  const form = new FormData();
  for (const { name, bytes } of await plainImages(IMAGES))
    form.append('images', new Blob([bytes as Uint8Array<ArrayBuffer>]), `${key}-${name}`);
  const sent = await send('/v1/sessions', { method: 'POST', body: form }, `upload-${key}`);
  expect(sent.status).toBe(201);
  const uploaded = await sent.json();
  const json = api.exportBody(uploaded, { format: 'webp' });
  const response = await send(`/v1/sessions/${uploaded.sessionId}/export`, { json }, `export-${key}`);
  expect(response.status).toBe(200);
  for await (const { event, data } of readEvents(response)) if (event === 'complete') return data.summary.completed;
  throw new Error(`export ${key} ended without a complete event`);
}

/** Exports much while something happens to the primary; nothing may fail or cost twice. */
async function exportWhile(name: string, happens: () => Promise<unknown>): Promise<void> {
  const before = await api.balance();
  const completed: number[] = [];
  const exporting = inParallel(
    Array.from({ length: EXPORTS }, (_, number) => `${name}-${number}`),
    AT_ONCE,
    async (key) => void completed.push(await exportOnce(key)),
  );
  await Promise.all([exporting, happens()]);
  expect(completed).toEqual(Array(EXPORTS).fill(IMAGES));
  expect(before - (await api.balance())).toBe(EXPORTS * IMAGES);
  expect((await service.service.accounts.audit()).broken).toEqual([]);
}

/** Returns the process of the present primary. */
async function primaryPid(): Promise<number> {
  const { primary } = await admin.db('admin').command({ hello: 1 });
  const { members } = await admin.db('admin').command({ replSetGetStatus: 1 });
  const index = members.findIndex(({ name }: { name: string }) => name === primary);
  return (process.env.TEST_MONGODB_MEMBERS ?? '').split(',').map(Number)[index] ?? 0;
}

it('a step-down of the primary during exports fails nothing and costs nothing twice', async () => {
  await exportWhile('stepdown', () =>
    admin
      .db('admin')
      .command({ replSetStepDown: 10, force: true })
      // Some versions close the connection that asked.
      .catch(() => {}),
  );
});

it('a primary that is cut off during exports fails nothing and costs nothing twice', async () => {
  const pid = await primaryPid();
  await exportWhile('silent', async () => {
    process.kill(pid, 'SIGSTOP');
    await sleep(SILENT_MS);
    process.kill(pid, 'SIGCONT');
  });
});

it('a killed primary during exports fails nothing and costs nothing twice', async () => {
  const pid = await primaryPid();
  await exportWhile('kill', async () => process.kill(pid, 'SIGKILL'));
});

it('no query of exports, lists and figures reads a whole collection or sorts in memory', async () => {
  const { uri } = await databaseOfService();
  const client = await new MongoClient(uri).connect();
  const database = client.db();
  await database.command({ profile: 2 });
  await exportOnce('profiled');
  const uploaded = await api.upload(await plainImages(2));
  await api.run('sample', uploaded, { format: 'webp' });
  const { last } = await api.run('export', uploaded, { format: 'jpeg' });
  for (const path of [
    `/v1/sessions/${uploaded.sessionId}`,
    `/v1/jobs/${last.id.split(':')[0]}`,
    '/v1/credits/balance',
    '/v1/credits/transactions?limit=10',
  ])
    expect((await api.request(path)).status, path).toBe(200);
  expect((await api.request(`/v1/sessions/${uploaded.sessionId}`, { method: 'DELETE' })).status).toBe(204);
  await database.command({ profile: 0 });
  const slow = await database
    .collection('system.profile')
    .find({ $or: [{ planSummary: 'COLLSCAN' }, { hasSortStage: true }], ns: { $not: /system\./ } })
    .toArray();
  await client.close();
  expect(slow.map(({ ns, command }) => `${ns} ${JSON.stringify(command)}`)).toEqual([]);
});

/** The database that the service of this file has made on the server. */
async function databaseOfService(): Promise<{ uri: string }> {
  const { databases } = await admin.db('admin').command({ listDatabases: 1, nameOnly: true });
  const accountId = (await service.createAccount()).accountId;
  for (const { name } of databases as { name: string }[]) {
    const found = await admin.db(name).collection<{ _id: string }>('accounts').findOne({ _id: accountId });
    const url = new URL(process.env.TEST_MONGODB_URI ?? '');
    url.pathname = `/${name}`;
    if (found) return { uri: url.toString() };
  }
  throw new Error('the database of the service was not found');
}

it('change streams report an event within 100 ms, p95, and the end of a job', async () => {
  const connection = await connectDatabase({ uri: process.env.TEST_MONGODB_URI ?? '' });
  const jobEvents = createJobEventRepository(connection);
  const sentAt = new Map<number, number>();
  const waits: number[] = [];
  const ended: string[] = [];
  const end = jobEvents.watch({
    onEvent: ({ n }) => waits.push(performance.now() - (sentAt.get(n) ?? Number.NaN)),
    onEnd: (jobId) => ended.push(jobId),
  });
  await new Promise((resolve) => setTimeout(resolve, 2000));
  for (let n = 0; n < 100; n += 1) {
    sentAt.set(n, performance.now());
    await jobEvents.append([{ _id: eventId('job_watched', n), n, event: 'progress', data: {}, by: 'test' }]);
  }
  await expect.poll(() => waits.length).toBe(100);
  expect(waits.sort((one, other) => one - other)[94]).toBeLessThan(100);
  const jobs = connection.collection<{ _id: string; lastEvent: number | null }>('jobs');
  await jobs.insertOne({ _id: 'job_watched', lastEvent: null });
  await jobs.updateOne({ _id: 'job_watched' }, { $set: { lastEvent: 100 } });
  await expect.poll(() => ended).toEqual(['job_watched']);
  end();
  await connection.close();
});

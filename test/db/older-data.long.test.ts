import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startEmbedded } from '../../server/db/index.ts';
import { MIGRATIONS } from '../../server/db/migrations/index.ts';
import { collect, type Follower, faultsOf, hasEnded, resume } from '../crash/job-client.ts';
import { auditOf, clientOf, type ServiceProcess, startServiceProcess } from '../crash/service-process.ts';
import { connect } from './embedded/embedded-fixture.ts';

const FIXTURE = fileURLToPath(new URL('../fixtures/data-before-versions/', import.meta.url));
const SHIFT_CLOCK = fileURLToPath(new URL('../support/shift-clock.mjs', import.meta.url));

/** Record of `make.mjs`. */
interface Made {
  madeAt: string;
  accountId: string;
  apiKey: string;
  password: string;
  sessionId: string;
  jobId: string;
  runningSessionId: string;
  runningJobId: string;
  seen: string;
}

let made: Made;
let directory: string;
let env: Record<string, string>;
let services: ServiceProcess[];
let close: () => Promise<void>;
beforeEach(async () => {
  made = JSON.parse(await readFile(join(FIXTURE, 'made.json'), 'utf8'));
  directory = await mkdtemp(join(tmpdir(), 'imagewright-older-'));
  await cp(join(FIXTURE, 'db'), join(directory, 'db'), { recursive: true });
  await cp(join(FIXTURE, 'files'), join(directory, 'files'), { recursive: true });
  await cp(join(FIXTURE, 'secrets'), join(directory, 'secrets'), { recursive: true });
  // Two minutes after the data was made: its sessions have not expired, and its job may be resumed.
  const shift = join(directory, 'clock');
  await writeFile(shift, String(new Date(made.madeAt).getTime() + 120_000 - Date.now()));
  env = { DATA_DIR: directory, CLOCK_SHIFT_FILE: shift, LEASE_SECONDS: '3' };
  services = [];
  close = async () => {};
});
afterEach(async () => {
  for (const service of services) await service.kill();
  await close();
  await rm(directory, { recursive: true, force: true });
});

async function start(): Promise<ServiceProcess> {
  const service = await startServiceProcess(env, ['--import', SHIFT_CLOCK]);
  services.push(service);
  return service;
}

/** Reads the events that the client of the killed export saw. */
async function clientOfRunning(): Promise<Follower> {
  const follower: Follower = { jobId: made.runningJobId, events: [], clean: false };
  await collect(new Response(made.seen), follower);
  return follower;
}

/** Everything that the older service held is there, and its running export ends, paid once. */
async function expectAll(service: ServiceProcess): Promise<void> {
  const api = clientOf(service, made.apiKey);
  const follower = await clientOfRunning();
  expect(follower.events.length).toBeGreaterThan(8);
  await resume(api, follower);
  expect(hasEnded(follower)).toBe(true);
  expect(faultsOf(follower)).toEqual([]);
  expect(follower.events.at(-1)).toMatchObject({ event: 'complete', data: { credits: { charged: 5, refunded: 0 } } });
  const job = await api.readJson<{ status: string; results: unknown[] }>(`/v1/jobs/${made.jobId}`);
  expect(job).toMatchObject({ status: 'completed', current: 2, total: 2 });
  const session = await api.readJson<{ images: { id: string }[] }>(`/v1/sessions/${made.sessionId}`);
  expect(session.images).toHaveLength(2);
  for (const jobId of [made.jobId, made.runningJobId]) {
    const { results } = await api.readJson<{ results: object[] }>(`/v1/jobs/${jobId}`);
    const links = JSON.stringify(results).match(/\/v1\/sessions\/[^"]+/g) ?? [];
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) {
      const download = await api.request(link);
      expect(download.status).toBe(200);
      expect((await download.arrayBuffer()).byteLength).toBeGreaterThan(1000);
    }
  }
  expect((await api.request(`/v1/sessions/${made.sessionId}/analysis`)).status).toBe(200);
  // Services of that time left their first account on the default plan; this one was made by an operator.
  expect(await api.readJson('/v1/credits/balance')).toMatchObject({ plan: 'free' });
  expect(service.log).toContainEqual(expect.objectContaining({ version: MIGRATIONS.length, done: 1 }));
  const loggedIn = await fetch(`${service.url}/account/log-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: service.url },
    body: JSON.stringify({ email: 'owner@example.com', password: made.password }),
  });
  expect(loggedIn.status).toBe(200);
}

it('a DATA_DIR of before versions opens with keys, sessions, files, credits and a running job', async () => {
  await expectAll(await start());
  await services[0]?.kill();
  expect(await auditOf(env)).toEqual({ ok: true, broken: [], pending: 0 });
});

it('so does a MongoDB that it was in', async () => {
  const older = await startEmbedded({ directory: join(directory, 'db') });
  const target = process.env.TEST_MONGODB_URI ?? (await startEmbedded({ directory: join(directory, 'other') })).uri;
  const name = `older-${process.pid}`;
  const [from, to] = [await connect(older.uri), await connect(target, { dbName: name })];
  for (const { name: collection } of (await from.db?.listCollections().toArray()) ?? []) {
    const documents = await from.collection(collection).find().toArray();
    if (documents.length > 0) await to.collection(collection).insertMany(documents);
  }
  await from.close();
  await older.close();
  close = async () => {
    await to.dropDatabase();
    await to.close();
  };
  const uri = new URL(target);
  uri.pathname = `/${name}`;
  env.MONGODB_URI = uri.toString();
  await expectAll(await start());
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import type { CompleteEvent } from '#contract';
import { type Embedded, startEmbedded } from '../../server/db/embedded/index.ts';
import { smallPhotographs } from '../crash/small-photographs.ts';
import { type ApiClient, createApiClient, readEvents } from '../support/api-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImages } from '../support/small-images.ts';
import { type Fault, type ReplicaSet, startReplicaSet } from './replica-set/index.ts';

const IMAGES = 2;
const WORKFLOWS = 12;
/** Commands of an upload and an export at least, without those of chores. */
const FEWEST_COMMANDS = 20;

let directory: string;
let store: Embedded;
let set: ReplicaSet;
let service: TestService;
/** An account of each test, since an account may have 100 sessions. */
let api: ApiClient;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-primary-'));
  store = await startEmbedded({ directory });
  set = await startReplicaSet(store.uri);
  service = await startTestService({ MONGODB_URI: set.uri, LEASE_SECONDS: '5' });
});
beforeEach(async () => {
  api = (await service.createAccount({ credits: 1000 })).api;
});
afterEach(() => set.reset());
afterAll(async () => {
  await service?.close();
  await set?.close();
  await store?.close();
  await rm(directory, { recursive: true, force: true });
});

/** Answers of the service to a request that is repeated, with the same `Idempotency-Key`, until it is accepted. */
async function untilAccepted(send: () => Promise<Response>): Promise<{ response: Response; refused: string[] }> {
  const refused: string[] = [];
  for (let tries = 0; tries < 200; tries += 1) {
    const response = await send();
    if (response.ok) return { response, refused };
    refused.push(`${response.status} ${response.headers.get('Retry-After')} ${await response.text()}`);
    await sleep(100);
  }
  throw new Error(refused.join('\n'));
}

/** Uploads and exports as a client does that repeats what was answered with 503. */
async function workflow(key: string) {
  const files = await smallPhotographs(IMAGES);
  const sent = await untilAccepted(() => {
    const body = new FormData();
    for (const { name, bytes } of files) body.append('images', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
    return api.request('/v1/sessions', { method: 'POST', body, headers: { 'Idempotency-Key': `upload-${key}` } });
  });
  const uploaded = await sent.response.json();
  const json = api.exportBody(uploaded, { format: 'webp' });
  const headers = { 'Idempotency-Key': `export-${key}` };
  const started = await untilAccepted(() =>
    api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json, headers }),
  );
  let last: unknown;
  for await (const event of readEvents(started.response)) last = event;
  const { data } = last as { data?: Partial<CompleteEvent> };
  const failures = data?.results?.flatMap(({ error }) => (error ? [`${error.code}: ${error.message}`] : [])) ?? [];
  const refused = [...sent.refused, ...started.refused];
  const unfriendly = refused.filter((line) => !FRIENDLY.test(line));
  return { completed: data?.summary?.completed, failures, unfriendly, refused };
}

/** The only refusal that a client has to expect while the database is away. */
const FRIENDLY = /^503 \d+ .*database_unavailable/;

const FAULTS: [name: string, fault: Fault, times: number][] = [
  ['the primary has stepped down', { kind: 'error', code: 10107 }, 2],
  ['a majority does not confirm', { kind: 'write-concern-error', code: 64 }, 1],
  ['answers are lost', { kind: 'cut', when: 'after' }, 2],
];

/** True once no fault waits for a command any more. */
async function untilMet(): Promise<boolean> {
  for (let tries = 0; tries < 50 && set.waiting() > 0; tries += 1) await sleep(100);
  return set.waiting() === 0;
}

/** The commands of an upload and an export. */
async function commandsOfWorkflow(what: string): Promise<[command: string, collection: string][]> {
  await workflow(`clean-1-${what}`);
  set.reset();
  await workflow(`clean-2-${what}`);
  const names = new Set(set.seen.map(({ command, collection }) => `${command} ${collection}`));
  return [...names].map((name) => name.split(' ') as [string, string]);
}

it.each(FAULTS)('%s: each single command of a paid export outlasts it', async (what, fault, times) => {
  const commands = await commandsOfWorkflow(what);
  const wrong: string[] = [];
  let outlasted = 0;
  for (const [command, collection] of commands) {
    set.reset();
    const before = await api.balance();
    set.inject(fault, { command, collection, times });
    const { completed, failures, unfriendly } = await workflow(`${what}-${command}-${collection}`);
    // A regular chore may have come by in the clean workflow alone.
    const met = await untilMet();
    if (met) outlasted += 1;
    const cost = before - (await api.balance());
    if (unfriendly.length > 0 || cost !== IMAGES || completed !== IMAGES)
      wrong.push(`${command} ${collection}: cost ${cost}, completed ${completed}, ${[...unfriendly, ...failures]}`);
  }
  console.log(`${what}: ${outlasted} of ${commands.length} commands`);
  expect(wrong).toEqual([]);
  expect(outlasted).toBeGreaterThanOrEqual(FEWEST_COMMANDS);
});

it.each<'stepDown' | 'killPrimary'>(['stepDown', 'killPrimary'])(
  '%s: exports that run or begin meanwhile end whole, and cost once',
  async (change) => {
    const before = await api.balance();
    const ended = Array.from({ length: WORKFLOWS }, async (_, index) => {
      await sleep(index * 250);
      return workflow(`${change}-${index}`);
    });
    await sleep(500);
    await set[change](4000);
    const all = await Promise.all(ended);
    expect(all.flatMap(({ unfriendly }) => unfriendly)).toEqual([]);
    expect(all.map(({ completed }) => completed)).toEqual(Array(WORKFLOWS).fill(IMAGES));
    expect(all.flatMap(({ refused }) => refused).length).toBeGreaterThan(0);
    expect(before - (await api.balance())).toBe(WORKFLOWS * IMAGES);
  },
);

it('an Idempotency-Key whose request was refused can be used at once, also if its record could not be removed', async () => {
  const refuse: Fault = { kind: 'error', code: 10107 };
  set.inject(refuse, { command: 'insert', collection: 'jobs', times: 2 });
  set.inject(refuse, { command: 'delete', collection: 'idempotency_records', times: 6 });
  const { completed, unfriendly, refused } = await workflow('left-behind');
  expect(unfriendly).toEqual([]);
  expect(refused.length).toBeGreaterThan(0);
  expect(completed).toBe(IMAGES);
});

it('what a server has refused because the primary changed can be repeated at another one at once', async () => {
  const other = await startTestService({ MONGODB_URI: set.uri, DATA_DIR: service.dataDir });
  onTestFinished(() => other.close());
  const { api: here, apiKey } = await service.createAccount({ credits: 10 });
  const there = createApiClient({ url: other.url, apiKey });
  const uploaded = await here.upload(await plainImages(IMAGES));
  const path = `/v1/sessions/${uploaded.sessionId}/export`;
  const json = here.exportBody(uploaded, { format: 'webp' });
  const headers = { 'Idempotency-Key': 'refused-here' };
  const refuse: Fault = { kind: 'error', code: 10107 };
  set.inject(refuse, { command: 'insert', collection: 'jobs', times: 2 });
  set.inject(refuse, { command: 'delete', collection: 'idempotency_records', times: 6 });
  const refused = await here.request(path, { json, headers });
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, expect.any(String)]);
  const repeated = await there.request(path, { json, headers });
  expect(repeated.status).toBe(200);
  let completed = 0;
  for await (const { event, data } of readEvents(repeated))
    if (event === 'complete') completed = data.summary.completed;
  expect([completed, await here.balance()]).toEqual([IMAGES, 10 - IMAGES]);
});

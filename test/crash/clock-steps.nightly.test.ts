import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiClient } from '../support/api-client.ts';
import { sharedStore } from '../support/database.ts';
import { noiseImage } from '../support/small-images.ts';
import { collect, type Follower, hasEnded, resume } from './job-client.ts';
import { auditOf, clientOf, createAccountIn, type ServiceProcess, startServiceProcess } from './service-process.ts';

const SHIFT_CLOCK = fileURLToPath(new URL('../support/shift-clock.mjs', import.meta.url));
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const IMAGES = 4;

let directory: string;
let services: ServiceProcess[];
let closeDatabase: () => Promise<void>;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-clock-'));
  services = [];
  closeDatabase = async () => {};
});
afterEach(async () => {
  for (const service of services) await service.kill();
  await closeDatabase();
  await rm(directory, { recursive: true, force: true });
});

/** A service whose clock can be set: `step` moves it by so many milliseconds, seen from the true time. */
async function startSteppable(name: string, env: Record<string, string>, ms = 0) {
  const file = join(directory, `${name}.shift`);
  const step = (shiftMs: number) => writeFile(file, String(shiftMs));
  await step(ms);
  const started = await startServiceProcess({ ...env, CLOCK_SHIFT_FILE: file }, ['--import', SHIFT_CLOCK]);
  services.push(started);
  return Object.assign(started, { step });
}

/** Starts an export that takes a while, and returns once an image of it is in work. */
async function startExport(api: ApiClient, headers: Record<string, string> = {}) {
  const files = Array.from({ length: IMAGES }, (_, seed) =>
    noiseImage(`${seed}.png`, { width: 1400, height: 1000, seed: seed + 1 }),
  );
  const uploaded = await api.upload(await Promise.all(files));
  const ask = () =>
    api.request(`/v1/sessions/${uploaded.sessionId}/export`, {
      json: api.exportBody(uploaded, { format: 'avif' }),
      headers,
    });
  const follower: Follower = { jobId: null, events: [], clean: false };
  let ended = Promise.resolve();
  await new Promise<void>((begun, failed) => {
    ended = ask().then((response) =>
      collect(response, follower, ({ event, data }) => {
        if (event === 'progress' && data.step === 'optimize') begun();
      }),
    );
    ended.catch(failed);
  });
  return { uploaded, follower, ended, ask };
}

const messages = ({ log }: ServiceProcess) => log.map(({ msg }) => msg);

describe('a step of the clock while an export runs', () => {
  it.each([
    ['an hour forwards', HOUR],
    ['ten days backwards', -10 * DAY],
  ])('%s: the export goes on, once, for one charge', async (_, ms) => {
    const env = { DATA_DIR: directory, LEASE_SECONDS: '3', WORKERS: '1', SWEEP_SECONDS: '1' };
    const key = await createAccountIn(env, 'clock@example.com', 100);
    const service = await startSteppable('one', env);
    const api = clientOf(service, key);
    const { follower, ended, ask, uploaded } = await startExport(api, { 'Idempotency-Key': 'clock' });
    await service.step(ms);
    const again: Follower = { jobId: null, events: [], clean: false };
    await Promise.all([ended, ask().then((response) => collect(response, again))]);
    expect(again.jobId).toBe(follower.jobId);
    const last = follower.events.at(-1);
    expect(last).toMatchObject({ event: 'complete', data: { status: 'completed', credits: { charged: IMAGES } } });
    expect(last?.event === 'complete' && last.data.summary.durationMs).toBeLessThan(HOUR / 2);
    expect(messages(service)).not.toContain('taking over a job');
    expect(await api.balance()).toBe(100 - IMAGES);
    expect(await auditOf(env)).toEqual({ ok: true, broken: [], pending: 0 });
    const deleted = await api.request(`/v1/sessions/${uploaded.sessionId}`, { method: 'DELETE' });
    expect(deleted.status).toBe(204);
  });
});

describe('two servers on one database', () => {
  let env: Record<string, string>;
  beforeEach(async () => {
    const embedded = await sharedStore(join(directory, 'shared-db'));
    closeDatabase = () => embedded.close();
    env = { MONGODB_URI: embedded.uri, DATA_DIR: directory, LEASE_SECONDS: '3', WORKERS: '1', SWEEP_SECONDS: '1' };
  });

  it('one whose clock goes forwards leaves the jobs of the other alone', async () => {
    const key = await createAccountIn(env, 'clock@example.com', 100);
    const first = await startSteppable('first', env);
    const second = await startSteppable('second', env);
    const { follower, ended } = await startExport(clientOf(first, key));
    await second.step(HOUR);
    await ended;
    expect(follower.events.at(-1)).toMatchObject({ event: 'complete', data: { status: 'completed' } });
    expect(messages(second)).not.toContain('taking over a job');
    expect(await clientOf(first, key).balance()).toBe(100 - IMAGES);
  });

  it('a job of a server that died is taken up in time by one whose clock went back', async () => {
    const key = await createAccountIn(env, 'clock@example.com', 100);
    const first = await startSteppable('first', env);
    const { follower } = await startExport(clientOf(first, key));
    await first.kill();
    const second = await startSteppable('second', env, -DAY);
    await resume(clientOf(second, key), follower);
    expect(hasEnded(follower)).toBe(true);
    expect(await clientOf(second, key).balance()).toBe(100 - IMAGES);
    expect((await auditOf(env)).broken).toEqual([]);
  });
});

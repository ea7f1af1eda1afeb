import { readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { untilIdle } from '../../support/aftermath.ts';
import type { Fault, FaultTarget } from '../../support/fault-proxy.ts';
import {
  type CliHarness,
  recordOf,
  spent,
  startCliHarness,
  type Workplace,
  writeNoise,
  writePictures,
} from './cli-harness.ts';

let harness: CliHarness;
beforeAll(async () => {
  harness = await startCliHarness();
});
afterAll(() => harness.close());
afterEach(async () => {
  harness.proxy.reset();
  await untilIdle(harness.test);
});

const NAMES = ['in/a.png', 'in/b.png', 'in/c.png'];
const RUN = ['in/*', '--out', 'out'];
const EXPORT = /\/export$/;
const DOWNLOAD = /\/download\?/;

/** Starts a run, waits until a request has met its fault, and ends it with a signal. */
async function interrupt(place: Workplace, fault: Fault, target: FaultTarget, signal: NodeJS.Signals) {
  harness.proxy.inject(fault, target);
  const run = place.start(['optimize', '--json', ...RUN]);
  const met = () => harness.proxy.seen.some((seen) => seen.fault === fault.kind);
  await expect.poll(met).toBe(true);
  // Waits for the service, so that the signal comes afterwards.
  if (target.path === EXPORT) await expect.poll(() => spent(place)).toBe(NAMES.length);
  await untilIdle(harness.test);
  run.child.kill(signal);
  const finished = await run.finished;
  harness.proxy.reset();
  return finished;
}

describe.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)('a run that is ended by %s', (signal) => {
  it.each<[string, Fault, FaultTarget]>([
    ['while it uploads', { kind: 'hang' }, { path: /^\/v1\/sessions$/ }],
    ['after its upload, before the answer', { kind: 'stall', afterBytes: 0 }, { path: /^\/v1\/sessions$/ }],
    ['after its export was paid, before it heard of it', { kind: 'stall', afterBytes: 0 }, { path: EXPORT }],
    ['while it hears of its export', { kind: 'stall', afterEvents: 2 }, { path: EXPORT }],
    ['while it downloads', { kind: 'stall', afterBytes: 20 }, { path: DOWNLOAD }],
  ])('%s is resumed by the next run, which pays nothing twice', async (_, fault, target) => {
    const place = await harness.createWorkplace();
    await writePictures(place, NAMES);
    const { exitCode, stdout } = await interrupt(place, fault, target, signal);
    expect(exitCode).toBe(signal === 'SIGKILL' ? null : 130);
    if (exitCode === 130) expect(JSON.parse(stdout)).toMatchObject({ exitCode: 130, error: { code: 'interrupted' } });
    const report = await place.optimize(...RUN);
    expect(report).toMatchObject({ exitCode: 0, summary: { images: 3, failed: 0 } });
    expect(await place.files('out')).toEqual(['a.webp', 'b.webp', 'c.webp']);
    for (const name of ['a', 'b', 'c']) expect(await place.decode(`out/${name}.webp`)).toMatchObject({ width: 60 });
    expect(await spent(place)).toBe(3);
    expect((await place.optimize(...RUN)).summary.unchanged).toBe(3);
  });
});

describe('an interrupted run', () => {
  it('counts as paid in --dry-run', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, NAMES);
    await interrupt(place, { kind: 'stall', afterEvents: 1 }, { path: EXPORT }, 'SIGKILL');
    const report = await place.optimize(...RUN, '--dry-run');
    expect(report.cost).toMatchObject({ images: 0, credits: 0, sufficient: true });
    expect(report.notices.join(' ')).toContain('3 images of an interrupted run');
  });

  it('ends with 130 for one Ctrl-C or several', async () => {
    const place = await harness.createWorkplace();
    await writeNoise(place, NAMES);
    const run = place.start(['optimize', ...RUN]);
    await expect.poll(() => harness.proxy.seen.length).toBeGreaterThan(1);
    run.child.kill('SIGINT');
    run.child.kill('SIGINT');
    expect((await run.finished).exitCode).toBe(130);
  });

  it('is paid again if the service no longer has it', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, NAMES);
    await interrupt(place, { kind: 'stall', afterBytes: 0 }, { path: EXPORT }, 'SIGKILL');
    const record = JSON.parse(await readFile(join(place.folder, recordOf(place, 'out')), 'utf8'));
    const [pending] = record.pending;
    // Sessions and keys expire; that would take a day here.
    const forgotten = { ...pending, sessionId: `sess_${'x'.repeat(22)}`, idempotencyKey: 'forgotten' };
    await place.write(recordOf(place, 'out'), JSON.stringify({ ...record, pending: [forgotten] }));
    expect(await place.optimize(...RUN)).toMatchObject({ exitCode: 0, summary: { made: 3 } });
    expect(await spent(place)).toBe(6);
  });
});

describe('missing and damaged results', () => {
  it('are downloaded again while the service has them', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, NAMES);
    await place.optimize(...RUN);
    const before = await readFile(join(place.folder, 'out/a.webp'));
    await truncate(join(place.folder, 'out/a.webp'), 10);
    await rm(join(place.folder, 'out/b.webp'));
    const report = await place.optimize(...RUN);
    expect(report.images.map(({ status }) => status)).toEqual(['restored', 'restored', 'unchanged']);
    expect(await readFile(join(place.folder, 'out/a.webp'))).toEqual(before);
    expect(await spent(place)).toBe(3);
  });

  it('are made and paid again if the service no longer has them', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, NAMES);
    await place.optimize(...RUN);
    const record = JSON.parse(await readFile(join(place.folder, recordOf(place, 'out')), 'utf8'));
    const [{ sessionId }] = Object.values<{ sessionId: string }>(record.results) as [{ sessionId: string }];
    await place.account.api.request(`/v1/sessions/${sessionId}`, { method: 'DELETE' });
    await rm(join(place.folder, 'out/b.webp'));
    const report = await place.optimize(...RUN);
    expect(report.images.map(({ status }) => status)).toEqual(['unchanged', 'made', 'unchanged']);
    expect(await spent(place)).toBe(4);
  });

  it('are not paid again if the record is damaged', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, NAMES);
    await place.optimize(...RUN);
    for (const damage of ['{"version":1,"res', '{"version":2}', '{"version":1}']) {
      await place.write(recordOf(place, 'out'), damage);
      const { exitCode, stderr } = await place.start(['optimize', ...RUN]).finished;
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/\.json cannot be read .*Remove it/);
    }
    expect(await spent(place)).toBe(3);
  });

  it('are downloaded again if a download is damaged', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.png']);
    harness.proxy.inject({ kind: 'answer', status: 200, html: 'half a file' }, { path: DOWNLOAD });
    expect((await place.optimize(...RUN)).images[0]).toMatchObject({ status: 'made' });
    expect(await place.decode('out/a.webp')).toMatchObject({ format: 'webp' });
  });
});

describe('the balance', () => {
  it('is checked before anything is uploaded: the run ends with 3 if it is too low', async () => {
    const place = await harness.createWorkplace({ credits: 2 });
    await writePictures(place, NAMES);
    const { exitCode, stderr } = await place.start(['optimize', ...RUN]).finished;
    expect(exitCode).toBe(3);
    expect(stderr).toContain('3 credits are needed and the balance is 2: no new image was started.');
    expect(harness.proxy.seen.map(({ path }) => path)).toEqual(['/v1/credits/check']);
    expect(await place.files('out')).toEqual([]);
  });

  it('that runs out during a run ends it with 3; paid results are written, and the next run makes the rest', async () => {
    const place = await harness.createWorkplace({ credits: 150 });
    const names = Array.from({ length: 120 }, (_, index) => `in/${String(index).padStart(3, '0')}.png`);
    await writePictures(place, names, { width: 8, height: 8 });
    const refusal = { error: 'Insufficient credits: balance is 0, 20 needed', code: 'insufficient_credits' };
    harness.proxy.inject({ kind: 'cut', afterBytes: 0 }, { path: EXPORT });
    harness.proxy.inject({ kind: 'answer', status: 402, json: refusal }, { path: EXPORT });
    const report = await place.optimize(...RUN, '--concurrency', '1');
    expect(report).toMatchObject({ exitCode: 3, error: { code: 'insufficient_credits' } });
    expect(report.summary).toMatchObject({ made: 100, failed: 0, unmade: 20 });
    expect(report.images.at(-1)?.error?.code).toBe('insufficient_credits');
    expect(await spent(place)).toBe(100);
    expect((await place.optimize(...RUN)).summary).toMatchObject({ unchanged: 100, made: 20 });
    expect(await spent(place)).toBe(120);
  });
});

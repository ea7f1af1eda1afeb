import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ExportRequest } from '#contract';
import { createTimeBudget } from '../../server/processing/time-budget.ts';
import { cpuSecondsOf } from '../bench/support/process-tree.ts';
import { clientOf, createAccountIn, startServiceProcess } from '../crash/service-process.ts';
import { noiseImage } from '../support/small-images.ts';

const SECONDS = 4;
const settings: ExportRequest['settings'] = {
  format: 'avif',
  formats: ['avif', 'webp', 'jpeg', 'png'],
  preset: 'maximum',
  responsive: true,
  responsiveSizes: Array.from({ length: 10 }, (_, index) => ({ width: 1990 - index })),
} as never;

/** Processor time of a process, of its children, and of those that have ended, in seconds. */
function spentBy(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return cpuSecondsOf(pid) + (Number(fields[13]) + Number(fields[14])) / 100;
}

describe.runIf(process.platform === 'linux')('one image', () => {
  it('with four formats and ten sizes costs at most its limit, counts when it is refunded, and then no more is made', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'imagewright-budget-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const env = {
      ...{ DATA_DIR: folder, WORKERS: '2', QUALITY_SEARCH: 'on' },
      IMAGE_TIMEOUT_SECONDS: String(SECONDS),
      PLANS: JSON.stringify({ free: { keys: 1, samplesPerDay: 1 } }),
    };
    const apiKey = await createAccountIn(env, 'user@example.com', 25);
    const service = await startServiceProcess(env);
    onTestFinished(() => service.kill());
    const api = clientOf(service, apiKey);
    const uploaded = await api.upload([await noiseImage('a.png', { width: 2000, height: 1500, seed: 7 })]);
    const before = spentBy(service.pid);
    const { last } = await api.run('export', uploaded, settings as never);
    const spent = spentBy(service.pid) - before;
    expect(JSON.stringify(last.data)).toContain('"processing_timeout"');
    expect(spent).toBeGreaterThan(SECONDS - 1);
    expect(spent).toBeLessThanOrEqual(10);
    expect(await api.balance()).toBe(25);
    const { limits } = await api.readJson<{ limits: { samplesPerDay: { used: number } } }>('/v1/credits/balance');
    expect(limits.samplesPerDay.used).toBe(1);
    const path = `/v1/sessions/${uploaded.sessionId}/export`;
    const images = uploaded.images.map(({ id }) => ({ id }));
    const again = await api.request(path, { json: { images, settings } });
    expect([again.status, await again.json()]).toMatchObject([429, { code: 'daily_limit_reached', used: 1 }]);
  });
});

describe('a budget of time', () => {
  it('sums the tasks of an image, keeps the time of ended processes, and leaves out what made way for others', async () => {
    const budget = createTimeBudget(1, 'webp');
    const [one, two, three] = [{ ms: 0 }, { ms: 0 }, { ms: 0 }];
    const stopOne = budget.count(() => one.ms);
    const stopTwo = budget.count(() => two.ms);
    Object.assign(one, { ms: 300 });
    Object.assign(two, { ms: 5000 });
    stopTwo(false);
    expect([budget.usedMs(), budget.signal.aborted]).toEqual([300, false]);
    const other = createTimeBudget(1, 'webp');
    const stopThree = other.count(() => three.ms);
    three.ms = 600;
    expect(other.usedMs()).toBe(600);
    three.ms = 0;
    stopThree();
    expect(other.usedMs()).toBe(600);
    const over = other.count(() => 400);
    await expect.poll(() => other.signal.aborted).toBe(true);
    over();
    stopOne();
  });
});

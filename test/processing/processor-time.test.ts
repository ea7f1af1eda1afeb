import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { limitProcessorTime, measureProcessorTime } from '../../server/processing/worker-pool.ts';

/** Starts a Node process that answers each line with a line, after it ran the code. */
async function startProcess(code: string) {
  const child = spawn(process.execPath, ['-e', `process.stdin.on('data', () => { ${code}; console.log('done'); })`]);
  onTestFinished(async () => {
    child.kill('SIGKILL');
  });
  const work = async () => {
    child.stdin.write('work\n');
    await once(child.stdout, 'data');
  };
  // The start uses the processor too.
  await work();
  return { child, work };
}

describe('measureProcessorTime', () => {
  it('counts what the process works', async () => {
    const { child, work } = await startProcess(
      'const end = process.cpuUsage().user + 3e5; while (process.cpuUsage().user < end);',
    );
    const usedMs = measureProcessorTime(child.pid ?? 0);
    await work();
    expect(usedMs()).toBeGreaterThanOrEqual(280);
  });

  it.runIf(process.platform === 'linux')('does not count what it waits, and ends with the process', async () => {
    const { child } = await startProcess('');
    const usedMs = measureProcessorTime(child.pid ?? 0);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(usedMs()).toBeLessThan(500);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(usedMs()).toBe(0);
  });
});

describe('limitProcessorTime', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Seconds by the clock until a process that gets this share of a processor is over a limit of 5 s; `after` seconds it stops. */
  async function secondsUntilOver(share: number, after = Number.POSITIVE_INFINITY): Promise<number> {
    const startedAt = Date.now();
    const passed = () => (Date.now() - startedAt) / 1000;
    const over = new Promise<number>((resolve) => {
      limitProcessorTime(
        () => Math.min(passed(), after) * share * 1000,
        5,
        () => resolve(passed()),
      );
    });
    await vi.advanceTimersByTimeAsync(3_600_000);
    return over;
  }

  it('ends a process that has a processor for itself by the clock', async () => {
    expect(await secondsUntilOver(1)).toBe(5);
  });

  it.each([0.5, 0.1, 0.03])('gives a process with %s of a processor its whole time', async (share) => {
    expect(await secondsUntilOver(share)).toBeGreaterThanOrEqual(5 / share);
    expect(await secondsUntilOver(share)).toBeLessThan(5 / share + 6);
  });

  it('ends a process that stands still, at once or later', async () => {
    expect(await secondsUntilOver(0)).toBe(10);
    expect(await secondsUntilOver(0.5, 4)).toBeLessThan(16);
  });

  it('gives a process that got no processor at first its whole time', async () => {
    const over = vi.fn();
    const startedAt = Date.now();
    limitProcessorTime(() => Math.max(0, Date.now() - startedAt - 8000), 5, over);
    await vi.advanceTimersByTimeAsync(12_900);
    expect(over).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(3000);
    expect(over).toHaveBeenCalledOnce();
  });

  it('is cancelled', async () => {
    const over = vi.fn();
    limitProcessorTime(() => 0, 5, over)();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(over).not.toHaveBeenCalled();
  });
});

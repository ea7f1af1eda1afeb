import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTaskGroup } from '../../server/processing/queues.ts';
import { renderImage } from '../../server/processing/worker/pipeline.ts';
import { createVariantQueue } from '../../server/processing/worker/variant-queue.ts';
import { nasty, photo, startHarness } from './processor-harness.ts';

const untilAborted = (signal: AbortSignal) =>
  new Promise<string>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });

describe('the tasks of a group', () => {
  it('are all awaited, including tasks added later', async () => {
    const group = createTaskGroup<string>(undefined);
    group.add(async () => {
      group.add(() => sleep(5, 'later'));
      return 'first';
    });
    expect(await group.all).toEqual(['first', 'later']);
  });

  it('are aborted if one fails, and the first failure is thrown', async () => {
    const group = createTaskGroup<string>(undefined);
    let aborted = false;
    group.add((signal) => untilAborted(signal).finally(() => (aborted = true)));
    group.add(() => Promise.reject(new Error('broken')));
    group.add(() => Promise.reject(new Error('not begun')));
    await expect(group.all).rejects.toThrow('broken');
    expect(aborted).toBe(true);
  });

  it('end when the signal is aborted', async () => {
    const abort = new AbortController();
    const running = createTaskGroup<string>(abort.signal);
    running.add(untilAborted);
    abort.abort(new Error('left'));
    await expect(running.all).rejects.toThrow('left');
    const late = createTaskGroup<string>(abort.signal);
    late.add(untilAborted);
    await expect(late.all).rejects.toThrow('left');
  });
});

describe('a render in several processes', () => {
  const widths = [100, 200, 300, 400, 500, 550];

  it('has the same bytes in the same order as one in a single process', async () => {
    const [wide, narrow] = await Promise.all([startHarness({ WORKERS: 2 }), startHarness({ WORKERS: 1 })]);
    const choice = { format: 'avif', widths } as const;
    let busy = 0;
    const onStep = () => {
      busy = Math.max(busy, wide.processor.stats().busy);
    };
    const shared = await wide.render(nasty('jpeg-display-p3.jpg'), { ...choice, options: { onStep } });
    expect(busy).toBe(2);
    const whole = await narrow.render(nasty('jpeg-display-p3.jpg'), choice);
    expect(shared.map(({ name, sha256 }) => [name, sha256])).toEqual(whole.map(({ name, sha256 }) => [name, sha256]));
    expect(shared.map(({ name }) => name)).toEqual(['full', ...widths.map((width) => `${width}w`)]);
    await Promise.all([wide.close(), narrow.close()]);
  });

  it('yields variants from its process to an idle one', async () => {
    const harness = await startHarness({ WORKERS: 2 });
    const loads: string[] = [];
    const follow = (name: string) => ({ onStep: (step: string) => step === 'load' && loads.push(name) });
    const source = photo('photo-brushes.jpg');
    const [files] = await Promise.all([
      harness.render(source, { format: 'avif', widths: [200, 400, 600, 800], options: follow('many') }),
      harness.render(source, { format: 'jpeg', options: follow('one') }),
    ]);
    expect(files).toHaveLength(5);
    expect(loads.filter((name) => name === 'many').length).toBeGreaterThan(1);
    expect(loads.filter((name) => name === 'one')).toHaveLength(1);
    await harness.close();
  });

  it('keeps the files of the other process and overwrites those of a first attempt', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'imagewright-test-'));
    const inFolder = (name: string) => ({ name, target: join(folder, name), part: join(folder, `${name}.part`) });
    const full = inFolder('full');
    const given = { ...inFolder('100w'), width: 100 };
    await writeFile(full.part, 'what a process that was killed has left, longer than the file'.repeat(10_000));
    await writeFile(given.part, 'what the other process has made');
    const source = nasty('jpeg-grey.jpg');
    const facts = { format: 'jpeg', width: 1200, height: 640, hasAlpha: false, pages: 1, size: 1 } as const;
    const limits = { maxPixels: 50_000_000, maxFrames: 300, maxAvifPixels: 25_000_000, formats: [] };
    const task = { source, facts, format: 'webp', preset: 'high', metadata: 'rights', limits, search: false } as const;
    // The second variant was yielded before the first is rendered.
    const [made] = await renderImage({ ...task, variants: [full, given] }, createVariantQueue(facts, [full]), () => {});
    expect(await readFile(given.part, 'utf8')).toBe('what the other process has made');
    expect((await stat(full.part)).size).toBe(made?.size);
    await rm(folder, { recursive: true });
  });

  it('survives the death of either process', async () => {
    const harness = await startHarness({ WORKERS: 2, QUALITY_SEARCH: 'off' });
    const whole = await harness.render(photo('photo-brushes.jpg'), { format: 'avif', widths });
    let killed = 0;
    const onStep = () => {
      if (harness.processor.stats().busy < 2 || killed >= 2) return;
      // The first two pids are those of the encoders; each dies once during its share.
      const pid = harness.processor.stats().pids[killed];
      killed += 1;
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    };
    const shared = await harness.render(photo('photo-brushes.jpg'), { format: 'avif', widths, options: { onStep } });
    expect(killed).toBeGreaterThan(0);
    expect(shared.map(({ sha256 }) => sha256)).toEqual(whole.map(({ sha256 }) => sha256));
    expect(await harness.leftovers()).toEqual([]);
    await harness.close();
  });
});

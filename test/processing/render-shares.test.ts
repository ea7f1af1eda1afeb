import { describe, expect, it } from 'vitest';
import { allOrNone, splitVariants } from '../../server/processing/render-shares.ts';
import { nasty, startHarness } from './processor-harness.ts';

const source = { width: 4000, height: 3000 };
const variants = [{ name: 'full' }, { name: '480w', width: 480 }, { name: '1024w', width: 1024 }];

describe('splitVariants', () => {
  it('gives the largest variant a process of its own when two are idle', () => {
    expect(splitVariants(source, variants, 2)).toEqual([[variants[0]], [variants[1], variants[2]]]);
    expect(splitVariants(source, variants.slice(1), 8)).toEqual([[variants[2]], [variants[1]]]);
  });

  it('splits nothing without idle processes, or a single variant', () => {
    expect(splitVariants(source, variants, 1)).toEqual([variants]);
    expect(splitVariants(source, variants.slice(0, 1), 4)).toEqual([variants.slice(0, 1)]);
  });
});

describe('allOrNone', () => {
  it('aborts the others when one fails, and throws the first failure', async () => {
    let aborted = false;
    const waits = (signal: AbortSignal) =>
      new Promise<string>((_, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(signal.reason);
        });
      });
    await expect(allOrNone([waits, () => Promise.reject(new Error('broken'))], undefined)).rejects.toThrow('broken');
    expect(aborted).toBe(true);
  });

  it('hands an abort on', async () => {
    const abort = new AbortController();
    const waits = (signal: AbortSignal) =>
      new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const all = allOrNone([waits, waits], abort.signal);
    abort.abort(new Error('left'));
    await expect(all).rejects.toThrow('left');
    await expect(allOrNone([waits], abort.signal)).rejects.toThrow('left');
  });
});

describe('a split render', () => {
  it('has the same bytes in the same order as one in a single process', async () => {
    const [wide, narrow] = await Promise.all([startHarness({ WORKERS: 2 }), startHarness({ WORKERS: 1 })]);
    const choice = { format: 'webp', widths: [100, 300] } as const;
    let busy = 0;
    const onStep = () => {
      busy = Math.max(busy, wide.processor.stats().busy);
    };
    const split = await wide.render(nasty('jpeg-display-p3.jpg'), { ...choice, options: { onStep } });
    expect(busy).toBe(2);
    const whole = await narrow.render(nasty('jpeg-display-p3.jpg'), choice);
    expect(split.map(({ name, sha256 }) => [name, sha256])).toEqual(whole.map(({ name, sha256 }) => [name, sha256]));
    expect(split.map(({ name }) => name)).toEqual(['full', '100w', '300w']);
    await Promise.all([wide.close(), narrow.close()]);
  });
});

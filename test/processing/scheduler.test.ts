import { describe, expect, it } from 'vitest';
import type { Turn } from '../../server/processing/index.ts';
import { createScheduler, GaveWayTooOften, type Scheduler } from '../../server/processing/scheduler.ts';
import { turnOf } from '../support/turn.ts';

/** Creates tasks that the test ends. */
function controlled(scheduler: Scheduler) {
  const order: string[] = [];
  const finish = new Map<string, () => void>();
  /** Processor time of each task, in milliseconds. */
  const used = new Map<string, number>();
  const add = (name: string, group: string | Turn, memoryBytes = 1, signal?: AbortSignal): Promise<string> =>
    scheduler.run({
      turn: typeof group === 'string' ? turnOf(group) : group,
      memoryBytes,
      signal,
      execute: (givesWay, onTaken) => {
        order.push(name);
        onTaken(() => used.get(name) ?? 0);
        return new Promise((resolve, reject) => {
          finish.set(name, () => resolve(name));
          givesWay.addEventListener('abort', () => reject(givesWay.reason), { once: true });
        });
      },
    });
  const end = async (name: string): Promise<void> => {
    finish.get(name)?.();
    await tick();
  };
  return { order, used, add, end };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('createScheduler', () => {
  it('runs as many tasks as there are slots', async () => {
    const scheduler = createScheduler({ slots: 2, memoryBytes: 100 });
    const { order, add, end } = controlled(scheduler);
    const results = ['a', 'b', 'c'].map((name) => add(name, 'g'));
    expect(order).toEqual(['a', 'b']);
    expect(scheduler.stats()).toEqual({ running: 2, queued: 1, memoryBytes: 2 });
    await end('a');
    expect(order).toEqual(['a', 'b', 'c']);
    await end('b');
    await end('c');
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c']);
    expect(scheduler.stats()).toEqual({ running: 0, queued: 0, memoryBytes: 0 });
  });

  it('lets jobs take turns, so that a sample of 1 does not wait for a batch of 500', async () => {
    const { order, add, end } = controlled(createScheduler({ slots: 1, memoryBytes: 100 }));
    for (let index = 0; index < 500; index += 1) void add(`batch-${index}`, 'batch');
    void add('sample', 'sample');
    void add('other-0', 'other');
    void add('other-1', 'other');
    for (let index = 0; index < 5; index += 1) await end(order.at(-1) ?? '');
    expect(order.slice(0, 6)).toEqual(['batch-0', 'batch-1', 'sample', 'other-0', 'batch-2', 'other-1']);
  });

  it('starts the tasks of a job in their order', async () => {
    const { order, add, end } = controlled(createScheduler({ slots: 1, memoryBytes: 100 }));
    void add('first', 'g', 1);
    void add('large', 'g', 30);
    void add('small', 'g', 10);
    void add('middle', 'g', 20);
    for (const name of ['first', 'large', 'small']) await end(name);
    expect(order).toEqual(['first', 'large', 'small', 'middle']);
  });

  it('admits tasks by memory', async () => {
    const scheduler = createScheduler({ slots: 4, memoryBytes: 100 });
    const { order, add, end } = controlled(scheduler);
    void add('a', 'a', 60);
    void add('b', 'b', 60);
    void add('c', 'c', 40);
    expect(order).toEqual(['a', 'c']);
    expect(scheduler.stats().memoryBytes).toBe(100);
    await end('c');
    expect(order).toEqual(['a', 'c']);
    await end('a');
    expect(order).toEqual(['a', 'c', 'b']);
  });

  it('runs a task above the whole budget alone', async () => {
    const { order, add, end } = controlled(createScheduler({ slots: 4, memoryBytes: 100 }));
    void add('small', 'a', 10);
    void add('huge', 'b', 1000);
    expect(order).toEqual(['small']);
    await end('small');
    expect(order).toEqual(['small', 'huge']);
    void add('later', 'c', 1);
    expect(order).toEqual(['small', 'huge']);
    await end('huge');
    expect(order).toEqual(['small', 'huge', 'later']);
  });

  it('does not let small tasks overtake a large one forever', async () => {
    const { order, add, end } = controlled(createScheduler({ slots: 2, memoryBytes: 100 }));
    void add('base', 'x', 30);
    void add('large', 'large', 90);
    for (let index = 0; index < 60; index += 1) void add(`small-${index}`, 'small', 30);
    for (let index = 0; index < 60 && !order.includes('large'); index += 1) {
      await end(order.at(-1) ?? '');
      if (index === 20) await end('base');
    }
    expect(order).toContain('large');
    expect(order.length).toBeLessThan(30);
  });

  it('forgets an aborted task that waits, and admits what waited behind it', async () => {
    const scheduler = createScheduler({ slots: 2, memoryBytes: 100 });
    const { order, add } = controlled(scheduler);
    const abort = new AbortController();
    void add('a', 'a', 60);
    const waiting = add('b', 'b', 60, abort.signal);
    abort.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    expect(order).toEqual(['a']);
    expect(scheduler.stats().queued).toBe(0);
    await expect(add('c', 'c', 1, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });

  it('frees the slot of a task that fails', async () => {
    const scheduler = createScheduler({ slots: 1, memoryBytes: 100 });
    const fail = scheduler.run({ turn: turnOf('g'), memoryBytes: 50, execute: () => Promise.reject(new Error('no')) });
    const next = scheduler.run({ turn: turnOf('g'), memoryBytes: 100, execute: () => Promise.resolve('yes') });
    await expect(fail).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('rejects queued and later tasks when it is closed', async () => {
    const scheduler = createScheduler({ slots: 1, memoryBytes: 100 });
    const { add } = controlled(scheduler);
    void add('a', 'g');
    const waiting = add('b', 'g');
    scheduler.close(new Error('closed'));
    await expect(waiting).rejects.toThrow('closed');
    await expect(add('c', 'g')).rejects.toThrow('closed');
  });

  it('lets accounts take turns before their jobs', async () => {
    const { order, add, end } = controlled(createScheduler({ slots: 1, memoryBytes: 100 }));
    for (const job of ['a', 'b', 'c']) for (const n of [0, 1]) void add(`busy-${job}${n}`, turnOf(job, 'free', 'busy'));
    void add('quiet-0', turnOf('a', 'free', 'quiet'));
    void add('quiet-1', turnOf('a', 'free', 'quiet'));
    for (let index = 0; index < 5; index += 1) await end(order.at(-1) ?? '');
    expect(order).toEqual(['busy-a0', 'busy-a1', 'quiet-0', 'busy-b0', 'quiet-1', 'busy-c0']);
  });

  it('stops the free task that started last for a paid one, and starts it again', async () => {
    const { order, add, end } = controlled(createScheduler({ slots: 2, memoryBytes: 100 }));
    const stopped = ['free-0', 'free-1', 'free-2'].map((name) => add(name, turnOf(name)));
    const paid = add('paid', turnOf('paid', 'paid', 'payer'));
    await tick();
    expect(order).toEqual(['free-0', 'free-1', 'paid']);
    await end('paid');
    expect(await paid).toBe('paid');
    for (const name of ['free-0', 'free-1', 'free-2']) await end(name);
    expect(await Promise.all(stopped)).toEqual(['free-0', 'free-1', 'free-2']);
  });

  it('stops free tasks for no more than half of the processes', async () => {
    const { order, add, end } = controlled(createScheduler({ slots: 2, memoryBytes: 100 }));
    for (let n = 0; n < 2; n += 1) void add(`free-${n}`, turnOf('free'));
    for (let n = 0; n < 3; n += 1) void add(`paid-${n}`, turnOf('paid', 'paid', 'payer'));
    await tick();
    for (let n = 0; n < 2; n += 1) await end(order.at(-1) ?? '');
    expect(order).toEqual(['free-0', 'free-1', 'paid-0', 'paid-1', 'paid-2']);
  });

  it('gives one of four turns to a free task if none runs', async () => {
    const { order, add, end } = controlled(createScheduler({ slots: 2, memoryBytes: 100 }));
    for (let n = 0; n < 9; n += 1) void add(`paid-${n}`, turnOf('paid', 'paid', 'payer'));
    void add('free', turnOf('free'));
    for (let n = 0; n < 5; n += 1) await end(order.at(-1) ?? '');
    expect(order).toEqual(['paid-0', 'paid-1', 'paid-2', 'paid-3', 'paid-4', 'free', 'paid-5']);
  });

  it('stops an idle task for any other, and starts it last', async () => {
    const { order, add, end } = controlled(createScheduler({ slots: 1, memoryBytes: 100 }));
    let urgency: 'free' | 'idle' = 'free';
    const sample = add('sample', { ...turnOf('sample'), urgency: () => urgency });
    void add('other', turnOf('other'));
    await tick();
    expect(order).toEqual(['sample']);
    urgency = 'idle';
    await expect.poll(() => order).toEqual(['sample', 'other']);
    void add('later', turnOf('later'));
    await end('other');
    await end('later');
    expect(order).toEqual(['sample', 'other', 'later', 'sample']);
    await end('sample');
    expect(await sample).toBe('sample');
  });

  it('stops a task that uses more than its slice while others wait, and refuses it after three times', async () => {
    const scheduler = createScheduler({ slots: 1, memoryBytes: 100, sliceMs: 30 });
    const { order, used, add, end } = controlled(scheduler);
    const slow = add('slow', turnOf('slow', 'free', 'attacker'));
    slow.catch(() => {});
    for (let n = 0; n < 3; n += 1) {
      used.set('slow', 60);
      expect(order.at(-1)).toBe('slow');
      void add(`quick-${n}`, turnOf(`quick-${n}`));
      await expect.poll(() => order.at(-1)).toBe(`quick-${n}`);
      await end(`quick-${n}`);
    }
    await expect(slow).rejects.toBeInstanceOf(GaveWayTooOften);
  });

  it('stops no task that a process has not taken yet, or that waits for the processor', async () => {
    const { order, used, add, end } = controlled(createScheduler({ slots: 1, memoryBytes: 100, sliceMs: 30 }));
    const slow = add('slow', turnOf('slow'));
    used.set('slow', 20);
    void add('quick', turnOf('quick'));
    // The scheduler looks again every 200 ms.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(order).toEqual(['slow']);
    await end('slow');
    expect(await slow).toBe('slow');
    await end('quick');
  });
});

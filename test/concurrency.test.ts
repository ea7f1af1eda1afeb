import { getEventListeners } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type SharedCall, shareCalls, withAbort } from '../server/concurrency.ts';

describe('shareCalls', () => {
  const { signal: stays } = new AbortController();

  it('shares one call between concurrent callers of a key', async () => {
    const share = shareCalls<string, number>(1000);
    let resolve = (_value: number) => {};
    const promise = new Promise<number>((settle) => {
      resolve = settle;
    });
    let calls = 0;
    const call = () => {
      calls += 1;
      return promise;
    };
    const both = Promise.all([share('a', stays, call), share('a', stays, call)]);
    resolve(7);
    expect(await both).toEqual([7, 7]);
    expect(calls).toBe(1);
  });

  it('keeps the calls of different keys apart', async () => {
    const share = shareCalls<string, string>(1000);
    const results = await Promise.all([share('a', stays, async () => 'A'), share('b', stays, async () => 'B')]);
    expect(results).toEqual(['A', 'B']);
  });

  it('starts a new call after the last one has settled', async () => {
    const share = shareCalls<string, number>(1000);
    expect(await share('a', stays, async () => 1)).toBe(1);
    expect(await share('a', stays, async () => 2)).toBe(2);
  });

  it('rejects all callers of a failed call and forgets it', async () => {
    const share = shareCalls<string, number>(1000);
    const fail = () => Promise.reject(new Error('broken'));
    const outcomes = await Promise.allSettled([share('a', stays, fail), share('a', stays, fail)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await share('a', stays, async () => 2)).toBe(2);
  });

  it('goes on for a while without a caller, is joined by the next, and is aborted if none comes', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const share = shareCalls<string, string>(1000);
    const seen: SharedCall[] = [];
    const call = (shared: SharedCall) => {
      seen.push(shared);
      return new Promise<string>((_, reject) => {
        shared.signal.addEventListener('abort', () => reject(shared.signal.reason));
      });
    };
    const leave = async () => {
      const caller = new AbortController();
      const left = share('a', caller.signal, call);
      expect(seen[0]?.hasCaller()).toBe(true);
      caller.abort('left');
      await expect(left).rejects.toBe('left');
      expect(seen[0]?.hasCaller()).toBe(false);
    };
    await leave();
    vi.advanceTimersByTime(900);
    await leave();
    vi.advanceTimersByTime(900);
    expect(seen[0]?.signal.aborted).toBe(false);
    vi.advanceTimersByTime(100);
    expect(seen[0]?.signal.aborted).toBe(true);
    expect(seen).toHaveLength(1);
  });
});

describe('withAbort', () => {
  it('resolves with the work and leaves no listener', async () => {
    const { signal } = new AbortController();
    expect(await withAbort(Promise.resolve(3), signal)).toBe(3);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects with the error of the work and leaves no listener', async () => {
    const { signal } = new AbortController();
    await expect(withAbort(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it("rejects with the signal's reason during the work and leaves no listener", async () => {
    const controller = new AbortController();
    const waiting = withAbort(new Promise(() => {}), controller.signal);
    controller.abort('stopped');
    await expect(waiting).rejects.toBe('stopped');
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('rejects at once when the signal has aborted before', async () => {
    await expect(withAbort(Promise.resolve(3), AbortSignal.abort('stopped'))).rejects.toBe('stopped');
  });

  it('ignores a failure of the work after the abort', async () => {
    let reject = (_error: Error) => {};
    const promise = new Promise<number>((_resolve, fail) => {
      reject = fail;
    });
    await expect(withAbort(promise, AbortSignal.abort('stopped'))).rejects.toBe('stopped');
    reject(new Error('late'));
    await expect(promise).rejects.toThrow('late');
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FakeMode } from '../support/fake-vision-server.ts';
import { describeImage, useVision } from './analysis-harness.ts';

/** Delays between two attempts, in milliseconds of the faked clock, as the limits are. */
const waits = vi.hoisted(() => [] as number[]);
vi.mock('node:timers/promises', async (original) => ({
  ...(await original<typeof import('node:timers/promises')>()),
  setTimeout: (ms: number, value: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise((resolve, reject) => {
      waits.push(ms);
      const timer = setTimeout(() => resolve(value), ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
}));

const realSetTimeout = setTimeout;
const realPause = (ms: number) => new Promise<void>((resolve) => void realSetTimeout(resolve, ms));

const vision = useVision();
beforeEach(() => {
  waits.length = 0;
});
afterEach(() => void vi.useRealTimers());

/** Fakes the clock, which only the test advances, and creates an analysis. */
async function stopClock(mode: FakeMode, extra: Record<string, unknown>) {
  vision.server.mode = mode;
  const image = await vision.harness.place({ name: 'IMG_2034.jpg', bytes: vision.bytes });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const analysis = vision.harness.analysis(vision.settings(extra));
  return { analysis, image };
}

/** Asks about an image while the clock is stopped. */
async function ask(mode: FakeMode, extra: Record<string, unknown>) {
  const { analysis, image } = await stopClock(mode, extra);
  const startedAt = performance.now();
  let ended = false;
  const result = describeImage(analysis, image).then(({ aiStatus }) => {
    ended = true;
    return { aiStatus, tookMs: performance.now() - startedAt };
  });
  /** Advances the clock and waits for the consequences; true if the image is finished. */
  const pass = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    await realPause(20);
    return ended;
  };
  return { result, pass };
}

/** Waits for effects over a socket, which need real time. Not expect.poll(), which would advance the clock. */
async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 3000 && !condition(); tries++) await realPause(5);
  expect(condition()).toBe(true);
}
const untilRequests = (count: number) => until(() => vision.server.requests.length === count);

describe('the time limit of an image', () => {
  it.each<[FakeMode]>([['hang'], ['hang-in-body']])('%s ends at the limit and closes the socket', async (mode) => {
    const { result, pass } = await ask(mode, { AI_TIMEOUT_MS: 600 });
    await untilRequests(1);
    expect(await pass(599)).toBe(false);
    await pass(1);
    expect(await result).toEqual({ aiStatus: 'timeout', tookMs: 600 });
    await until(() => vision.server.questions()[0]?.abortedAt !== null);
  });

  it('begins after the first capability check, which has the time of a load', async () => {
    vision.server.failsCanary = true;
    const { result, pass } = await ask('hang', { AI_CANARY: 'on', AI_TIMEOUT_MS: 600, AI_LOAD_TIMEOUT_MS: 800 });
    await untilRequests(1);
    expect(await pass(799)).toBe(false);
    await pass(1);
    expect(await result).toEqual({ aiStatus: 'timeout', tookMs: 800 });
    expect(vision.server.questions()).toHaveLength(0);
  });

  it('includes all retries; none starts that would exceed it', async () => {
    const { result, pass } = await ask('error', { AI_TIMEOUT_MS: 1200, AI_MAX_RETRIES: 10 });
    await until(() => waits.length === 1);
    expect(await pass(499)).toBe(false);
    expect(vision.server.questions()).toHaveLength(1);
    await pass(1);
    expect(await result).toEqual({ aiStatus: 'failed', tookMs: 500 });
    expect(waits).toEqual([500]);
    expect(vision.server.questions()).toHaveLength(2);
  });

  it('allows the delay that the service requests', async () => {
    const { result, pass } = await ask('rate-limited-once', { AI_TIMEOUT_MS: 4000 });
    await until(() => waits.length === 1);
    expect(await pass(999)).toBe(false);
    expect(vision.server.questions()).toHaveLength(1);
    await pass(1);
    expect(await result).toEqual({ aiStatus: 'completed', tookMs: 1000 });
    expect(vision.server.questions()).toHaveLength(2);
  });

  it('does not allow a longer delay', async () => {
    const { result } = await ask('rate-limited-long', { AI_TIMEOUT_MS: 4000 });
    expect(await result).toEqual({ aiStatus: 'failed', tookMs: 0 });
    expect(waits).toEqual([]);
    expect(vision.server.questions()).toHaveLength(1);
  });
});

describe('the capability check', () => {
  it('does not delay the start and tells a service that does not answer, and asks it later', async () => {
    vision.server.failsCanary = true;
    const { analysis, image } = await stopClock('hang', {
      AI_CANARY: 'on',
      AI_TIMEOUT_MS: 500,
      AI_LOAD_TIMEOUT_MS: 500,
    });
    // The clock is stopped, so the capability check is still running.
    await analysis.start();
    await untilRequests(1);
    expect(vision.harness.logged()).not.toContain('capability check of the vision service failed');
    await vi.advanceTimersByTimeAsync(500);
    await until(() => vision.harness.logged().includes('capability check of the vision service failed'));
    expect(analysis.state()).toMatchObject({ status: 'open', reason: 'slow' });
    vision.server.mode = 'good';
    expect((await describeImage(analysis, image)).aiStatus).toBe('completed');
  });
});

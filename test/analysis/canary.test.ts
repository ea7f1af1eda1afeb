import { expect, it, vi } from 'vitest';
import { createCanary } from '../../server/analysis/canary.ts';
import type { VisionProvider } from '../../server/analysis/vision-provider.ts';

it('is waited for once: later tests run beside the questions', async () => {
  let now = 0;
  const hang: VisionProvider['ask'] = (_question, signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const ask = vi.fn(hang);
  const logger = { info: vi.fn(), warn: vi.fn() };
  const canary = createCanary({ provider: { ask }, logger, timeoutMs: 1500, now: () => now });
  const waited = async () => {
    const startedAt = performance.now();
    await canary.settled();
    return performance.now() - startedAt;
  };
  expect(await waited()).toBeGreaterThan(1400);
  now += 60_000;
  expect(await waited()).toBeLessThan(1000);
  expect(await waited()).toBeLessThan(1000);
  expect(ask).toHaveBeenCalledTimes(2);
  expect(canary.sight()).toBe('unverified');
  canary.close();
});

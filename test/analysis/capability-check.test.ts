import { expect, it, onTestFinished, vi } from 'vitest';
import { createCapabilityCheck } from '../../server/analysis/capability-check.ts';
import { createModelWatch } from '../../server/analysis/model-watch.ts';
import { createServiceState } from '../../server/analysis/service-state.ts';
import type { VisionProvider } from '../../server/analysis/vision-provider.ts';

const SERVICE = { model: 'llama3.2', baseUrl: 'http://127.0.0.1:11434/v1' };

function createCheck(ask: VisionProvider['ask'], now = () => 0) {
  const logger = { info: vi.fn(), warn: vi.fn() };
  const config = { AI_TIMEOUT_MS: 100, AI_LOAD_TIMEOUT_MS: 1500 };
  const provider: VisionProvider = { ask };
  const state = createServiceState({ logger, service: SERVICE });
  const watch = createModelWatch({ provider, config });
  return { check: createCapabilityCheck({ provider, logger, watch, state, config, now }), logger };
}

it('a model that ignores images is named with its address and their settings', async () => {
  const { check, logger } = createCheck(async () => ({ text: 'I cannot see images.' }) as never);
  await check.settled();
  expect(check.capability()).toBe('blind');
  const said = logger.warn.mock.calls.map(([, message]) => message).join('');
  for (const named of ['llama3.2', 'AI_MODEL', 'http://127.0.0.1:11434/v1', 'AI_BASE_URL'])
    expect(said).toContain(named);
});

it('the first capability check is awaited, later ones run in the background', async () => {
  let now = 0;
  const hang: VisionProvider['ask'] = (_question, signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const ask = vi.fn(hang);
  const { check } = createCheck(ask, () => now);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const settled = vi.fn();
  const first = check.settled().then(settled);
  await vi.advanceTimersByTimeAsync(1499);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await first;
  now += 60_000;
  // The clock is stopped, so the second check is still running.
  await check.settled();
  await check.settled();
  expect(ask).toHaveBeenCalledTimes(2);
  expect(check.capability()).toBe('unverified');
  check.close();
});

it('gives a model that thinks room for its thoughts, and does not call it blind if they have no end', async () => {
  const limits: number[] = [];
  const { check } = createCheck(async ({ maxTokens }) => {
    limits.push(maxTokens);
    return { text: '<think>The first digit', truncated: true, filtered: false };
  });
  await check.settled();
  expect(limits).toEqual([100, 2000]);
  expect(check.capability()).toBe('unverified');
  expect(check.failure()).toBe('cut_off');
});

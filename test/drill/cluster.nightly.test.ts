import { expect, it } from 'vitest';
import { runClusterDrill } from './cluster/run-drill.ts';

it('three servers lose nothing while servers, primaries and the file store go away', async () => {
  const outcome = await runClusterDrill({
    lastsMs: 45_000,
    clients: 6,
    killServerEveryMs: 15_000,
    changePrimaryEveryMs: 20_000,
    storeAwayAtMs: [25_000],
    storeAwayMs: 5000,
    report: console.log,
  });
  expect(outcome.faults).toEqual([]);
  expect(outcome.audit).toEqual({ ok: true, broken: [], pending: 0 });
  expect(outcome.spent).toBe(outcome.images);
  expect(outcome.serversKilled).toBeGreaterThan(1);
  expect(outcome.exports).toBeGreaterThan(0);
});

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callsOfEach, histories } from './commands/index.ts';
import { newTally, runHistory } from './run-history.ts';
import { SEEDS } from './seeds.ts';
import { startOneServer } from './stages/one-server.ts';
import type { Stage } from './stages/stage.ts';

/** Another one each day, so that a month of runs tries many; the title of the test names it. */
const SEED = Number(process.env.IMAGEWRIGHT_HISTORY_SEED ?? new Date().toISOString().slice(0, 10).replaceAll('-', ''));
const SHAPE = { clients: 2, calls: 50, kills: 'exports' as const };

let stage: Stage;

beforeAll(async () => {
  stage = await startOneServer();
});
afterAll(() => stage?.close());

it.each(Object.entries(SEEDS))('what was told stays true when %s', (_what, commands) => runHistory(stage, [commands]));

it(`what was told stays true in random histories with kills (IMAGEWRIGHT_HISTORY_SEED=${SEED})`, async () => {
  const tally = newTally();
  const property = fc.asyncProperty(histories(SHAPE), (lists) =>
    runHistory(stage, lists, { tally, most: callsOfEach(SHAPE) }),
  );
  await fc.assert(property, { seed: SEED, numRuns: 1, endOnFailure: true });
  expect(tally.calls).toBeGreaterThan(100);
});

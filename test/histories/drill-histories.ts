import fc from 'fast-check';
import { callsOfEach, type HistoryShape, histories } from './commands/index.ts';
import { newTally, runHistory } from './run-history.ts';
import type { Stage } from './stages/stage.ts';

/** Extent of a drill. */
export interface HistoriesPlan {
  /** Ends after so long; null: after the seeds. */
  minutes: number | null;
  /** Seeds with commas (`7,`), or their number. */
  seeds: string;
  shape: HistoryShape;
  /** Time to look for a shorter history that fails too. */
  shrinkMinutes: number;
  report: (line: string) => void;
}

const MINUTE_MS = 60_000;

/** Runs a history a seed and reports what turned untrue. @returns the number of histories that failed */
export async function drillHistories(stage: Stage, plan: HistoriesPlan): Promise<number> {
  const { minutes, shape, shrinkMinutes, report } = plan;
  const startedAt = performance.now();
  const endsAt = minutes === null ? Number.POSITIVE_INFINITY : startedAt + minutes * MINUTE_MS;
  const tally = newTally();
  let failures = 0;
  for (const seed of seedsOf(plan)) {
    if (performance.now() > endsAt) break;
    let isShrinking = false;
    const property = fc.asyncProperty(
      histories(shape, () => isShrinking),
      async (lists) => {
        await runHistory(stage, lists, { tally, most: callsOfEach(shape) }).catch((error: unknown) => {
          isShrinking = true;
          throw error;
        });
      },
    );
    const limit = shrinkMinutes * MINUTE_MS;
    const shrinking = limit > 0 ? { interruptAfterTimeLimit: limit } : { endOnFailure: true };
    const before = { ...tally, kills: stage.kills };
    const outcome = await fc.check(property, { seed, numRuns: 1, ...shrinking });
    // A server that does not start again ends the drill.
    await stage.whole();
    if (outcome.failed) {
      failures += 1;
      report((shrinkMinutes > 0 && fc.defaultReportMessage(outcome)) || String(outcome.errorInstance));
    }
    report(
      `seed ${seed}: ${outcome.failed ? 'FAILED' : 'held'}, ${tally.commands - before.commands} calls, ${tally.calls - before.calls} requests, ${stage.kills - before.kills} kills`,
    );
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  report(
    `${stage.name}: ${tally.histories} histories of ${shape.clients} clients in ${seconds} s, ${tally.commands} calls, ` +
      `${tally.calls} requests, ${tally.downloads} files compared, ${stage.kills} kills; ${failures} failed`,
  );
  return failures;
}

function* seedsOf({ minutes, seeds }: HistoriesPlan): Generator<number> {
  if (seeds.includes(',')) return yield* seeds.split(',').filter(Boolean).map(Number);
  const count = Number(seeds);
  for (let seed = 1; minutes !== null || seed <= count; seed += 1) yield seed;
}

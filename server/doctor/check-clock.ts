import type { CheckLine } from '#contract';
import type { DatabaseFacts } from '../db/index.ts';
import { linesOf } from './lines.ts';

/** Difference that is told, in milliseconds: headers have whole seconds. */
const NOTABLE_MS = 30_000;
/** Difference at which signatures of stores and certificates begin to fail, in milliseconds. */
const HARMFUL_MS = 300_000;

interface ClockCheckInput {
  facts: Promise<DatabaseFacts | null>;
  /** Time by the clock of the vision service. */
  modelDate: Promise<string | null>;
  /** Address of the S3 store; null: files are in a folder. */
  storeEndpoint: string | null;
  signal: AbortSignal;
}

/** Compares the clock of this machine with those of the database, the store and the vision service. */
export async function checkClock({ facts, modelDate, storeEndpoint, signal }: ClockCheckInput): Promise<CheckLine[]> {
  const [database, model, store] = await Promise.all([
    facts,
    modelDate,
    storeEndpoint === null ? null : dateOf(storeEndpoint, signal),
  ]);
  const clocks = [
    { whose: 'the database', aheadMs: database?.aheadMs ?? null },
    { whose: 'the store of files', aheadMs: store },
    { whose: 'the vision service', aheadMs: model === null ? null : aheadBy(model) },
  ].filter((clock): clock is { whose: string; aheadMs: number } => clock.aheadMs !== null);
  if (clocks.length === 0) {
    const found = 'nothing with a clock of its own could be asked';
    return [linesOf('clock', 'the clock of this machine').off('not_compared', found)];
  }
  return clocks.map(judge);
}

function judge({ whose, aheadMs }: { whose: string; aheadMs: number }): CheckLine {
  const line = linesOf('clock', `compares with ${whose}`);
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  if (Math.abs(aheadMs) < NOTABLE_MS) return line.ok('together', 'both say the same');
  const found = `this machine is ${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead'}`;
  const remedy = 'synchronize both clocks (chrony, systemd-timesyncd), and start the service after that';
  return Math.abs(aheadMs) < HARMFUL_MS ? line.warning('apart', found, remedy) : line.fault('apart', found, remedy);
}

/** Asks without a key: also a refusal has a date. Null if there is none. */
async function dateOf(endpoint: string, signal: AbortSignal): Promise<number | null> {
  try {
    const response = await fetch(endpoint, { method: 'HEAD', redirect: 'manual', signal });
    await response.body?.cancel();
    const date = response.headers.get('date');
    return date === null ? null : aheadBy(date);
  } catch {
    return null;
  }
}

function aheadBy(date: string): number | null {
  const at = Date.parse(date);
  return Number.isNaN(at) ? null : at - Date.now();
}

import type { Conflict } from './conflicts.ts';
import { createDelivery, type Delivery, GoneError } from './deliver.ts';
import { endsTheRun, failureOf } from './failures.ts';
import type { Manifest, StoredFile, StoredResult } from './manifest.ts';
import type { Options } from './options.ts';
import type { Plan, PlannedSource } from './plan.ts';
import type { Outcome, Report } from './report.ts';
import { createProgress, type Progress } from './show-progress.ts';

/** A run after planning, and what it has come to. */
export interface Run {
  options: Options;
  signal: AbortSignal;
  stderr: NodeJS.WriteStream;
  env: Readonly<Record<string, string | undefined>>;
  manifest: Manifest;
  plan: Plan;
  conflicts: Conflict[];
  credits: Report['credits'];
  notices: Set<string>;
  /** By target. */
  outcomes: Map<string, Outcome>;
}

/** Source of the optimized files: the service over HTTP, or the engine in this process. */
export interface Makes {
  /** Obtains the bytes of a file that was made earlier. @throws GoneError if it was removed */
  fetchFile(result: StoredResult, file: StoredFile): Promise<Uint8Array>;
  /** Makes, delivers and settles images. @throws any error that ends the run */
  make(sources: PlannedSource[], tools: Tools): Promise<void>;
}

/** Parts of a run that `make` writes its files and outcomes to. */
export interface Tools {
  delivery: Delivery;
  progress: Progress;
  /** Records the outcome of one source. */
  settle(outcome: Outcome): void;
}

/** Restores what is missing and makes the rest. @throws any error that ends the run */
export async function makeAll(run: Run, { fetchFile, make }: Makes): Promise<void> {
  const { options, signal, stderr, manifest, plan, outcomes } = run;
  const total = plan.unmade.length + plan.incomplete.length;
  // A killed run may have written them without recording it.
  for (const source of plan.unchanged) manifest.recordTarget(source, source.key);
  if (total === 0) return;
  const delivery = createDelivery({ fetchFile, manifest, out: options.out, signal });
  const progress = await createProgress(stderr, total);
  const settle = (outcome: Outcome) => {
    outcomes.set(outcome.source.target, outcome);
    progress.done(outcome);
  };
  try {
    const lost = await restoreAll(plan, delivery, settle);
    await make([...plan.unmade, ...lost], { delivery, progress, settle });
  } finally {
    progress.end();
    await manifest.save();
  }
}

/** Restores missing and damaged files. Returns the sources whose results are nowhere any longer. */
async function restoreAll({ incomplete }: Plan, delivery: Delivery, settle: Tools['settle']): Promise<PlannedSource[]> {
  const lost: PlannedSource[] = [];
  for (const { source, result, missing } of incomplete) {
    try {
      await delivery.deliver(source, result, missing);
      settle({ source, status: 'restored', result });
    } catch (error) {
      if (error instanceof GoneError) lost.push(source);
      else if (endsTheRun(error)) throw error;
      else settle({ source, status: 'failed', error: failureOf(error) });
    }
  }
  return lost;
}

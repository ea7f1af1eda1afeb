import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createBatchRun, finishBatch, makeBatch } from '../batch/index.ts';
import { ApiError, type Client, createClient } from '../sdk/index.ts';
import { batchOf, createBatchPorts } from './batch-ports.ts';
import { type Conflict, conflictError, findConflicts } from './conflicts.ts';
import { askForCost, type Cost, requireCredits } from './cost.ts';
import { createDelivery, type Delivery } from './deliver.ts';
import { CliError, EXIT, usageError } from './exit-codes.ts';
import { endsTheRun, failureOf, interruptedAfter } from './failures.ts';
import { forEachLimited, makeFolder } from './files-on-disk.ts';
import { findSources } from './find-sources.ts';
import { groupByKey, makeBatches } from './make-batches.ts';
import { type Manifest, openManifest } from './manifest.ts';
import { nameOutputs, nameVariant } from './name-outputs.ts';
import type { Options } from './options.ts';
import { type Incomplete, type Plan, type PlannedSource, planWork } from './plan.ts';
import { describeImage, type Outcome, type Report, summarize } from './report.ts';
import { createProgress } from './show-progress.ts';

/** Environment of a run. */
export interface Surroundings {
  cwd: string;
  /** Output of the progress bar or lines. */
  stderr: NodeJS.WriteStream;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

/** Runs `optimize`. Errors after planning are part of the report. @throws CliError before that */
export async function optimize(options: Options, { cwd, stderr, signal }: Surroundings): Promise<Report> {
  const out = resolve(cwd, options.out);
  await requireFolder(out, options);
  const manifest = await openManifest(out);
  const files = await findSources({ patterns: options.patterns, cwd, out, earlier: manifest.writtenFiles() });
  const sources = nameOutputs(files, { ...options, out });
  const plan = await planWork({ sources, options, manifest, out, signal });
  const conflicts = await findConflicts({ plan, settings: options.settings, manifest, out, signal });
  const client = createClient({ endpoint: options.endpoint, apiKey: options.apiKey });
  const outcomes = new Map<string, Outcome>();
  for (const source of plan.unchanged) {
    outcomes.set(source.target, { source, status: 'unchanged', result: manifest.content.results[source.key] });
  }
  const tally: Tally = { credits: { charged: 0, refunded: 0, balance: null }, notices: new Set(), outcomes };
  const run: Run = { options, out, signal, stderr, client, manifest, plan, conflicts, ...tally };
  let cost: Cost | null = null;
  let ended: CliError | undefined;
  try {
    const isRefused = conflicts.length > 0 && !options.overwrite;
    if (options.dryRun) cost = await previewCost(run);
    if (isRefused) throw conflictError(conflicts);
    if (!options.dryRun) await makeAll(run);
  } catch (error) {
    const { code, message } = failureOf(error);
    ended = endsTheRun(error) ?? new CliError(EXIT.unexpected, code, message, error);
  }
  return report(run, { sources, cost, ended });
}

/** Makes the folder of the results; a dry run only looks whether it could. @throws CliError 2 */
async function requireFolder(out: string, { dryRun }: Options): Promise<void> {
  const there = await stat(out).catch(() => null);
  if (there && !there.isDirectory()) throw usageError(`--out: expected a folder, but ${out} is a file`);
  if (there || dryRun) return;
  await makeFolder(out).catch((error: Error) => {
    throw usageError(`--out: the folder ${out} cannot be made: ${error.message}`);
  });
}

interface Tally {
  credits: Report['credits'];
  notices: Set<string>;
  /** By target. */
  outcomes: Map<string, Outcome>;
}

interface Run extends Tally {
  options: Options;
  /** Absolute. */
  out: string;
  signal: AbortSignal;
  stderr: NodeJS.WriteStream;
  client: Client;
  manifest: Manifest;
  plan: Plan;
  conflicts: Conflict[];
}

/** Prices the plan for `--dry-run` and notes what a run would do. Changes nothing. */
async function previewCost({
  options,
  plan,
  conflicts,
  manifest,
  client,
  signal,
  notices,
  outcomes,
}: Run): Promise<Cost> {
  const pending = new Set(manifest.pendingAt(options.endpoint).flatMap(({ images }) => images.map(({ key }) => key)));
  const started = plan.unmade.filter(({ key }) => pending.has(key));
  const unpaid = groupByKey(plan.unmade).filter(({ key }) => !pending.has(key));
  if (started.length > 0) {
    notices.add(`${started.length} images of an interrupted run would be fetched without paying again.`);
  }
  if (plan.incomplete.length > 0) {
    notices.add(
      `Files of ${plan.incomplete.length} results are missing or damaged. They would be downloaded again, or,`,
    );
    notices.add('if the service no longer has them, made and paid again.');
  }
  if (conflicts.length > 0 && options.overwrite) {
    const files = conflicts.map(({ file }) => file).join(', ');
    notices.add(`${conflicts.length} files that this program has not written would be overwritten: ${files}`);
  }
  for (const source of [...plan.unmade, ...plan.incomplete.map(({ source }) => source)]) {
    outcomes.set(source.target, { source, status: 'planned' });
  }
  return askForCost(client, { images: unpaid.length, analyze: options.analyze !== null, signal });
}

async function makeAll(run: Run): Promise<void> {
  const { options, out, signal, stderr, client, manifest, plan, credits, notices, outcomes } = run;
  const total = plan.unmade.length + plan.incomplete.length;
  if (total === 0) return;
  const delivery = createDelivery({ client, manifest, out, signal });
  for (const source of plan.unchanged) {
    // A killed run may have written it without recording it.
    manifest.recordTarget(source.target, source.key);
    for (const { variant, sha256 } of manifest.content.results[source.key]?.files ?? []) {
      delivery.remember(sha256, join(out, nameVariant(source.target, variant)));
    }
  }
  const progress = await createProgress(stderr, total);
  const settle = (outcome: Outcome) => {
    outcomes.set(outcome.source.target, outcome);
    progress.done(outcome);
  };
  try {
    const lost = await restoreAll(plan.incomplete, delivery, settle);
    const context = { client, manifest, delivery, options, progress, credits, notices, signal, settle };
    const batches = createBatchRun(createBatchPorts(context));
    let work = groupByKey([...plan.unmade, ...lost]);
    for (const batch of manifest.pendingAt(options.endpoint)) {
      const keys = new Set(batch.images.map(({ key }) => key));
      const begun = work.filter(({ key }) => keys.has(key));
      if (begun.length === 0 || !(await finishBatch(batches, batchOf(batch, begun)))) continue;
      work = work.filter(({ key }) => !keys.has(key));
    }
    if (work.length === 0) return;
    await requireCredits(client, { images: work.length, analyze: options.analyze !== null, signal });
    await forEachLimited(makeBatches(work), options.concurrency, async (batch) => {
      await makeBatch(batches, batch);
      await manifest.save();
    });
  } finally {
    progress.end();
    await manifest.save();
  }
}

/** Restores missing and damaged files. Returns the sources whose results the service no longer has. */
async function restoreAll(
  incomplete: Incomplete[],
  delivery: Delivery,
  settle: (outcome: Outcome) => void,
): Promise<PlannedSource[]> {
  const lost: PlannedSource[] = [];
  for (const { source, result, missing } of incomplete) {
    try {
      await delivery.deliver(source, result, missing);
      settle({ source, status: 'restored', result });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404 && error.code !== 'not_found') lost.push(source);
      else if (endsTheRun(error)) throw error;
      else settle({ source, status: 'failed', error: failureOf(error) });
    }
  }
  return lost;
}

interface Ending {
  sources: { target: string; below: string; path: string }[];
  cost: Cost | null;
  ended: CliError | undefined;
}

function report(
  { options, out, outcomes, credits, conflicts, notices }: Run,
  { sources, cost, ended }: Ending,
): Report {
  const error = ended ? { code: ended.code, message: ended.message } : null;
  // Of a list only the heading.
  const notMade = (error && { ...error, message: error.message.split(':\n')[0] ?? '' }) ?? {
    code: 'unexpected',
    message: 'The image was not made',
  };
  const images = sources.map((source) =>
    describeImage(outcomes.get(source.target) ?? { source, status: ended ? 'unmade' : 'failed', error: notMade }),
  );
  const summary = summarize(images);
  if (error?.code === 'interrupted') error.message = interruptedAfter(summary);
  const usual = summary.failed > 0 ? EXIT.someFailed : EXIT.ok;
  return {
    exitCode: ended?.exitCode ?? (cost && !cost.sufficient ? EXIT.credits : usual),
    error,
    dryRun: options.dryRun,
    out,
    settings: options.settings,
    images,
    summary,
    credits,
    cost,
    conflicts,
    notices: [...notices],
  };
}

import { stat } from 'node:fs/promises';
import { type Conflict, conflictError, findConflicts } from './conflicts.ts';
import type { Cost } from './cost.ts';
import { CliError, EXIT, usageError } from './exit-codes.ts';
import { endsTheRun, failureOf, interruptedAfter } from './failures.ts';
import { makeFolder, writeAtomically } from './files-on-disk.ts';
import { findSources } from './find-sources.ts';
import { groupByKey } from './make-batches.ts';
import { makesByService, previewCost } from './make-by-service.ts';
import { makesLocally } from './make-locally.ts';
import { earlierResults, type Manifest, openManifest } from './manifest.ts';
import { markupOf, writeMarkup } from './markup.ts';
import { nameOutputs, type Source } from './name-outputs.ts';
import type { Options } from './options.ts';
import { planWork } from './plan.ts';
import { printable } from './printable.ts';
import { findUnused, removeResults } from './prune.ts';
import { lockRecord } from './record-lock.ts';
import { recordFolder, recordPath } from './record-path.ts';
import { describeImage, type Report, summarize } from './report.ts';
import { makeAll, type Run } from './run.ts';

/** Environment of a run. */
export interface Surroundings {
  /** Output of the progress bar or lines. */
  stderr: NodeJS.WriteStream;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  env: Readonly<Record<string, string | undefined>>;
}

/** Runs `optimize`. Errors after planning are part of the report. @throws CliError before that */
export async function optimize(options: Options, surroundings: Surroundings): Promise<Report> {
  const { stderr, signal, env } = surroundings;
  await requireFolder(options);
  const path = options.record ?? recordPath(options.out, env);
  if (options.check || options.dryRun) return runWith(await openManifest(path, options.out), options, surroundings);
  const onWait = (who: string) => {
    stderr.write(`Another run (${printable(who)}) writes to ${printable(options.out)}. Waiting for its end …\n`);
  };
  const lock = await lockRecord(path, { signal, onWait });
  try {
    return await runWith(await openManifest(path, options.out, lock.requireHeld), options, surroundings);
  } finally {
    await lock.release();
  }
}

async function runWith(manifest: Manifest, options: Options, { stderr, signal, env }: Surroundings): Promise<Report> {
  const { out, settings } = options;
  const earlier = (bases: string[]) =>
    earlierResults([recordFolder(out, env), ...bases.map((base) => recordFolder(base, env))], [out, ...bases]);
  const files = await findSources({ ...options, earlier });
  const sources = nameOutputs(files, options);
  const plan = await planWork({ sources, options, manifest, out, signal });
  const conflicts = await findConflicts({ plan, settings, hashedNames: options.hashedNames, manifest, out, signal });
  const credits = { charged: 0, refunded: 0, balance: null };
  const tally = { credits, notices: new Set<string>(), outcomes: new Map() };
  const run: Run = { options, signal, stderr, env, manifest, plan, conflicts, ...tally };
  for (const source of plan.unchanged) {
    run.outcomes.set(source.target, { source, status: 'unchanged', result: manifest.content.results[source.key] });
  }
  let cost: Cost | null = null;
  let ended: CliError | undefined;
  let pruned: string[] = [];
  try {
    if (options.check) requireOptimized(run);
    else if (options.dryRun) cost = await preview(run);
    if (conflicts.length > 0 && !options.overwrite) throw conflictError(conflicts);
    if (!options.check && !options.dryRun) pruned = await perform(run);
  } catch (error) {
    const { code, message } = failureOf(error);
    ended = endsTheRun(error) ?? new CliError(EXIT.unexpected, code, message, error);
  }
  return report(run, { sources, cost, ended, pruned });
}

/** Makes the folder of the results; a run that changes nothing only looks whether it could. @throws CliError 2 */
async function requireFolder({ out, dryRun, check }: Options): Promise<void> {
  const there = await stat(out).catch(() => null);
  if (there && !there.isDirectory()) throw usageError(`--out: expected a folder, but ${printable(out)} is a file`);
  if (there || dryRun || check) return;
  await makeFolder(out).catch((error: Error) => {
    throw usageError(`--out: the folder ${printable(out)} cannot be made: ${printable(error.message)}`);
  });
}

/** Notes the images that have to be made. */
function notePlanned({ plan, outcomes }: Run): Source[] {
  const sources = [...plan.unmade, ...plan.incomplete.map(({ source }) => source)];
  for (const source of sources) outcomes.set(source.target, { source, status: 'planned' });
  return sources;
}

/** Most images that the error of `--check` names. */
const MAX_NAMED = 10;

/** @throws CliError 1 that names the images that are not optimized */
function requireOptimized(run: Run): void {
  const missing = notePlanned(run);
  if (missing.length === 0) return;
  const lines = missing.slice(0, MAX_NAMED).map(({ below }) => `  ${printable(below)}`);
  if (missing.length > MAX_NAMED) lines.push(`  … and ${missing.length - MAX_NAMED} more`);
  const head = `Not optimized: ${missing.length} of ${missing.length + run.plan.unchanged.length} images. Run without --check:`;
  throw new CliError(EXIT.someFailed, 'not_optimized', `${head}\n${lines.join('\n')}`);
}

/** Prices the plan for `--dry-run` and notes what a run would do. Changes nothing. */
async function preview(run: Run): Promise<Cost> {
  const { options, plan, conflicts, notices } = run;
  notePlanned(run);
  if (conflicts.length > 0 && options.overwrite) {
    const files = conflicts.map(({ file }: Conflict) => printable(file)).join(', ');
    notices.add(`${conflicts.length} files that this program has not written would be overwritten: ${files}`);
  }
  const unused = options.prune ? await findUnused(run) : [];
  if (unused.length > 0)
    notices.add(`${unused.length} unused results would be removed: ${unused.map(printable).join(', ')}`);
  if (options.service) return previewCost(run, options.service);
  return { images: groupByKey(plan.unmade).length, credits: 0, balance: null, sufficient: true };
}

/** Makes what is missing, then removes unused results and writes the markup. Returns the names of what was removed. */
async function perform(run: Run): Promise<string[]> {
  const { options, manifest, outcomes, notices } = run;
  await makeAll(run, options.service ? makesByService(run, options.service) : makesLocally(run));
  if (options.markup) {
    const images = [...outcomes.values()].flatMap(({ source, result }) =>
      result ? [[source.below, markupOf(source, result, options.baseUrl)] as const] : [],
    );
    images.sort(([one], [other]) => (one < other ? -1 : 1));
    await writeAtomically(options.markup, writeMarkup(options.markup, new Map(images)));
  }
  if (!options.prune) return [];
  if ([...outcomes.values()].some(({ status }) => status === 'failed')) {
    notices.add('Nothing was pruned, since some images failed.');
    return [];
  }
  const unused = await findUnused(run);
  manifest.keepTargets(new Set(outcomes.keys()));
  await removeResults(unused, options.out, manifest);
  return unused;
}

interface Ending {
  sources: Source[];
  cost: Cost | null;
  ended: CliError | undefined;
  pruned: string[];
}

function report(
  { options, outcomes, credits, conflicts, notices }: Run,
  { sources, cost, ended, pruned }: Ending,
): Report {
  const error = ended ? { code: ended.code, message: ended.message } : null;
  // Of a list only the heading.
  const notMade = (error && { ...error, message: error.message.split(':\n')[0] ?? '' }) ?? {
    code: 'unexpected',
    message: 'The image was not made',
  };
  const images = sources.map((source) =>
    describeImage(
      outcomes.get(source.target) ?? { source, status: ended ? 'unmade' : 'failed', error: notMade },
      options.baseUrl,
    ),
  );
  const summary = summarize(images);
  if (error?.code === 'interrupted') error.message = interruptedAfter(summary);
  const usual = summary.failed > 0 ? EXIT.someFailed : EXIT.ok;
  return {
    exitCode: ended?.exitCode ?? (cost && !cost.sufficient ? EXIT.credits : usual),
    error,
    dryRun: options.dryRun,
    service: options.service?.endpoint ?? null,
    out: options.out,
    settings: options.settings,
    images,
    summary,
    credits,
    cost,
    conflicts,
    pruned,
    notices: [...notices],
  };
}

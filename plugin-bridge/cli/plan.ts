import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError, EXIT } from './exit-codes.ts';
import { forEachLimited, hashFile } from './files-on-disk.ts';
import { keyOf, type Manifest, type StoredFile, type StoredResult } from './manifest.ts';
import type { Source } from './name-outputs.ts';
import type { Options } from './options.ts';
import { printable } from './printable.ts';

/** A source with its content's hash and the key of its result. */
export interface PlannedSource extends Source {
  sha256: string;
  /** Size in bytes. */
  size: number;
  /** Key of its result. */
  key: string;
}

/** A source with a recorded result of which files are missing or damaged. */
export interface Incomplete {
  source: PlannedSource;
  result: StoredResult;
  missing: StoredFile[];
}

/** Sources by what has to be done with them. */
export interface Plan {
  /** All result files are intact. */
  unchanged: PlannedSource[];
  /** Paid, but files are missing or damaged. */
  incomplete: Incomplete[];
  /** To be made, for the first time or again. */
  unmade: PlannedSource[];
}

const HASHED_AT_ONCE = 4;

interface PlanInput {
  sources: Source[];
  options: Pick<Options, 'settings' | 'analyze' | 'force'>;
  manifest: Manifest;
  /** Absolute. */
  out: string;
  signal: AbortSignal;
}

/** Hashes every source and its results and sorts the sources by what has to be done. Changes nothing. */
export async function planWork({ sources, options, manifest, out, signal }: PlanInput): Promise<Plan> {
  const plan: Plan = { unchanged: [], incomplete: [], unmade: [] };
  const planned = new Map<Source, PlannedSource>();
  await forEachLimited(sources, HASHED_AT_ONCE, async (source) => {
    signal.throwIfAborted();
    const sha256 = await hashFile(source.path);
    if (!sha256) throw new CliError(EXIT.usage, 'usage', `${printable(source.path)} disappeared while it was read`);
    const { size } = await stat(source.path);
    planned.set(source, { ...source, sha256, size, key: keyOf(sha256, options) });
  });
  const missing = new Map<PlannedSource, StoredFile[]>();
  const known = [...planned.values()].filter(({ key }) => !options.force && manifest.content.results[key]);
  await forEachLimited(known, HASHED_AT_ONCE, async (source) => {
    signal.throwIfAborted();
    const files = manifest.content.results[source.key]?.files ?? [];
    const intact = await Promise.all(
      files.map(async (file) => (await hashFile(join(out, source.nameOf(file)))) === file.sha256),
    );
    missing.set(
      source,
      files.filter((_, index) => !intact[index]),
    );
  });
  // In the order of the sources: hashing finishes in any order.
  for (const source of sources.flatMap((one) => planned.get(one) ?? [])) {
    const result = manifest.content.results[source.key];
    const lacking = missing.get(source);
    if (!result || !lacking) plan.unmade.push(source);
    else if (lacking.length === 0) plan.unchanged.push(source);
    else plan.incomplete.push({ source, result, missing: lacking });
  }
  return plan;
}

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isCompleteImage } from './complete-image.ts';
import { CliError, EXIT } from './exit-codes.ts';
import { forEachLimited, hashFile } from './files-on-disk.ts';
import type { Manifest } from './manifest.ts';
import { expectedFiles } from './name-files.ts';
import type { ExportSettings } from './options.ts';
import type { Plan } from './plan.ts';
import { printable } from './printable.ts';

/** A file at the path of a result that this program has not written. */
export interface Conflict {
  /** Path below the output folder. */
  file: string;
  /** Source of the result. */
  source: string;
  /** `unknown`: in no record. `edited`: the program has written another image there. */
  reason: 'unknown' | 'edited';
}

const HASHED_AT_ONCE = 4;
const MAX_SHOWN = 10;
const WORDS = { unknown: 'is in no record of this program', edited: 'was changed since it was written' } as const;

interface FindInput {
  plan: Plan;
  settings: ExportSettings;
  hashedNames: boolean;
  manifest: Manifest;
  /** Absolute. */
  out: string;
  signal: AbortSignal;
}

/** Finds the files a plan would overwrite although this program has not written them. Changes nothing. */
export async function findConflicts({
  plan,
  settings,
  hashedNames,
  manifest,
  out,
  signal,
}: FindInput): Promise<Conflict[]> {
  const { results, written } = manifest.content;
  // A killed run may have written files without recording them; their results are recorded before.
  const ours = new Set(Object.values(results).flatMap(({ files }) => files.map(({ sha256 }) => sha256)));
  const places = [
    // A name with a hash is known when its file is made, and no file of others has it.
    ...plan.unmade.flatMap((source) =>
      hashedNames ? [] : expectedFiles(settings, source.below).map((file) => ({ source, file })),
    ),
    ...plan.incomplete.flatMap(({ source, missing }) => missing.map((file) => ({ source, file }))),
  ].map(({ source, file }) => ({ file: source.nameOf(file), source: source.below }));
  const reasons = new Map<string, Conflict['reason']>();
  await forEachLimited(places, HASHED_AT_ONCE, async ({ file }) => {
    signal.throwIfAborted();
    const path = join(out, file);
    const sha256 = await hashFile(path);
    // No file, or an empty one left by a power cut.
    if (!sha256 || ours.has(sha256) || (await stat(path)).size === 0) return;
    const known = written[file];
    if (known === undefined) reasons.set(file, 'unknown');
    else if (known !== sha256 && (await isCompleteImage(path))) reasons.set(file, 'edited');
  });
  return places.flatMap((place) => {
    const reason = reasons.get(place.file);
    return reason ? [{ ...place, reason }] : [];
  });
}

/** Returns the error of a run that would overwrite files of others. It ends before anything is done. */
export function conflictError(conflicts: readonly Conflict[]): CliError {
  const lines = conflicts.slice(0, MAX_SHOWN).map(({ file, reason }) => `  ${printable(file)}: ${WORDS[reason]}`);
  if (conflicts.length > MAX_SHOWN) lines.push(`  … and ${conflicts.length - MAX_SHOWN} more`);
  return new CliError(
    EXIT.usage,
    'would_overwrite',
    `These files would be overwritten, so nothing was done:\n${lines.join('\n')}\n` +
      'Move them away, use another --out or --keep-extension, or allow it with --overwrite.',
  );
}

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError, EXIT } from './exit-codes.ts';
import { forEachLimited, hashFile } from './files-on-disk.ts';
import type { Manifest } from './manifest.ts';
import { nameVariant, variantsOf } from './name-outputs.ts';
import type { ExportSettings } from './options.ts';
import type { Plan } from './plan.ts';
import { isWholeImage } from './whole-image.ts';

/** A file that is not the program's own and lies where a result would go. */
export interface Conflict {
  /** Below the output folder. */
  file: string;
  /** The source whose result it would be. */
  source: string;
  /** `unknown`: it is in no record. `edited`: the program wrote another image there. */
  reason: 'unknown' | 'edited';
}

const LOOKED_AT_ONCE = 4;
const MOST_SHOWN = 10;
const WORDS = { unknown: 'is in no record of this program', edited: 'was changed since it was written' } as const;

interface FindInput {
  plan: Plan;
  settings: ExportSettings;
  manifest: Manifest;
  /** Absolute. */
  out: string;
  signal: AbortSignal;
}

/** Finds what somebody would miss if the plan were carried out. Changes nothing. */
export async function findConflicts({ plan, settings, manifest, out, signal }: FindInput): Promise<Conflict[]> {
  const { results, written } = manifest.content;
  // Also what a run that was killed has written and not recorded: its results are known before its files.
  const ours = new Set(Object.values(results).flatMap(({ files }) => files.map(({ sha256 }) => sha256)));
  const places = [
    ...plan.unmade.flatMap((source) => variantsOf(settings).map((variant) => ({ source, variant }))),
    ...plan.incomplete.flatMap(({ source, missing }) => missing.map(({ variant }) => ({ source, variant }))),
  ].map(({ source, variant }) => ({ file: nameVariant(source.target, variant), source: source.below }));
  const reasons = new Map<string, Conflict['reason']>();
  await forEachLimited(places, LOOKED_AT_ONCE, async ({ file }) => {
    signal.throwIfAborted();
    const path = join(out, file);
    const sha256 = await hashFile(path);
    // There is nothing, or what a power cut has left of a file.
    if (!sha256 || ours.has(sha256) || (await stat(path)).size === 0) return;
    const known = written[file];
    if (known === undefined) reasons.set(file, 'unknown');
    else if (known !== sha256 && (await isWholeImage(path))) reasons.set(file, 'edited');
  });
  return places.flatMap((place) => {
    const reason = reasons.get(place.file);
    return reason ? [{ ...place, reason }] : [];
  });
}

/** What ends a run that would write over somebody's files; nothing is done then. */
export function conflictError(conflicts: readonly Conflict[]): CliError {
  const lines = conflicts.slice(0, MOST_SHOWN).map(({ file, reason }) => `  ${file}: ${WORDS[reason]}`);
  if (conflicts.length > MOST_SHOWN) lines.push(`  … and ${conflicts.length - MOST_SHOWN} more`);
  return new CliError(
    EXIT.usage,
    'would_overwrite',
    `These files would be written over, so nothing was done:\n${lines.join('\n')}\n` +
      'Move them away, use another --out or --keep-extension, or allow it with --overwrite.',
  );
}

import { join } from 'node:path';
import { usageError } from './exit-codes.ts';
import type { FoundFile } from './find-sources.ts';
import { expectedFiles, type NamedFile, nameFile, targetOf } from './name-files.ts';
import type { ExportSettings } from './options.ts';

/** A file to optimize, and the name of its results. */
export interface Source extends FoundFile {
  /** Name of the `full` result below the output folder, with `/` and without a hash. */
  target: string;
  /** Returns the name of one of its results below the output folder. */
  nameOf(file: NamedFile): string;
}

interface NameInput {
  settings: ExportSettings;
  keepExtension: boolean;
  hashedNames: boolean;
  /** Absolute. */
  out: string;
}

/**
 * Names the results of all files.
 * @throws CliError 2 if two files would have the same name, or one would overwrite a source; nothing is spent
 */
export function nameOutputs(files: FoundFile[], { settings, keepExtension, hashedNames, out }: NameInput): Source[] {
  const sources = files.map((file): Source => {
    const target = targetOf(file.below, settings, keepExtension);
    return { ...file, target, nameOf: (one) => nameFile(target, one, hashedNames) };
  });
  const takenBy = new Map<string, string>(files.map(({ path, below }) => [comparable(path), `${below} itself`]));
  const clashes: string[] = [];
  for (const { below, target } of sources) {
    for (const file of expectedFiles(settings, below)) {
      const name = nameFile(target, file);
      const place = comparable(join(out, name));
      const other = takenBy.get(place);
      if (other) clashes.push(`  ${name}: ${other === `${below} itself` ? other : `${other} and ${below}`}`);
      else takenBy.set(place, below);
    }
  }
  if (clashes.length === 0) return sources;
  const shown = clashes.slice(0, 10).join('\n') + (clashes.length > 10 ? `\n  … and ${clashes.length - 10} more` : '');
  throw usageError(
    `Several files would be written to the same name, so nothing was done:\n${shown}\n` +
      "Use --keep-extension (a.jpg becomes a.jpg.avif), another --out, or leave one out with '!pattern'.",
  );
}

/** Normalizes case and composition of letters, which file systems of macOS and Windows ignore. */
function comparable(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

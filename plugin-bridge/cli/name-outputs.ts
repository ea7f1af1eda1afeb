import { basename, join } from 'node:path';
import { usageError } from './exit-codes.ts';
import type { FoundFile } from './find-sources.ts';
import { expectedFiles, type NamedFile, nameFile, targetOf } from './name-files.ts';
import type { ExportSettings } from './options.ts';
import { printable } from './printable.ts';

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
 * @throws CliError 2 if two files would have the same name, one would overwrite a source, or a name is too long; nothing is spent
 */
export function nameOutputs(files: FoundFile[], { settings, keepExtension, hashedNames, out }: NameInput): Source[] {
  const sources = files.map((file): Source => {
    const target = targetOf(file.below, settings, keepExtension);
    return { ...file, target, nameOf: (one) => nameFile(target, one, hashedNames) };
  });
  requireShortNames(sources, settings);
  const takenBy = new Map<string, string>(files.map(({ path, below }) => [comparable(path), `${below} itself`]));
  const clashes: string[] = [];
  for (const { below, target } of sources) {
    for (const file of expectedFiles(settings, below)) {
      const name = nameFile(target, file);
      const place = comparable(join(out, name));
      const other = takenBy.get(place);
      if (other)
        clashes.push(
          `  ${printable(name)}: ${printable(other === `${below} itself` ? other : `${other} and ${below}`)}`,
        );
      else takenBy.set(place, below);
    }
  }
  if (clashes.length === 0) return sources;
  throw usageError(
    `Several files would be written to the same name, so nothing was done:\n${listed(clashes)}\n` +
      "Use --keep-extension (a.jpg becomes a.jpg.avif), another --out, or leave one out with '!pattern'.",
  );
}

/** Longest name of a file on the usual file systems: bytes on Linux, UTF-16 units on Windows and macOS. */
const MAX_LENGTH = 255;
const lengthOf = (name: string) =>
  ['win32', 'darwin'].includes(process.platform) ? name.length : Buffer.byteLength(name);

/** @throws CliError 2 that names the sources whose results would have too long names */
function requireShortNames(sources: readonly Source[], settings: ExportSettings): void {
  const sha256 = '0'.repeat(64);
  const lines = sources.flatMap(({ below, nameOf }) => {
    const names = expectedFiles(settings, below).map((file) => basename(nameOf({ ...file, sha256 })));
    const length = Math.max(...names.map(lengthOf));
    return length > MAX_LENGTH ? [`  ${printable(below)}: ${length}, of at most ${MAX_LENGTH}`] : [];
  });
  if (lines.length === 0) return;
  throw usageError(
    `The names of results would be too long for a file system, so nothing was done:\n${listed(lines)}\n` +
      "Give these images shorter names, or leave them out with '!pattern'.",
  );
}

/** Most lines of a list. */
const MAX_LISTED = 10;

function listed(lines: readonly string[]): string {
  const rest = lines.length - MAX_LISTED;
  return lines.slice(0, MAX_LISTED).join('\n') + (rest > 0 ? `\n  … and ${rest} more` : '');
}

/** Normalizes case and composition of letters, which file systems of macOS and Windows ignore. */
function comparable(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

import { extname, join } from 'node:path';
import { DEFAULT_RESPONSIVE_WIDTHS, FORMATS } from '#contract/constants';
import { usageError } from './exit-codes.ts';
import type { FoundFile } from './find-sources.ts';
import type { ExportSettings } from './options.ts';

/** A file to optimize, and the name of its results. */
export interface Source extends FoundFile {
  /** Name of the `full` result below the output folder, with `/`. */
  target: string;
}

/** Returns the name of a result below the output folder: `a.avif` for `full`, `a-480w.avif` for `480w`. */
export function nameVariant(target: string, variant: string): string {
  if (variant === 'full') return target;
  // A name from the service becomes part of a path only in its documented form.
  if (!/^\d{1,5}w$/.test(variant)) throw new Error(`The service returned a variant named "${variant}"`);
  const extension = extname(target);
  return `${target.slice(0, target.length - extension.length)}-${variant}${extension}`;
}

/** Returns the variants these settings may give; the service skips sizes above a source's width. */
export function variantsOf({ responsive, responsiveSizes = [...DEFAULT_RESPONSIVE_WIDTHS] }: ExportSettings): string[] {
  return ['full', ...(responsive ? responsiveSizes : []).map((width) => `${width}w`)];
}

interface NameInput {
  settings: ExportSettings;
  keepExtension: boolean;
  /** Absolute. */
  out: string;
}

/**
 * Names the results of all files.
 * @throws CliError 2 if two files would have the same name, or one would overwrite a source; nothing is spent
 */
export function nameOutputs(files: FoundFile[], { settings, keepExtension, out }: NameInput): Source[] {
  const sources = files.map((file) => ({ ...file, target: targetOf(file.below, settings.format, keepExtension) }));
  const variants = variantsOf(settings);
  const takenBy = new Map<string, string>(files.map(({ path, below }) => [comparable(path), `${below} itself`]));
  const clashes: string[] = [];
  for (const { below, target } of sources) {
    for (const variant of variants) {
      const name = nameVariant(target, variant);
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

function targetOf(below: string, format: ExportSettings['format'], keepExtension: boolean): string {
  const own = extname(below);
  if (format === 'original') return below;
  const extension = `.${FORMATS[format].extension}`;
  return (keepExtension ? below : below.slice(0, below.length - own.length)) + extension;
}

/** Normalizes case and composition of letters, which file systems of macOS and Windows ignore. */
function comparable(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

import { extname, join } from 'node:path';
import { usageError } from './exit-codes.ts';
import type { FoundFile } from './find-sources.ts';
import type { ExportSettings } from './options.ts';

/** Widths of `--responsive` without `--sizes`, in pixels (contract, `DEFAULT_RESPONSIVE_WIDTHS`). */
export const DEFAULT_WIDTHS = [480, 768, 1024, 1440, 1920] as const;

const EXTENSIONS = { webp: '.webp', avif: '.avif', jpeg: '.jpg', png: '.png' } as const;

/** A file to optimize, and what its results are called. */
export interface Source extends FoundFile {
  /** Name of the `full` result below the output folder, with `/`. */
  target: string;
}

/** Name of a result below the output folder: `a.avif` for `full`, `a-480w.avif` for `480w`. */
export function nameVariant(target: string, variant: string): string {
  if (variant === 'full') return target;
  // From the service: nothing but what it is documented to be becomes part of a path.
  if (!/^\d{1,5}w$/.test(variant)) throw new Error(`The service answered with a variant named "${variant}"`);
  const extension = extname(target);
  return `${target.slice(0, target.length - extension.length)}-${variant}${extension}`;
}

/** The variants that these settings may give; sizes above a source's width are left out by the service. */
export function variantsOf({ responsive, responsiveSizes = [...DEFAULT_WIDTHS] }: ExportSettings): string[] {
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
 * @throws CliError 2 when two files would write the same name, or one of them over a source; nothing is spent then
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
  const extension = EXTENSIONS[format];
  return (keepExtension ? below : below.slice(0, below.length - own.length)) + extension;
}

/** Disks of macOS and Windows do not tell case and composition of letters apart. */
function comparable(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

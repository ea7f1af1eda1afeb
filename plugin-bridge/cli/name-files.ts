import { extname } from 'node:path';
import {
  DEFAULT_RESPONSIVE_WIDTHS,
  type EncodedFormat,
  encodedFormat,
  FORMATS,
  INPUT_FORMATS,
  type OutputFormat,
} from '#contract/constants';
import type { ExportSettings } from './options.ts';

/** A file of a result. */
export interface NamedFile {
  /** `full`, or `<width>w`. */
  variant: string;
  /** With several formats; absent: the format of the target's extension. */
  format?: EncodedFormat | undefined;
  /** Needed for names with a hash. */
  sha256?: string | undefined;
}

/** Characters of a file's hash in its name. */
const HASH_LENGTH = 8;

/** Returns the formats of the settings, each once. */
function formatsOf({ format, formats = [format] }: Pick<ExportSettings, 'format' | 'formats'>): OutputFormat[] {
  return formats;
}

/**
 * Returns the name of a file below the output folder: `a.avif` for `full`, `a-480w.avif` for `480w`, and with `hashedNames`
 * `a-480w.3f2a91bc.avif`.
 */
export function nameFile(target: string, { variant, format, sha256 }: NamedFile, hashedNames = false): string {
  // A name from the service becomes part of a path only in its documented form.
  if (!/^(full|\d{1,5}w)$/.test(variant)) throw new Error(`The service returned a variant named "${variant}"`);
  if (format !== undefined && !Object.hasOwn(FORMATS, format)) {
    throw new Error(`The service returned a file of the format "${format}"`);
  }
  const own = extname(target);
  const stem = target.slice(0, target.length - own.length);
  const hash = hashedNames && sha256 ? `.${sha256.slice(0, HASH_LENGTH)}` : '';
  const extension = format === undefined ? own : `.${FORMATS[format].extension}`;
  return `${stem}${variant === 'full' ? '' : `-${variant}`}${hash}${extension}`;
}

/** Lists the files that these settings may give of a source; sizes above its width are skipped when they are made. */
export function expectedFiles(settings: ExportSettings, below: string): NamedFile[] {
  const { responsive, responsiveSizes = [...DEFAULT_RESPONSIVE_WIDTHS] } = settings;
  const variants = ['full', ...(responsive ? responsiveSizes : []).map((width) => `${width}w`)];
  if (settings.formats === undefined) return variants.map((variant) => ({ variant }));
  const formats = new Set(settings.formats.map((format) => writtenFormat(format, below)));
  return [...formats].flatMap((format) => variants.map((variant) => ({ variant, format })));
}

/** Returns the name of the `full` result below the output folder; with several formats, of the first but `original`. */
export function targetOf(below: string, settings: ExportSettings, keepExtension: boolean): string {
  const own = extname(below);
  const [format] = formatsOf(settings).filter((one) => one !== 'original');
  if (format === undefined) return below;
  return `${keepExtension ? below : below.slice(0, below.length - own.length)}.${FORMATS[format].extension}`;
}

/** The format that is written for a file, by its extension. */
function writtenFormat(format: OutputFormat, below: string): EncodedFormat {
  if (format !== 'original') return format;
  const extension = extname(below).slice(1).toLowerCase();
  const input = INPUT_FORMATS.find((one) => (FORMATS[one].extensions as readonly string[]).includes(extension));
  return encodedFormat('original', input ?? 'jpeg');
}

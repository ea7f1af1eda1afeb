import { parseArgs } from 'node:util';
import type { OutputFormat, Preset } from '#contract';
import { usageError } from './exit-codes.ts';

/** Output formats, as the service names them. */
export const FORMATS = ['webp', 'avif', 'jpeg', 'png', 'original'] as const satisfies readonly OutputFormat[];
/** Presets, as the service names them. */
export const PRESETS = [
  'maximum',
  'very_high',
  'high',
  'medium',
  'low',
  'minimum',
] as const satisfies readonly Preset[];

/** The service that `npm start` starts. */
const DEFAULT_ENDPOINT = 'http://127.0.0.1:8080';
const MOST_CONCURRENT = 16;

/** How the images are to be made. */
export interface ExportSettings {
  format: (typeof FORMATS)[number];
  preset: (typeof PRESETS)[number];
  responsive: boolean;
  responsiveSizes?: number[];
  embedMetadata: boolean;
}

/** What the command line and the environment say. */
export interface Options {
  /** Globs, folders and files. */
  patterns: string[];
  /** The output folder, as given. */
  out: string;
  settings: ExportSettings;
  /** Have the images described before they are exported. */
  analyze: { language?: string } | null;
  endpoint: string;
  apiKey: string;
  /** Batches at the same time. */
  concurrency: number;
  json: boolean;
  dryRun: boolean;
  force: boolean;
  /** Also write over files that are not the program's own. */
  overwrite: boolean;
  keepExtension: boolean;
}

const FLAGS = {
  format: { type: 'string', default: 'webp' },
  preset: { type: 'string', default: 'high' },
  out: { type: 'string', short: 'o' },
  responsive: { type: 'boolean', default: false },
  sizes: { type: 'string' },
  endpoint: { type: 'string' },
  'api-key': { type: 'string' },
  concurrency: { type: 'string', default: '2' },
  json: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
  overwrite: { type: 'boolean', default: false },
  'embed-metadata': { type: 'boolean', default: false },
  analyze: { type: 'boolean', default: false },
  language: { type: 'string' },
  'keep-extension': { type: 'boolean', default: false },
} as const;

/** Reads `optimize …`. @throws CliError 2 that names the option, what it expects and what it got */
export function parseOptions(args: string[], env: Record<string, string | undefined>): Options {
  const { values, positionals } = parse(args);
  const [command, ...patterns] = positionals;
  if (command !== 'optimize') throw usageError(`expected the command "optimize", but received "${command ?? ''}"`);
  if (patterns.length === 0) throw usageError(`expected at least one pattern, e.g. 'photos/**/*.{jpg,png}'`);
  if (!values.out) throw usageError('--out: expected the folder for the results');
  if (values.language !== undefined && !values.analyze) throw usageError('--language needs --analyze');
  const apiKey = values['api-key'] ?? env.IMAGEWRIGHT_API_KEY;
  if (!apiKey) throw usageError('expected an API key in IMAGEWRIGHT_API_KEY or after --api-key');
  const sizes = values.sizes === undefined ? undefined : parseSizes(values.sizes);
  return {
    patterns,
    out: values.out,
    settings: {
      format: oneOf('--format', FORMATS, values.format),
      preset: oneOf('--preset', PRESETS, values.preset),
      responsive: values.responsive || sizes !== undefined,
      ...(sizes && { responsiveSizes: sizes }),
      embedMetadata: values['embed-metadata'],
    },
    analyze: values.analyze ? { ...(values.language && { language: values.language }) } : null,
    endpoint: parseEndpoint(values.endpoint ?? env.IMAGEWRIGHT_ENDPOINT ?? DEFAULT_ENDPOINT),
    apiKey: parseApiKey(apiKey),
    concurrency: wholeNumber('--concurrency', values.concurrency, 1, MOST_CONCURRENT),
    json: values.json,
    dryRun: values['dry-run'],
    force: values.force,
    overwrite: values.overwrite,
    keepExtension: values['keep-extension'],
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: FLAGS, allowPositionals: true, strict: true });
  } catch (error) {
    throw usageError((error as Error).message);
  }
}

function oneOf<T extends string>(name: string, allowed: readonly T[], value: string): T {
  const found = allowed.find((one) => one === value);
  if (!found) throw usageError(`${name}: expected one of ${allowed.join(', ')}, but received "${value}"`);
  return found;
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    throw usageError(`${name}: expected a whole number from ${min} to ${max}, but received "${text}"`);
  }
  return value;
}

/** Widths as the service takes them, in pixels. */
function parseSizes(text: string): number[] {
  const sizes = text.split(',').map((size) => wholeNumber('--sizes', size.trim(), 16, 8192));
  if (sizes.length > 10) throw usageError(`--sizes: expected at most 10 widths, but received ${sizes.length}`);
  return [...new Set(sizes)].sort((a, b) => a - b);
}

function parseEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError(`--endpoint: expected an http or https address, but received "${text}"`);
  }
  return text.replace(/\/+$/, '').replace(/\/v1$/, '');
}

function parseApiKey(text: string): string {
  // Anything else could not be sent as a header.
  if (!/^[\x21-\x7e]+$/.test(text)) throw usageError('--api-key: expected letters and digits without spaces');
  return text;
}

import { parseArgs } from 'node:util';
import {
  MAX_RESPONSIVE_SIZES,
  OUTPUT_FORMATS,
  type OutputFormat,
  PRESETS,
  type Preset,
  RESPONSIVE_EDGE,
} from '#contract/constants';
import { usageError } from './exit-codes.ts';

/** Address of a service started by `npm start`. */
const DEFAULT_ENDPOINT = 'http://127.0.0.1:8080';
const MAX_CONCURRENCY = 16;

/** Settings of an export. */
export interface ExportSettings {
  format: OutputFormat;
  preset: Preset;
  responsive: boolean;
  responsiveSizes?: number[];
  embedMetadata: boolean;
  /** Absent in records of earlier versions: false. */
  onlySmaller?: true;
}

/** Options from the command line and the environment. */
export interface Options {
  /** Globs, folders and files. */
  patterns: string[];
  /** Output folder as given. */
  out: string;
  settings: ExportSettings;
  /** Describes the images before the export; null: no. */
  analyze: { language?: string } | null;
  endpoint: string;
  apiKey: string;
  /** Batches at once. */
  concurrency: number;
  json: boolean;
  dryRun: boolean;
  force: boolean;
  /** Overwrites files the program has not written. */
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
  'only-smaller': { type: 'boolean', default: false },
  analyze: { type: 'boolean', default: false },
  language: { type: 'string' },
  'keep-extension': { type: 'boolean', default: false },
} as const;

/** Parses `optimize …`. @throws CliError 2 that names the option, the expected and the received value */
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
      format: oneOf('--format', OUTPUT_FORMATS, values.format),
      preset: oneOf('--preset', PRESETS, values.preset),
      responsive: values.responsive || sizes !== undefined,
      ...(sizes && { responsiveSizes: sizes }),
      embedMetadata: values['embed-metadata'],
      ...(values['only-smaller'] && { onlySmaller: true as const }),
    },
    analyze: values.analyze ? { ...(values.language && { language: values.language }) } : null,
    endpoint: parseEndpoint(values.endpoint ?? env.IMAGEWRIGHT_ENDPOINT ?? DEFAULT_ENDPOINT),
    apiKey: parseApiKey(apiKey),
    concurrency: wholeNumber('--concurrency', values.concurrency, 1, MAX_CONCURRENCY),
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

/** Parses widths in pixels. */
function parseSizes(text: string): number[] {
  const sizes = text
    .split(',')
    .map((size) => wholeNumber('--sizes', size.trim(), RESPONSIVE_EDGE.min, RESPONSIVE_EDGE.max));
  if (sizes.length > MAX_RESPONSIVE_SIZES) {
    throw usageError(`--sizes: expected at most ${MAX_RESPONSIVE_SIZES} widths, but received ${sizes.length}`);
  }
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
  // Other characters cannot be sent in a header.
  if (!/^[\x21-\x7e]+$/.test(text)) throw usageError('--api-key: expected letters and digits without spaces');
  return text;
}

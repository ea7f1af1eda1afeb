import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  MAX_EDGE,
  MAX_RESPONSIVE_SIZES,
  OUTPUT_FORMATS,
  type OutputFormat,
  PRESETS,
  type Preset,
  RESPONSIVE_EDGE,
} from '#contract/constants';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import { usageError } from './exit-codes.ts';
import type { Ask } from './person.ts';
import { printable } from './printable.ts';

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
  /** Several formats; `format` is the first of them. */
  formats?: OutputFormat[];
  maxWidth?: number;
  placeholder?: true;
  /** Reaches the preset's score whatever the last points cost. */
  quality?: 'exact';
}

/** Address and key of a service. */
export interface Service {
  endpoint: string;
  apiKey: string;
}

/** Options from the command line, the configuration file and the environment. */
export interface Options {
  /** Globs, folders and files. */
  patterns: string[];
  /** Folder from which the patterns are meant. */
  cwd: string;
  /** Output folder, absolute. */
  out: string;
  settings: ExportSettings;
  /** Describes the images before the export; null: no. */
  analyze: { language?: string } | null;
  /** Null: the engine of this program. */
  service: Service | null;
  /** Batches at once; with the engine of this program, its processes. */
  concurrency: number | null;
  json: boolean;
  dryRun: boolean;
  /** Looks whether all images are optimized, and makes none. */
  check: boolean;
  force: boolean;
  /** Overwrites files the program has not written. */
  overwrite: boolean;
  keepExtension: boolean;
  hashedNames: boolean;
  /** Removes results that no source gives any longer. */
  prune: boolean;
  /** File of the markup, absolute. */
  markup: string | null;
  /** Address before the names of the results in the markup. */
  baseUrl: string;
  /** Path of the record, absolute; null: chosen by the output folder. */
  record: string | null;
}

const FLAGS = {
  format: { type: 'string' },
  preset: { type: 'string' },
  out: { type: 'string', short: 'o' },
  local: { type: 'boolean' },
  responsive: { type: 'boolean' },
  sizes: { type: 'string' },
  'max-width': { type: 'string' },
  exact: { type: 'boolean' },
  placeholder: { type: 'boolean' },
  'hashed-names': { type: 'boolean' },
  markup: { type: 'string' },
  'base-url': { type: 'string' },
  prune: { type: 'boolean' },
  check: { type: 'boolean' },
  config: { type: 'string' },
  record: { type: 'string' },
  endpoint: { type: 'string' },
  'api-key': { type: 'string' },
  concurrency: { type: 'string' },
  json: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  force: { type: 'boolean' },
  overwrite: { type: 'boolean' },
  'embed-metadata': { type: 'boolean' },
  'only-smaller': { type: 'boolean' },
  analyze: { type: 'boolean' },
  language: { type: 'string' },
  'keep-extension': { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parse>['values'];
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the options of `optimize …`: those of the command line before those of the configuration file.
 * @param ask absent where nobody can answer
 * @throws CliError 2 that names the option, the expected and the received value
 */
export async function readOptions(args: string[], env: Environment, cwd: string, ask?: Ask): Promise<Options> {
  const { values: given, positionals } = parse(args);
  const [command, ...patterns] = positionals;
  if (command !== 'optimize')
    throw usageError(`expected the command "optimize", but received "${printable(command ?? '')}"`);
  const file = await readConfigFile(given.config && resolve(cwd, given.config), cwd, FLAGS);
  const values = { ...file?.values, ...given } as Values;
  // A path is meant from where it was written.
  const pathOf = (name: 'out' | 'markup' | 'record') =>
    values[name] === undefined ? null : resolve(given[name] === undefined ? (file?.folder ?? cwd) : cwd, values[name]);
  const wanted = patterns.length > 0 ? { patterns, cwd } : { patterns: file?.patterns ?? [], cwd: file?.folder ?? cwd };
  if (wanted.patterns.length === 0) {
    throw usageError(`expected at least one pattern, e.g. 'photos/**/*.{jpg,png}'`);
  }
  const out = pathOf('out');
  if (!out) throw usageError('--out: expected the folder for the results');
  const parsed = parseValues(values, env);
  if (given.endpoint === undefined) await requireKnownAddress(parsed, { file, env, ask });
  return {
    ...wanted,
    ...parsed,
    out,
    markup: pathOf('markup'),
    record: pathOf('record'),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: FLAGS, allowPositionals: true, strict: true });
  } catch (error) {
    throw usageError(printable((error as Error).message));
  }
}

/** Checks the values of the options. @throws CliError 2 */
function parseValues(values: Values, env: Environment) {
  if (values.language !== undefined && !values.analyze) throw usageError('--language needs --analyze');
  const service = parseService(values, env);
  for (const name of ['analyze', 'embed-metadata'] as const) {
    if (!service && values[name]) throw usageError(`--${name} needs a service: give --endpoint and a key`);
  }
  return {
    settings: parseSettings(values),
    analyze: values.analyze ? { ...(values.language && { language: values.language }) } : null,
    service,
    concurrency: numberOf('--concurrency', values.concurrency, { min: 1, max: MAX_CONCURRENCY }) ?? null,
    json: values.json ?? false,
    dryRun: values['dry-run'] ?? false,
    check: values.check ?? false,
    force: values.force ?? false,
    overwrite: values.overwrite ?? false,
    keepExtension: values['keep-extension'] ?? false,
    hashedNames: values['hashed-names'] ?? false,
    prune: values.prune ?? false,
    baseUrl: values['base-url'] ?? '',
  };
}

function parseSettings(values: Values): ExportSettings {
  const formats = [...new Set((values.format ?? 'webp').split(',').map((one) => one.trim()))];
  const [format = 'webp', ...others] = formats.map((one) => oneOf('--format', OUTPUT_FORMATS, one));
  const sizes = values.sizes === undefined ? undefined : parseSizes(values.sizes);
  const maxWidth = numberOf('--max-width', values['max-width'], MAX_EDGE);
  return {
    format,
    preset: oneOf('--preset', PRESETS, values.preset ?? 'high'),
    responsive: (values.responsive ?? false) || sizes !== undefined,
    ...(sizes && { responsiveSizes: sizes }),
    embedMetadata: values['embed-metadata'] ?? false,
    ...(values['only-smaller'] && { onlySmaller: true as const }),
    ...(others.length > 0 && { formats: [format, ...others] }),
    ...(maxWidth !== undefined && { maxWidth }),
    ...(values.placeholder && { placeholder: true as const }),
    ...(values.exact && { quality: 'exact' as const }),
  };
}

/** Returns the service to use: none with `--local`, or if neither an address nor a key is given. */
function parseService(values: Values, env: Environment): Service | null {
  const endpoint = values.endpoint ?? env.IMAGEWRIGHT_ENDPOINT;
  const apiKey = values['api-key'] ?? env.IMAGEWRIGHT_API_KEY;
  if (values.local && values.endpoint !== undefined) throw usageError('--local: not together with --endpoint');
  if (values.local || (!endpoint && !apiKey)) return null;
  if (!apiKey) {
    // A check asks nothing of the service.
    if (values.check) return { endpoint: parseEndpoint(endpoint ?? DEFAULT_ENDPOINT), apiKey: '' };
    throw usageError('expected an API key in IMAGEWRIGHT_API_KEY or after --api-key; --local needs none');
  }
  return { endpoint: parseEndpoint(endpoint ?? DEFAULT_ENDPOINT), apiKey: parseApiKey(apiKey) };
}

/**
 * Keeps a key from an address that stands only in a file, which may come with a stranger's folder: the person has to give the address, or
 * to agree.
 * @throws CliError 2
 */
async function requireKnownAddress(
  { service, check }: Pick<Options, 'service' | 'check'>,
  { file, env, ask }: { file: ConfigFile | undefined; env: Environment; ask: Ask | undefined },
): Promise<void> {
  // A check asks nothing of the service.
  if (!service || check || !file || file.values.endpoint === undefined) return;
  const { endpoint } = service;
  if (env.IMAGEWRIGHT_ENDPOINT && parseEndpoint(env.IMAGEWRIGHT_ENDPOINT) === endpoint) return;
  const [path, address] = [printable(file.path), printable(endpoint)];
  if (await ask?.(`${path} names the service ${address}. Send your key there?`)) return;
  throw usageError(
    `${path} names the service ${address}, but a key goes only to an address that you give yourself: ` +
      `set IMAGEWRIGHT_ENDPOINT=${address}, or use --endpoint ${address}. --local needs no key.`,
  );
}

function oneOf<T extends string>(name: string, allowed: readonly T[], value: string): T {
  const found = allowed.find((one) => one === value);
  if (!found) throw usageError(`${name}: expected one of ${allowed.join(', ')}, but received "${printable(value)}"`);
  return found;
}

function numberOf(name: string, text: string | undefined, { min, max }: { min: number; max: number }) {
  if (text === undefined) return undefined;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    throw usageError(`${name}: expected a whole number from ${min} to ${max}, but received "${printable(text)}"`);
  }
  return value;
}

/** Parses widths in pixels. */
function parseSizes(text: string): number[] {
  const sizes = text.split(',').flatMap((size) => numberOf('--sizes', size.trim(), RESPONSIVE_EDGE) ?? []);
  if (sizes.length > MAX_RESPONSIVE_SIZES) {
    throw usageError(`--sizes: expected at most ${MAX_RESPONSIVE_SIZES} widths, but received ${sizes.length}`);
  }
  return [...new Set(sizes)].sort((a, b) => a - b);
}

function parseEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError(`--endpoint: expected an http or https address, but received "${printable(text)}"`);
  }
  return text.replace(/\/+$/, '').replace(/\/v1$/, '');
}

function parseApiKey(text: string): string {
  // Other characters cannot be sent in a header.
  if (!/^[\x21-\x7e]+$/.test(text)) throw usageError('--api-key: expected letters and digits without spaces');
  return text;
}

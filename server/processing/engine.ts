import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Lack, Settings, SettingsInput, Warning } from '#contract';
import { metadataLevel, settingsFor, settingsSchema, warning } from '#contract';
import { type EncodedFormat, encodedFormat, type InputFormat, type OutputFormat } from '#contract/constants';
import { AppError } from '../errors.ts';
import { type ProcessingConfig, processingConfig } from './config.ts';
import { lacksOf, mergeWarnings } from './lacks.ts';
import { createProcessor, type ProbeOrder, type Processor, type RenderOptions } from './processor.ts';
import { type FileQuality, formatsOf, planVariants, qualityOf, type SourceFacts } from './shared/variants.ts';

/** Limits of an engine. */
export interface EngineOptions {
  /** Processes that encode, 1 to 256. @default one per core, fewer if memory is small */
  workers?: number | undefined;
  /**
   * Megabytes that all running encodes together may need by estimate, from 64; a larger image runs alone.
   * @default 90 % of the memory limit of the container, or half of the memory of the machine, without what the processes need
   */
  memoryMegabytes?: number | undefined;
  /** Seconds of processor time that one image with all its files may take, 1 to 3600. @default 120 */
  timeoutSeconds?: number | undefined;
  /** Largest image that is read, in pixels over all frames. @default 50 000 000 */
  maxPixels?: number | undefined;
  /** Most frames of an animation, 1 to 10 000. @default 300 */
  maxFrames?: number | undefined;
  /** Largest AVIF that is written, in pixels. @default 25 000 000 */
  maxAvifPixels?: number | undefined;
  /** Reads HEIC, with the package `libheif-js`. @default false */
  heic?: boolean | undefined;
}

/** An image to optimize. */
export interface EngineOrder {
  /** Absolute path of the image, which is only read. */
  source: string;
  /** Settings of an export, as in the API; defaults are filled in. Texts are not embedded. */
  settings?: SettingsInput;
  /** Folder of the made files, which get random names. Made if it is missing. */
  folder: string;
}

/** A file that was made. */
export interface EngineFile {
  /** `full`, or `<width>w`. */
  variant: string;
  format: EncodedFormat;
  mimeType: string;
  /** Absolute. */
  path: string;
  /** Bytes. */
  size: number;
  width: number;
  height: number;
  sha256: string;
  quality: FileQuality;
  /** Parts of the image that the file does not show; absent if none. */
  lacks?: Lack[];
}

/** Outcome of an image. */
export interface EngineResult {
  /** Facts of the source; width and height after EXIF orientation. */
  source: { format: InputFormat; width: number; height: number; size: number; sha256: string };
  /** By format, in the order of the settings, `full` first. Empty if none is smaller and `onlySmaller` is set. */
  files: EngineFile[];
  /** Widths that are left out because the source is smaller. */
  skippedSizes: number[];
  warnings: Warning[];
  /** ThumbHash, base64, with `placeholder`. */
  placeholder?: string;
}

/** The engine within a program: makes the bytes that the service makes, without a service. */
export interface Engine {
  /**
   * Optimizes one image. Several may run at a time; memory and processors are shared between them.
   * @throws AppError with a code of the catalogue, e.g. `unsupported_image`; the reason of `signal`
   */
  optimize(order: EngineOrder, options?: { signal?: AbortSignal }): Promise<EngineResult>;
  /** Reads the size of an image in pixels, after EXIF orientation. @throws AppError as {@link Engine.optimize} */
  measure(source: string): Promise<{ width: number; height: number }>;
  /** Number of processes that encode. */
  readonly workers: number;
  /** Ends the processes. */
  close(): Promise<void>;
}

/**
 * Starts the engine's processes.
 * @throws TypeError for an option out of its range; Error if the processes cannot start
 */
export async function startEngine(options: EngineOptions = {}): Promise<Engine> {
  const config = configOf(options);
  const processor = createProcessor({ config, logger: { info() {}, warn() {}, error() {} } });
  await keepAlive(processor.start());
  return {
    workers: config.WORKERS,
    measure: (source) => keepAlive(measure(processor, source)),
    optimize: (order, { signal } = {}) => keepAlive(optimize(processor, order, signal)),
    close: () => keepAlive(processor.close()),
  };
}

/** Settings of the service by the names of the options. */
const SETTINGS = {
  workers: 'WORKERS',
  memoryMegabytes: 'WORK_MEMORY_MB',
  timeoutSeconds: 'IMAGE_TIMEOUT_SECONDS',
  maxPixels: 'MAX_PIXELS',
  maxFrames: 'MAX_FRAMES',
  maxAvifPixels: 'MAX_AVIF_PIXELS',
} as const satisfies Record<Exclude<keyof EngineOptions, 'heic'>, keyof ProcessingConfig>;

function configOf({ heic, ...limits }: EngineOptions): ProcessingConfig {
  const names = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[];
  const given = Object.fromEntries(names.map((name) => [SETTINGS[name], limits[name]]));
  const { data, error } = processingConfig.safeParse({ ...given, HEIC_INPUT: heic ? 'on' : 'off' });
  if (data) return data;
  const complaints = error.issues.map(({ path: [setting], message }) => {
    return `${names.find((name) => SETTINGS[name] === setting)}: ${message}`;
  });
  throw new TypeError(`startEngine: ${complaints.join('; ')}`);
}

/** Waits for work that holds no handle of the event loop: a program with nothing else to do would end before it, with code 13. */
async function keepAlive<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => {}, 1000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** All images of a program are one group. */
const OPTIONS: Pick<RenderOptions, 'turn'> = { turn: { account: 'engine', job: 'engine', urgency: () => 'paid' } };

const probeOrder = (source: string, sha256: string): ProbeOrder => ({
  ...{ account: 'engine', file: source, sha256, originalFilename: basename(source) },
});

async function measure(processor: Processor, source: string): Promise<{ width: number; height: number }> {
  const { width, height } = await processor.probe(probeOrder(source, await hashOf(source)));
  return { width, height };
}

async function optimize(
  processor: Processor,
  { source, settings: given, folder }: EngineOrder,
  signal: AbortSignal | undefined,
): Promise<EngineResult> {
  const ordered = settingsSchema.parse(given ?? {});
  const sha256 = await hashOf(source);
  const { size } = await stat(source);
  const probed = await processor.probe(probeOrder(source, sha256), signal);
  const { format, width, height } = probed;
  const facts: SourceFacts = { format, width, height, hasAlpha: probed.hasAlpha, pages: probed.pages, size };
  const settings = settingsFor(ordered, probed);
  const budget = processor.newBudget(formatsOf(settings, format));
  const options = { ...OPTIONS, budget, ...(signal ? { signal } : {}) };
  await mkdir(folder, { recursive: true });
  const made = await renderFormats(processor, { source, sha256, facts, settings, folder }, options);
  const files = await onlySmaller(made.files, settings, size);
  const placeholder = settings.placeholder && files.length > 0;
  return {
    source: { format, width, height, size, sha256 },
    files,
    skippedSizes: made.skippedSizes,
    warnings: mergeWarnings(
      [...probed.warnings, ...made.warnings, ...(files.length > 0 ? [] : [warning('no_gain')])],
      made.rendered,
    ),
    ...(placeholder ? { placeholder: await processor.placeholder({ source, facts }, options) } : {}),
  };
}

interface Rendering {
  source: string;
  sha256: string;
  facts: SourceFacts;
  settings: Settings;
  folder: string;
}

interface Made {
  files: EngineFile[];
  skippedSizes: number[];
  /** The same files with their warnings. */
  rendered: { format: EncodedFormat; warnings: Warning[] }[];
  /** Of the image. */
  warnings: Warning[];
}

/** Renders all formats. One that cannot hold the image is left out with a warning, unless it is the only one. */
async function renderFormats(processor: Processor, rendering: Rendering, options: RenderOptions): Promise<Made> {
  const { facts, settings } = rendering;
  const { variants, skippedSizes } = planVariants(facts, settings);
  const formats = formatsOf(settings, facts.format);
  const outcomes = await Promise.allSettled(
    formats.map((format) => renderFormat(processor, { ...rendering, format, variants }, options)),
  );
  const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  const isTooLarge = (error: unknown) => error instanceof AppError && error.code === 'output_too_large';
  const [fault] = failed.filter((error) => failed.length === formats.length || !isTooLarge(error));
  const done = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  if (fault !== undefined) {
    await Promise.all(done.map(({ path }) => rm(path, { force: true })));
    throw fault;
  }
  const skipped = formats.filter((_, index) => outcomes[index]?.status === 'rejected');
  const warnings = skipped.length > 0 ? [warning('format_skipped', skipped.join(', '))] : [];
  return { files: done.map(({ warnings: _warnings, ...file }) => file), skippedSizes, rendered: done, warnings };
}

async function renderFormat(
  processor: Processor,
  {
    source,
    sha256,
    facts,
    settings,
    folder,
    format,
    variants,
  }: Rendering & { format: OutputFormat; variants: ReturnType<typeof planVariants>['variants'] },
  options: RenderOptions,
): Promise<(EngineFile & { warnings: Warning[] })[]> {
  const encoded = encodedFormat(format, facts.format);
  const rendered = await processor.render(
    {
      source,
      identity: sha256,
      facts,
      format,
      preset: settings.preset,
      metadata: metadataLevel(settings),
      insists: settings.quality === 'exact',
      variants: variants.map((spec) => ({ ...spec, target: join(folder, randomUUID()) })),
    },
    options,
  );
  return rendered.map((file) => ({
    variant: file.name,
    format: encoded,
    mimeType: file.mimeType,
    path: file.file,
    size: file.size,
    width: file.width,
    height: file.height,
    sha256: file.sha256,
    quality: qualityOf(settings, file),
    ...lacksOf(file),
    warnings: file.warnings,
  }));
}

/** Removes a `full` file that is not smaller than its source, if only smaller ones are wanted. */
async function onlySmaller(files: EngineFile[], settings: Settings, size: number): Promise<EngineFile[]> {
  if (!settings.onlySmaller) return files;
  const isGain = (file: EngineFile) => file.variant !== 'full' || file.size < size;
  await Promise.all(files.filter((file) => !isGain(file)).map(({ path }) => rm(path, { force: true })));
  return files.filter(isGain);
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Warning, WarningCode } from '#contract';
import { warning } from '#contract';
import { encodedFormat } from '#contract/constants';
import { AppError } from '../errors.ts';
import type { ProcessingConfig } from './config.ts';
import { extensionMismatch } from './extension-mismatch.ts';
import { closeQueues, type Queues, startQueues } from './queues.ts';
import { describeFailure } from './shared/failure.ts';
import { mimeTypeOf } from './shared/formats.ts';
import type { Inspection, InspectReport, InspectRequest, InspectTask } from './shared/inspection.ts';
import { estimateMemory } from './shared/memory-estimate.ts';
import type {
  PreviewReport,
  PreviewTask,
  ProbeReport,
  ProbeTask,
  RenderedVariant,
  RenderOrder,
  RenderStep,
  RenderTask,
  SourceFacts,
  WorkerLimits,
} from './shared/protocol.ts';
import { publish } from './shared/save.ts';

/** Format and size of an upload, read from its header. Width and height in pixels after EXIF orientation. */
export interface ProbeResult extends Omit<ProbeReport, 'warnings'> {
  mimeType: string;
  warnings: Warning[];
}

/** Options of {@link Processor.render}. */
export interface RenderOptions {
  /** Renders of one group (a job) take turns with those of other groups. */
  group: string;
  signal?: AbortSignal;
  onStep?: (step: RenderStep) => void;
}

/** Operations on the pixels of images. */
export interface Processor {
  /** Forks the workers. @throws Error if a worker still loads SVG or the library's native format */
  start(): Promise<void>;
  /** Reads a header. @throws unsupported_image | invalid_image | too_many_pixels | too_many_frames | overloaded */
  probe(request: { file: string; originalFilename: string }, signal?: AbortSignal): Promise<ProbeResult>;
  /**
   * Renders the variants of one image; all or none appear. An abort rejects with the signal's reason.
   * @throws invalid_image | output_too_large | processing_timeout | processing_failed | insufficient_storage
   */
  render(order: RenderOrder, options: RenderOptions): Promise<RenderedVariant[]>;
  /** Renders a small still WebP. @throws invalid_image | overloaded | insufficient_storage */
  preview(
    request: { source: string; facts: SourceFacts; width: number; target: string },
    signal?: AbortSignal,
  ): Promise<{ file: string; size: number; width: number; height: number }>;
  /** Measures an image for its description and copies it for a vision model if requested. Queued with the renders. */
  inspect(request: InspectRequest, signal?: AbortSignal): Promise<Inspection>;
  stats(): { workers: number; busy: number; queued: number; memoryBytes: number; pids: number[] };
  close(): Promise<void>;
}

/** Dependencies of {@link createProcessor}. */
export interface ProcessorDeps {
  config: ProcessingConfig;
  logger: Record<'info' | 'warn' | 'error', (details: object, message: string) => void>;
  metrics?: { encodeSeconds(format: string, seconds: number): void };
  /** False only in the test of the start-up check. @default true */
  blockLoaders?: boolean;
}

interface Context {
  readonly config: ProcessingConfig;
  readonly metrics: ProcessorDeps['metrics'];
  readonly limits: WorkerLimits;
  /** Undefined before the start and after the end. */
  queues: Queues | undefined;
}

/** Creates a processor; {@link Processor.start} forks its processes. */
export function createProcessor({ config, logger, metrics, blockLoaders = true }: ProcessorDeps): Processor {
  const limits = { maxPixels: config.MAX_PIXELS, maxFrames: config.MAX_FRAMES, maxAvifPixels: config.MAX_AVIF_PIXELS };
  const context: Context = { config, metrics, limits, queues: undefined };
  return {
    async start() {
      if (context.queues) return;
      context.queues = await startQueues(config, { blockLoaders, logger });
      logger.info({ workers: config.WORKERS, pids: stats(context).pids }, 'image processing started');
    },
    probe: (request, signal) => probe(context, request, signal),
    render: (order, options) => render(context, order, options),
    preview: (request, signal) => preview(context, request, signal),
    inspect: (request, signal) => inspect(context, request, signal),
    stats: () => stats(context),
    async close() {
      const { queues } = context;
      context.queues = undefined;
      if (queues) await closeQueues(queues);
    },
  };
}

function running({ queues }: Context): Queues {
  if (queues) return queues;
  throw new AppError('shutting_down', 'Image processing is not running', { headers: { 'Retry-After': '5' } });
}

async function probe(
  context: Context,
  { file, originalFilename }: Parameters<Processor['probe']>[0],
  signal: AbortSignal | undefined,
): Promise<ProbeResult> {
  const task: ProbeTask = { file, limits: context.limits };
  const report = await running(context).interactive.run<ProbeReport>({
    handler: 'probe',
    task,
    image: file,
    group: 'probe',
    memoryBytes: 0,
    signal,
  });
  const warnings = report.warnings.map((code) => warning(code));
  if (extensionMismatch(originalFilename, report.format)) warnings.push(warning('format_mismatch'));
  return { ...report, mimeType: mimeTypeOf(report.format), warnings };
}

async function render(
  context: Context,
  order: RenderOrder,
  { group, signal, onStep }: RenderOptions,
): Promise<RenderedVariant[]> {
  const variants = order.variants.map((variant) => ({ ...variant, part: partName(variant.target) }));
  const task: RenderTask = { ...order, variants, limits: context.limits };
  const format = encodedFormat(order.format, order.facts.format);
  const suspect = { handler: 'render', image: order.identity ?? order.source, format } as const;
  const memoryBytes = estimateMemory(order.facts, format);
  const { encoding, stealing } = running(context);
  const parts = variants.map(({ part }) => part);
  const reports = await removeOnFailure(parts, async () => {
    const written = await stealing.run({
      ...suspect,
      task,
      render: randomUUID(),
      group,
      memoryBytes,
      onStep,
      signal,
    });
    encoding.release(suspect);
    await publish(variants).catch(rejectWithCode);
    return written;
  });
  const positions = new Map(variants.map(({ name }, index) => [name, index]));
  reports.sort((one, other) => (positions.get(one.name) ?? 0) - (positions.get(other.name) ?? 0));
  return reports.map(({ encodeSeconds, warnings, ...report }) => {
    context.metrics?.encodeSeconds(report.format, encodeSeconds);
    return { ...report, mimeType: mimeTypeOf(report.format), warnings: toWarnings(warnings) };
  });
}

function preview(
  context: Context,
  request: Parameters<Processor['preview']>[0],
  signal: AbortSignal | undefined,
): Promise<PreviewReport> {
  const task: PreviewTask = { ...request, part: partName(request.target), limits: context.limits };
  return removeOnFailure([task.part], () =>
    running(context).interactive.run<PreviewReport>({
      handler: 'preview',
      task,
      image: request.source,
      group: 'preview',
      memoryBytes: 0,
      signal,
    }),
  );
}

async function inspect(
  context: Context,
  request: InspectRequest,
  signal: AbortSignal | undefined,
): Promise<Inspection> {
  const task: InspectTask = { ...request, limits: context.limits };
  // Decodes the whole file, up to three times. In the encoding queue it does not delay uploads, and an abort ends it.
  const { vision, ...report } = await running(context).encoding.run<InspectReport>({
    handler: 'inspect',
    task,
    image: request.source,
    group: 'inspect',
    // Decoded pixels and a small encode, as a JPEG takes.
    memoryBytes: estimateMemory(request.facts, 'jpeg'),
    signal,
  });
  if (!vision) return { ...report, vision };
  const { base64, ...size } = vision;
  return { ...report, vision: { jpeg: Buffer.from(base64, 'base64'), ...size } };
}

function stats({ config, queues }: Context): ReturnType<Processor['stats']> {
  const all = queues ? [queues.encoding.stats(), queues.interactive.stats()] : [];
  const sum = (field: 'busy' | 'queued' | 'memoryBytes') => all.reduce((total, one) => total + one[field], 0);
  return {
    workers: config.WORKERS,
    busy: sum('busy'),
    queued: sum('queued'),
    memoryBytes: sum('memoryBytes'),
    pids: all.flatMap(({ pids }) => pids),
  };
}

/** Removes the temporary files if the work fails, since a killed worker cannot. */
async function removeOnFailure<T>(parts: string[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await Promise.all(parts.map((part) => rm(part, { force: true })));
    throw error;
  }
}

/** Rejects with a code of the catalogue instead of the disk's error. */
function rejectWithCode(error: unknown): never {
  const { code, message } = describeFailure(error);
  throw new AppError(code, message, { cause: error });
}

function partName(target: string): string {
  return `${target}.${randomUUID()}.part`;
}

function toWarnings(codes: WarningCode[]): Warning[] {
  return [...new Set(codes)].map((code) => warning(code));
}

import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { EmbeddedTexts, EncodedFormat, InputFormat, OutputFormat, Preset, Warning, WarningCode } from '#contract';
import { warning } from '#contract';
import { encodedFormat } from '#contract/constants';
import { AppError } from '../errors.ts';
import type { ProcessingConfig } from './config.ts';
import { extensionMismatch } from './extension-mismatch.ts';
import { describeFailure } from './shared/failure.ts';
import { mimeTypeOf } from './shared/formats.ts';
import type { Inspection, InspectReport, InspectRequest, InspectTask } from './shared/inspection.ts';
import { estimateMemory } from './shared/memory-estimate.ts';
import type {
  PreviewReport,
  PreviewTask,
  ProbeReport,
  ProbeTask,
  RenderStep,
  RenderTask,
  SourceFacts,
  WorkerLimits,
} from './shared/protocol.ts';
import { publish } from './shared/save.ts';
import type { VariantSpec } from './shared/variants.ts';
import { createWorkStealing, type WorkStealing } from './work-stealing.ts';
import { createWorkerQueue, type WorkerQueue } from './worker-queue.ts';

/** Format and size of an upload, read from its header. Width and height in pixels after EXIF orientation. */
export interface ProbeResult {
  format: InputFormat;
  mimeType: string;
  width: number;
  height: number;
  hasAlpha: boolean;
  /** Frames of an animation or pages of a file; 1 for a still image. */
  pages: number;
  warnings: Warning[];
}

/** One image to render into one or more variants. */
export interface RenderRequest {
  /** Absolute path of the uploaded file. */
  source: string;
  /** Name of the image in the quarantine, e.g. its hash. @default source */
  identity?: string;
  facts: SourceFacts;
  format: OutputFormat;
  preset: Preset;
  keepCopyright: boolean;
  embed?: EmbeddedTexts | undefined;
  /** `target` is the absolute final path; it appears whole or not at all. */
  variants: (VariantSpec & { target: string })[];
}

/** A file that was written. */
export interface RenderedVariant {
  name: string;
  file: string;
  /** Bytes. */
  size: number;
  width: number;
  height: number;
  format: EncodedFormat;
  mimeType: string;
  /** SHA-256 in hex of the file. */
  sha256: string;
  /** The encoder's number, for a reduced PNG or GIF its palette's colours; null: the upload's own pixels were kept. */
  quality: number | 'lossless' | null;
  keptOriginal: boolean;
  warnings: Warning[];
}

/** Options of {@link Processor.render}. */
export interface RenderOptions {
  /** Renders of one group (a job) take turns with those of other groups. */
  group: string;
  signal?: AbortSignal;
  onStep?: (step: RenderStep) => void;
}

/** Everything the service does with pixels. */
export interface Processor {
  /** Forks the workers. @throws Error when a worker still loads SVG or the library's native format */
  start(): Promise<void>;
  /** Reads a header. @throws unsupported_image | invalid_image | too_many_pixels | too_many_frames | overloaded */
  probe(request: { file: string; originalFilename: string }, signal?: AbortSignal): Promise<ProbeResult>;
  /**
   * Renders the variants of one image; all or none appear. An abort rejects with the signal's reason.
   * @throws invalid_image | output_too_large | processing_timeout | processing_failed | insufficient_storage
   */
  render(request: RenderRequest, options: RenderOptions): Promise<RenderedVariant[]>;
  /** Makes a small still WebP. @throws invalid_image | overloaded | insufficient_storage */
  preview(
    request: { source: string; facts: SourceFacts; width: number; target: string },
    signal?: AbortSignal,
  ): Promise<{ file: string; size: number; width: number; height: number }>;
  /** Looks at an image for its description, with a copy for a vision model if asked for; takes its turn among the renders. */
  inspect(request: InspectRequest, signal?: AbortSignal): Promise<Inspection>;
  stats(): { workers: number; busy: number; queued: number; memoryBytes: number; pids: number[] };
  close(): Promise<void>;
}

/** Dependencies of {@link createProcessor}. */
export interface ProcessorDeps {
  config: ProcessingConfig;
  logger: Record<'info' | 'warn' | 'error', (details: object, message: string) => void>;
  metrics?: { encodeSeconds(format: string, seconds: number): void };
  /** Off only in the test of the start-up check. @default true */
  blockLoaders?: boolean;
}

// Headers and previews take milliseconds; what takes longer than this is stuck.
const INTERACTIVE_SECONDS = 30;

/** Creates a processor; {@link Processor.start} forks its processes. */
export function createProcessor({ config, logger, metrics, blockLoaders = true }: ProcessorDeps): Processor {
  const limits: WorkerLimits = {
    maxPixels: config.MAX_PIXELS,
    maxFrames: config.MAX_FRAMES,
    maxAvifPixels: config.MAX_AVIF_PIXELS,
  };
  let queues: { encoding: WorkerQueue; interactive: WorkerQueue; stealing: WorkStealing } | undefined;

  function running(): NonNullable<typeof queues> {
    if (!queues)
      throw new AppError('shutting_down', 'Image processing is not running', { headers: { 'Retry-After': '5' } });
    return queues;
  }

  async function withParts<T>(parts: string[], work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // A killed worker cannot tidy up after itself.
      await Promise.all(parts.map((part) => rm(part, { force: true })));
      throw error;
    }
  }

  return {
    async start() {
      if (queues) return;
      const started = {
        encoding: createWorkerQueue({
          name: 'encoding',
          workers: config.WORKERS,
          memoryBytes: config.WORK_MEMORY_MB * 1_000_000,
          timeoutSeconds: config.IMAGE_TIMEOUT_SECONDS,
          blockLoaders,
          logger,
        }),
        // Its own process: an upload never waits behind an encode.
        interactive: createWorkerQueue({
          name: 'interactive',
          workers: 1,
          memoryBytes: Number.POSITIVE_INFINITY,
          timeoutSeconds: Math.min(INTERACTIVE_SECONDS, config.IMAGE_TIMEOUT_SECONDS),
          queueLimit: config.PROBE_QUEUE_LIMIT,
          killOnAbort: false,
          blockLoaders,
          logger,
        }),
      };
      try {
        await Promise.all([started.encoding.refuseOpenLoaders(), started.interactive.refuseOpenLoaders()]);
      } catch (error) {
        await Promise.all([started.encoding.close(), started.interactive.close()]);
        throw error;
      }
      queues = { ...started, stealing: createWorkStealing(started.encoding) };
      logger.info({ workers: config.WORKERS, pids: this.stats().pids }, 'image processing started');
    },

    async probe({ file, originalFilename }, signal) {
      const task: ProbeTask = { file, limits };
      const report = await running().interactive.run<ProbeReport>({
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
    },

    async render(request, { group, signal, onStep }) {
      const variants = request.variants.map((variant) => ({ ...variant, part: partName(variant.target) }));
      const { identity, ...rest } = request;
      const format = encodedFormat(request.format, request.facts.format);
      const suspect = { handler: 'render', image: identity ?? request.source, format } as const;
      const task: RenderTask = { ...rest, variants, limits };
      const memoryBytes = estimateMemory(request.facts, format);
      const work = { ...suspect, task, render: randomUUID(), group, memoryBytes, onStep };
      const { encoding, stealing } = running();
      const parts = variants.map(({ part }) => part);
      const made = await withParts(parts, async () => {
        const reports = await stealing.run(work, signal);
        encoding.release(suspect);
        await publish(variants).catch(refuse);
        return reports;
      });
      const order = new Map(variants.map(({ name }, index) => [name, index]));
      const reports = made.sort((one, other) => (order.get(one.name) ?? 0) - (order.get(other.name) ?? 0));
      return reports.map(({ encodeSeconds, warnings, ...report }) => {
        metrics?.encodeSeconds(report.format, encodeSeconds);
        return { ...report, mimeType: mimeTypeOf(report.format), warnings: toWarnings(warnings) };
      });
    },

    async preview({ source, facts, width, target }, signal) {
      const task: PreviewTask = { source, facts, width, target, part: partName(target), limits };
      return withParts([task.part], () =>
        running().interactive.run<PreviewReport>({
          handler: 'preview',
          task,
          image: source,
          group: 'preview',
          memoryBytes: 0,
          signal,
        }),
      );
    },

    async inspect(request, signal) {
      const task: InspectTask = { ...request, limits };
      // Decodes the whole file, up to three times: uploads and previews do not wait behind that, and an abort ends it.
      const { vision, ...report } = await running().encoding.run<InspectReport>({
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
    },

    stats() {
      const all = queues ? [queues.encoding.stats(), queues.interactive.stats()] : [];
      const sum = (field: 'busy' | 'queued' | 'memoryBytes') => all.reduce((total, one) => total + one[field], 0);
      return {
        workers: config.WORKERS,
        busy: sum('busy'),
        queued: sum('queued'),
        memoryBytes: sum('memoryBytes'),
        pids: all.flatMap(({ pids }) => pids),
      };
    },

    async close() {
      const closing = queues;
      queues = undefined;
      if (closing) await Promise.all([closing.encoding.close(), closing.interactive.close()]);
    },
  };
}

/** The disk's own words become an error with a code. */
function refuse(error: unknown): never {
  const { code, message } = describeFailure(error);
  throw new AppError(code, message, { cause: error });
}

function partName(target: string): string {
  return `${target}.${randomUUID()}.part`;
}

function toWarnings(codes: WarningCode[]): Warning[] {
  return [...new Set(codes)].map((code) => warning(code));
}

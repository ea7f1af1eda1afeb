import { randomUUID } from 'node:crypto';
import type { Warning, WarningCode } from '#contract';
import { warning } from '#contract';
import { encodedFormat, type InformationKind, type InputFormat } from '#contract/constants';
import { AppError } from '../errors.ts';
import { heicDecoderVersion } from './cache-key.ts';
import type { Turn } from './choose-task.ts';
import { type ProcessingConfig, readableFormats } from './config.ts';
import { extensionMismatch } from './filename.ts';
import { closeQueues, type ProcessorStats, type Queues, startQueues, statsOf } from './queues.ts';
import { rejectWithCode } from './refuse-with-code.ts';
import type {
  Inspection,
  InspectReport,
  InspectRequest,
  InspectTask,
  OutputSettings,
  PlaceholderTask,
  PreviewReport,
  PreviewTask,
  ProbeReport,
  ProbeTask,
  RenderedVariant,
  RenderOrder,
  RenderStep,
  RenderTask,
  WorkerLimits,
} from './shared/protocol.ts';
import { publish, removeOnFailure } from './shared/save.ts';
import { isSignable, type Signer } from './shared/signer.ts';
import { estimateMemory, mimeTypeOf, type SourceFacts, signingMemory } from './shared/variants.ts';
import { openSigner } from './signing/open-signer.ts';
import { createTimeBudget, type TimeBudget } from './time-budget.ts';

/** Format and size of an upload, read from its header. Width and height in pixels after EXIF orientation. */
export interface ProbeResult extends Omit<ProbeReport, 'warnings'> {
  mimeType: string;
  warnings: Warning[];
}

/** Request of {@link Processor.probe}. */
export interface ProbeOrder {
  account: string;
  file: string;
  /** Hash of the file, by which it is known if it fails. */
  sha256: string;
  originalFilename: string;
}

/** Request of {@link Processor.preview}. */
export interface PreviewOrder extends Omit<PreviewTask, 'part' | 'limits'> {
  account: string;
  facts: SourceFacts;
}

/** Options of {@link Processor.preview}. */
export interface PreviewOptions {
  signal: AbortSignal;
  /** False while no client waits for the preview: then it yields to all other work. */
  hasCaller: () => boolean;
}

/** Facts of an upload that decide whether its files are signed. */
export interface SignableUpload {
  format: InputFormat;
  /** Kinds of information in the file. */
  carries?: readonly InformationKind[] | undefined;
}

/** Options of {@link Processor.render}. */
export interface RenderOptions {
  turn: Turn;
  signal?: AbortSignal;
  onStep?: (step: RenderStep) => void;
  /** Time that this work shares with the other formats of its image. @default the whole limit for this format */
  budget?: TimeBudget | undefined;
}

/** Operations on the pixels of images. */
export interface Processor {
  /** True if the quality is searched for each image, so that equal orders give other bytes than with fixed numbers. */
  readonly search: boolean;
  /**
   * Returns the identity of the signer of an upload's exported files, which decides their bytes; undefined if they are not signed.
   */
  signerOf(upload: SignableUpload, settings: Pick<OutputSettings, 'format' | 'metadata'>): string | undefined;
  /**
   * Forks the workers.
   * @throws Error if a worker still loads SVG or the library's native format, or the decoder of HEIC is missing; StartError if content
   *   credentials cannot be signed
   */
  start(): Promise<void>;
  /**
   * Reads a header.
   * @throws unsupported_image | invalid_image | too_many_pixels | too_many_frames | processing_timeout |
   *   processing_failed | overloaded
   */
  probe(request: ProbeOrder, signal?: AbortSignal): Promise<ProbeResult>;
  /** Creates the budget of processor time of one image. @param formats that are made of it */
  newBudget(formats: readonly string[]): TimeBudget;
  /**
   * Renders the variants of one image; all or none appear. An abort rejects with the signal's reason.
   * @throws invalid_image | output_too_large | processing_timeout | processing_failed | insufficient_storage
   */
  render(order: RenderOrder, options: RenderOptions): Promise<RenderedVariant[]>;
  /** Renders a small still WebP. Queued with the renders. @throws invalid_image | processing_timeout | insufficient_storage */
  preview(order: PreviewOrder, options: PreviewOptions): Promise<PreviewReport>;
  /** Measures an image for its description and copies it for a vision model if requested. Queued with the renders. */
  inspect(request: InspectRequest, options: Pick<RenderOptions, 'turn' | 'signal'>): Promise<Inspection>;
  /** Computes the ThumbHash of an image, base64. Queued with the renders. */
  placeholder(
    request: Omit<PlaceholderTask, 'limits'>,
    options: Pick<RenderOptions, 'turn' | 'signal' | 'budget'>,
  ): Promise<string>;
  stats(): ProcessorStats;
  close(): Promise<void>;
}

/** Dependencies of {@link createProcessor}. */
export interface ProcessorDeps {
  config: ProcessingConfig;
  logger: Record<'info' | 'warn' | 'error', (details: object, message: string) => void>;
  metrics?: { encodeSeconds(format: string, seconds: number): void; unexpectedError(): void };
  /** False only in the test of the start-up check. @default true */
  blockLoaders?: boolean;
}

interface Context {
  readonly config: ProcessingConfig;
  readonly metrics: ProcessorDeps['metrics'];
  readonly limits: WorkerLimits;
  readonly search: boolean;
  /** Undefined before the start and after the end. */
  queues: Queues | undefined;
  /** Undefined before the start, and if nothing is signed. */
  signer: Signer | undefined;
}

/** Creates a processor; {@link Processor.start} forks its processes. */
export function createProcessor({ config, logger, metrics, blockLoaders = true }: ProcessorDeps): Processor {
  const limits: WorkerLimits = {
    maxPixels: config.MAX_PIXELS,
    maxFrames: config.MAX_FRAMES,
    maxAvifPixels: config.MAX_AVIF_PIXELS,
    formats: readableFormats(config),
  };
  const search = config.QUALITY_SEARCH === 'on';
  const context: Context = { config, metrics, limits, search, queues: undefined, signer: undefined };
  return {
    search,
    signerOf({ format: inputFormat, carries = [] }, { format, metadata }) {
      const carriesThem = carries.includes('content_credentials') && metadata !== 'none';
      return carriesThem && isSignable(encodedFormat(format, inputFormat)) ? context.signer?.identity : undefined;
    },
    async start() {
      if (context.queues) return;
      if (config.HEIC_INPUT === 'on') heicDecoderVersion();
      const signer = await openSigner(config);
      const shared = { blockLoaders, logger, onUnexpected: metrics?.unexpectedError };
      context.queues = await startQueues(config, shared, signer);
      context.signer = signer ?? undefined;
      logger.info(
        { workers: config.WORKERS, pids: statsOf(config.WORKERS, context.queues).pids },
        'image processing started',
      );
    },
    probe: (request, signal) => probe(context, request, signal),
    newBudget: (formats) => createTimeBudget(config.IMAGE_TIMEOUT_SECONDS, formats.join()),
    render: (order, options) => render(context, order, options),
    preview: (order, options) => preview(context, order, options),
    inspect: (request, options) => inspect(context, request, options),
    placeholder: (request, options) => placeholder(context, request, options),
    stats: () => statsOf(config.WORKERS, context.queues),
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
  { account, file, sha256, originalFilename }: ProbeOrder,
  signal: AbortSignal | undefined,
): Promise<ProbeResult> {
  const task: ProbeTask = { file, limits: context.limits, validatesCredentials: context.signer !== undefined };
  const report = await running(context).probing.run<ProbeReport>({
    handler: 'probe',
    task,
    image: sha256,
    turn: { account, job: 'probe', urgency: () => 'free' },
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
  { turn, signal, onStep, budget: given }: RenderOptions,
): Promise<RenderedVariant[]> {
  const variants = order.variants.map((variant) => ({ ...variant, part: partName(variant.target) }));
  const signer = order.signs ? context.signer : undefined;
  const task: RenderTask = { ...order, variants, limits: context.limits, search: context.search, signer };
  const format = encodedFormat(order.format, order.facts.format);
  // Also of one format: it may be rendered by several processes.
  const budget = given ?? createTimeBudget(context.config.IMAGE_TIMEOUT_SECONDS, format);
  const suspect = { handler: 'render', image: order.identity ?? order.source, format, budget } as const;
  const memoryBytes = estimateMemory(order.facts, format, task.search) + (signer ? signingMemory(order.facts) : 0);
  const { encoding, stealing } = running(context);
  const parts = variants.map(({ part }) => part);
  const reports = await removeOnFailure(parts, async () => {
    const written = await stealing.run({
      ...suspect,
      task,
      render: randomUUID(),
      turn,
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
  { account, ...request }: PreviewOrder,
  { signal, hasCaller }: PreviewOptions,
): Promise<PreviewReport> {
  const { source, facts } = request;
  const task: PreviewTask = { ...request, part: partName(request.target), limits: context.limits };
  return removeOnFailure([task.part], () =>
    running(context).encoding.run<PreviewReport>({
      handler: 'preview',
      task,
      image: source,
      turn: { account, job: 'preview', urgency: () => (hasCaller() ? 'free' : 'idle') },
      // Decoded pixels and a small encode.
      memoryBytes: estimateMemory(facts, 'jpeg'),
      signal,
    }),
  );
}

async function inspect(
  context: Context,
  request: InspectRequest,
  { turn, signal }: Parameters<Processor['inspect']>[1],
): Promise<Inspection> {
  const task: InspectTask = { ...request, limits: context.limits };
  // Decodes the whole file, up to three times. In the encoding queue it does not delay uploads, and an abort ends it.
  const { vision, ...report } = await running(context).encoding.run<InspectReport>({
    handler: 'inspect',
    task,
    image: request.source,
    turn,
    // Decoded pixels and a small encode, as a JPEG takes.
    memoryBytes: estimateMemory(request.facts, 'jpeg'),
    signal,
  });
  if (!vision) return { ...report, vision };
  const { base64, ...size } = vision;
  return { ...report, vision: { jpeg: Buffer.from(base64, 'base64'), ...size } };
}

function placeholder(
  context: Context,
  request: Omit<PlaceholderTask, 'limits'>,
  { turn, signal, budget }: Parameters<Processor['placeholder']>[1],
): Promise<string> {
  const task: PlaceholderTask = { ...request, limits: context.limits };
  const memoryBytes = estimateMemory(request.facts, 'jpeg');
  const { source: image } = request;
  const order = { handler: 'placeholder', task, image, turn, memoryBytes, signal, budget } as const;
  return running(context).encoding.run<string>(order);
}

const partName = (target: string): string => `${target}.${randomUUID()}.part`;

const toWarnings = (codes: WarningCode[]): Warning[] => [...new Set(codes)].map((code) => warning(code));

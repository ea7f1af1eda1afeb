import type { AiStatus, AnalyzeOptions, Metadata } from '#contract';
import type { ImageRecord } from '../db/index.ts';
import type { Processor } from '../processing/index.ts';
import type { FileStore } from '../storage/index.ts';
import { providerSettings } from './config.ts';
import { describeFromAnswer } from './describe-from-answer.ts';
import { describeFromFile } from './describe-from-file.ts';
import { mergeMetadata, writableFields } from './merge-metadata.ts';
import { buildInstructions } from './prompt.ts';
import { type Answered, createVisionService, type VisionServiceDeps } from './vision-service.ts';

/** What the analysis module works with. */
export interface AnalysisDeps extends VisionServiceDeps {
  processor: Pick<Processor, 'inspect'>;
  store: Pick<FileStore, 'pathOf'>;
}

/** How one image is analysed. */
export interface AnalysisRun {
  signal: AbortSignal;
  onStep: (step: 'prepare' | 'describe') => void;
}

/** What became of one image. */
export interface AnalyzedImage {
  /** What is to be stored in place of the image's metadata. */
  metadata: Metadata;
  aiStatus: AiStatus;
  /** The model's answer was known already. */
  cached: boolean;
}

/** What is known of the vision service; `open`: it failed repeatedly and is given a rest. */
export interface VisionState {
  provider: string;
  model: string | null;
  status: 'none' | 'ready' | 'unverified' | 'blind' | 'open';
}

/** Describes images. */
export interface Analysis {
  /** Begins to test the vision service, and does not wait for the result. */
  start(): Promise<void>;
  /** Images to describe at once: enough to keep the vision service busy while the next ones are prepared. */
  concurrency: number;
  /**
   * Describes one image; a service that fails costs the image its model's words, nothing more. Nothing is stored but the
   * model's answer. An abort rejects with the signal's reason, and closes the connection to the service.
   * @throws processing_failed | processing_timeout | overloaded | shutting_down
   */
  describe(image: ImageRecord, options: AnalyzeOptions, run: AnalysisRun): Promise<AnalyzedImage>;
  state(): VisionState;
  close(): Promise<void>;
}

const NOT_ASKED: Answered = { aiStatus: 'none', answer: null, cached: false };
/** Images in work for each request that may run: while it runs, the next one is prepared. */
const IMAGES_PER_REQUEST = 2;
const WITHOUT_SERVICE = 4;
/** Text is legible at half as many pixels again. */
const TEXT_EDGE_FACTOR = 1.5;

/** Creates the analysis module. Nothing is loaded or sent before it is needed. */
export function createAnalysis(deps: AnalysisDeps): Analysis {
  const { processor, store, config } = deps;
  const settings = providerSettings(config);
  const service = settings && createVisionService(settings, deps);
  const closing = new AbortController();

  return {
    concurrency: service ? service.places * IMAGES_PER_REQUEST : WITHOUT_SERVICE,

    async start() {
      void service?.settled();
    },

    async describe(image, options, { signal: outer, onStep }) {
      const signal = AbortSignal.any([outer, closing.signal]);
      signal.throwIfAborted();
      const writable = writableFields(image.metadata, options);
      const alone = [...writable].filter((field) => field !== 'language');
      const decided = options.usage === 'decorative' ? ['alt', 'decorative'] : [];
      // A model is not asked what may not be written, or is settled.
      const useful = alone.some((field) => !decided.includes(field));
      onStep('prepare');
      const maxEdge = config.AI_IMAGE_MAX_EDGE;
      const inspection = await processor.inspect(
        {
          source: store.pathOf(image.uploadPath),
          facts: image,
          language: options.language,
          ...(service && useful ? { vision: { maxEdge, maxTextEdge: Math.round(maxEdge * TEXT_EDGE_FACTOR) } } : {}),
        },
        signal,
      );
      onStep('describe');
      const fromFile = describeFromFile(image, inspection, options);
      // No copy was made of what is too small, or cannot be decoded.
      const jpeg = inspection.vision?.jpeg;
      const { aiStatus, answer, cached } =
        service && jpeg ? await service.ask(image, jpeg, buildInstructions(options), signal) : NOT_ASKED;
      const description = answer ? describeFromAnswer(fromFile, answer, options) : fromFile;
      if (aiStatus !== 'none' && !answer) description.review.add('fallback');
      const model = settings?.model ?? null;
      return { metadata: mergeMetadata(image.metadata, description, options, { aiStatus, model }), aiStatus, cached };
    },

    state: () => ({
      provider: config.AI_PROVIDER,
      model: settings?.model ?? null,
      status: service ? service.status() : 'none',
    }),

    async close() {
      closing.abort(new Error('the service is stopping'));
      service?.close();
    },
  };
}

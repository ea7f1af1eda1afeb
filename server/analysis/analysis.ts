import type { AiStatus, AnalyzeOptions, Metadata } from '#contract';
import { outlastOutage } from '../database-outage.ts';
import type { ImageRecord } from '../db/index.ts';
import type { Processor, Turn } from '../processing/index.ts';
import type { ObjectStore } from '../storage/index.ts';
import { providerSettings } from './config.ts';
import { describeFromAnswer } from './describe-from-answer.ts';
import { describeFromFile } from './describe-from-file.ts';
import { mergeMetadata, writableFields } from './merge-metadata.ts';
import { buildInstructions } from './prompt.ts';
import { type Answered, createVisionService, type VisionServiceDeps } from './vision-service.ts';

/** Dependencies of the analysis module. */
export interface AnalysisDeps extends VisionServiceDeps {
  processor: Pick<Processor, 'inspect'>;
  store: Pick<ObjectStore, 'withLocalFile'>;
}

/** Options of one image's analysis. */
export interface AnalysisRun {
  signal: AbortSignal;
  onStep: (step: 'prepare' | 'describe') => void;
  turn: Turn;
}

/** Result of one image's analysis. */
export interface AnalyzedImage {
  /** Replaces the image's stored metadata. */
  metadata: Metadata;
  aiStatus: AiStatus;
  /** True if the model's answer came from the cache. */
  cached: boolean;
}

/** State of the vision service; `open`: the circuit breaker is open after repeated failures. */
export interface VisionState {
  provider: string;
  model: string | null;
  status: 'none' | 'ready' | 'unverified' | 'blind' | 'open';
  /** Place of the vision model: none, on this machine or in its network, or elsewhere. */
  place: 'off' | 'local' | 'elsewhere';
}

/** Describes images. */
export interface Analysis {
  /** Starts the capability check of the vision service without waiting for its result. */
  start(): Promise<void>;
  /** Images to describe at once: enough to keep the vision service busy while the next ones are prepared. */
  concurrency: number;
  /**
   * Describes one image; from the file alone if the vision service fails. Stores nothing but the model's answer. An abort
   * rejects with the signal's reason and closes the connection to the service.
   * @throws processing_failed | processing_timeout | overloaded | shutting_down
   */
  describe(image: ImageRecord, options: AnalyzeOptions, run: AnalysisRun): Promise<AnalyzedImage>;
  /** Counts the images that need a new description; those whose answer is cached, and equal ones, do not. */
  countNew(images: ImageRecord[], options: AnalyzeOptions): Promise<number>;
  state(): VisionState;
  close(): Promise<void>;
}

const NOT_ASKED: Answered = { aiStatus: 'none', answer: null, cached: false };
/** Images in progress per concurrent request: while one is asked about, the next one is prepared. */
const IMAGES_PER_REQUEST = 2;
const WITHOUT_SERVICE = 4;
/** Screenshots and documents are sent 1.5 times as large, so that their text stays legible. */
const TEXT_EDGE_FACTOR = 1.5;

/** Creates the analysis module. Packages are loaded and requests sent on first use. */
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

    async describe(image, options, { signal: outer, onStep, turn }) {
      const signal = AbortSignal.any([outer, closing.signal]);
      signal.throwIfAborted();
      const writable = writableFields(image.metadata, options);
      const alone = [...writable].filter((field) => field !== 'language');
      const decided = options.usage === 'decorative' ? ['alt', 'decorative'] : [];
      // The model is not asked if every field it could fill is protected or already decided.
      const useful = alone.some((field) => !decided.includes(field));
      onStep('prepare');
      const maxEdge = config.AI_IMAGE_MAX_EDGE;
      const vision =
        service && useful ? { vision: { maxEdge, maxTextEdge: Math.round(maxEdge * TEXT_EDGE_FACTOR) } } : {};
      const { language } = options;
      const inspect = (source: string) =>
        processor.inspect({ source, facts: image, language, ...vision }, { turn, signal });
      const inspection = await outlastOutage(() => store.withLocalFile(image.uploadPath, inspect), signal);
      onStep('describe');
      const fromFile = describeFromFile(image, inspection, options);
      // Images that are too small or cannot be decoded have no copy.
      const jpeg = inspection.vision?.jpeg;
      const { aiStatus, answer, cached } =
        service && jpeg ? await service.ask(image, jpeg, buildInstructions(options), signal) : NOT_ASKED;
      const description = answer ? describeFromAnswer(fromFile, answer, options) : fromFile;
      if (aiStatus !== 'none' && !answer) description.review.add('fallback');
      const model = settings?.model ?? null;
      return { metadata: mergeMetadata(image.metadata, description, options, { aiStatus, model }), aiStatus, cached };
    },

    async countNew(images, options) {
      return service ? service.countNew(images, buildInstructions(options)) : images.length;
    },

    state: () => ({
      provider: config.AI_PROVIDER,
      model: settings?.model ?? null,
      status: service ? service.status() : 'none',
      place: settings ? (settings.local ? 'local' : 'elsewhere') : 'off',
    }),

    async close() {
      closing.abort(new Error('the service is stopping'));
      service?.close();
    },
  };
}

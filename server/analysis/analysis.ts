import type { AiStatus, AnalyzeOptions } from '#contract';
import { outlastOutage } from '../concurrency.ts';
import type { ImageRecord } from '../db/index.ts';
import type { Processor, Turn } from '../processing/index.ts';
import type { ObjectStore } from '../storage/index.ts';
import { providerSettings } from './config.ts';
import { describeTask, isWorthAsking, type NewlyDescribed, optionsFor, planTask } from './plan-task.ts';
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
export interface AnalyzedImage extends NewlyDescribed {
  aiStatus: AiStatus;
  /** True if the model's answer came from the cache. */
  cached: boolean;
  /** True if the model has replied. */
  replied: boolean;
}

/** State of the vision service; `open`: the circuit breaker is open after repeated failures. */
export interface VisionState {
  provider: string;
  model: string | null;
  status: 'none' | 'ready' | 'unverified' | 'blind' | 'open';
  /** Place of the vision model: none, on this machine or in its network, or elsewhere. */
  place: 'off' | 'local' | 'elsewhere';
}

const NOT_ASKED: Answered = { aiStatus: 'none', answer: null, cached: false, replied: false };
/** Images in progress per concurrent request: while one is asked about, the next one is prepared. */
const IMAGES_PER_REQUEST = 2;
const WITHOUT_SERVICE = 4;
/** Screenshots and documents are sent 1.5 times as large, so that their text stays legible. */
const TEXT_EDGE_FACTOR = 1.5;

/** Creates the analysis module. Packages are loaded and requests sent on first use. */
export function createAnalysis(deps: AnalysisDeps) {
  const { processor, store, config } = deps;
  const settings = providerSettings(config);
  const service = settings && createVisionService(settings, deps);
  const closing = new AbortController();

  return {
    /** Images to describe at once: enough to keep the vision service busy while the next ones are prepared. */
    concurrency: service ? service.places * IMAGES_PER_REQUEST : WITHOUT_SERVICE,

    /** Starts the capability check of the vision service without waiting for its result. */
    async start(): Promise<void> {
      void service?.settled();
    },

    /**
     * Describes one image; from the file alone if the vision service fails. Stores nothing but the model's answer. An abort
     * rejects with the signal's reason and closes the connection to the service.
     * @throws processing_failed | processing_timeout | overloaded | shutting_down
     */
    async describe(image: ImageRecord, options: AnalyzeOptions, run: AnalysisRun): Promise<AnalyzedImage> {
      const { signal: outer, onStep, turn } = run;
      const signal = AbortSignal.any([outer, closing.signal]);
      signal.throwIfAborted();
      const task = planTask(image, options);
      onStep('prepare');
      const maxEdge = config.AI_IMAGE_MAX_EDGE;
      const vision =
        service && isWorthAsking(task)
          ? { vision: { maxEdge, maxTextEdge: Math.round(maxEdge * TEXT_EDGE_FACTOR) } }
          : {};
      const [language = task.options.language, ...furtherLanguages] = task.options.languages ?? [];
      const inspect = (source: string) =>
        processor.inspect({ source, facts: image, language, furtherLanguages, ...vision }, { turn, signal });
      const inspection = await outlastOutage(() => store.withLocalFile(image.uploadPath, inspect), signal);
      onStep('describe');
      // Images that are too small or cannot be decoded have no copy.
      const jpeg = inspection.vision?.jpeg;
      const instructions = buildInstructions(task.options);
      const { aiStatus, answer, cached, replied } =
        service && jpeg ? await service.ask(image, jpeg, instructions, signal) : NOT_ASKED;
      const modelCall = { aiStatus, model: settings?.model ?? null, promptVersion: instructions.version };
      const described = task.compose(describeTask(task, { image, inspection, modelCall, answer }));
      return { ...described, aiStatus, cached, replied };
    },

    /** Counts the images that need a new description; those whose answer is cached, and equal ones, do not. */
    async countNew(images: ImageRecord[], options: AnalyzeOptions): Promise<number> {
      if (!service) return images.length;
      const instructed = (image: ImageRecord) => buildInstructions(optionsFor(image, options));
      return service.countNew(images, instructed);
    },

    state: (): VisionState => ({
      provider: config.AI_PROVIDER,
      model: settings?.model ?? null,
      status: service ? service.status() : 'none',
      place: settings ? (settings.local ? 'local' : 'elsewhere') : 'off',
    }),

    async close(): Promise<void> {
      closing.abort(new Error('the service is stopping'));
      service?.close();
    },
  };
}

/** Describes images. */
export type Analysis = ReturnType<typeof createAnalysis>;

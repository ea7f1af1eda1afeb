import type { AiReason, AiStatus, AnalyzeOptions } from '#contract';
import { outlastOutage } from '../concurrency.ts';
import type { ImageRecord } from '../db/index.ts';
import type { Processor, Turn } from '../processing/index.ts';
import type { ObjectStore } from '../storage/index.ts';
import { type ProviderSettings, providerSettings } from './config.ts';
import { describeTask, isWorthAsking, type NewlyDescribed, optionsFor, planTask } from './plan-task.ts';
import { buildInstructions } from './prompt.ts';
import type { ServiceStatus } from './service-state.ts';
import { type Answered, createVisionService, type VisionService, type VisionServiceDeps } from './vision-service.ts';

/** Dependencies of the analysis module. */
export interface AnalysisDeps extends VisionServiceDeps {
  processor: Pick<Processor, 'inspect'>;
  store: Pick<ObjectStore, 'withLocalFile'>;
}

/** Steps of one image's analysis; `wait_for_model`: the model is loading, or does not answer yet. */
export const ANALYSIS_STEPS = ['prepare', 'describe', 'wait_for_model'] as const;
type AnalysisStep = (typeof ANALYSIS_STEPS)[number];

/** Options of one image's analysis. */
export interface AnalysisRun {
  signal: AbortSignal;
  onStep: (step: AnalysisStep) => void;
  turn: Turn;
}

/** Result of one image's analysis. */
export interface AnalyzedImage extends NewlyDescribed {
  aiStatus: AiStatus;
  /** Reason for which the model has not described the image. */
  aiReason: AiReason | null;
  /** Key of the kept answer; null: there is none. */
  answerKey: string | null;
  /** True if the model's answer came from the cache. */
  cached: boolean;
  /** True if the model has replied. */
  replied: boolean;
}

/** State of the vision service; `open`: it fails, `blind`: the model ignores images. */
export interface VisionState {
  provider: string;
  model: string | null;
  status: 'none' | ServiceStatus;
  /** Reason for which it does not describe images; null: it does, or nothing is known. */
  reason: AiReason | null;
  /** Place of the vision model: none, on this machine or in its network, or elsewhere. */
  place: 'off' | 'local' | 'elsewhere';
}

const NOT_ASKED: Answered = { aiStatus: 'none', aiReason: null, answer: null, cached: false, replied: false };
/** Images in progress per concurrent request: while one is asked about, the next one is prepared. */
const IMAGES_PER_REQUEST = 2;
const WITHOUT_SERVICE = 4;
/** Part of the size that is sent if the context of the model is too small. */
const SMALLER = 0.5;
/** Screenshots and documents are sent 1.5 times as large, so that their text stays legible. */
const TEXT_EDGE_FACTOR = 1.5;

/** Creates the analysis module. Packages are loaded and requests sent on first use. */
export function createAnalysis(deps: AnalysisDeps) {
  const { processor, store, config } = deps;
  const settings = providerSettings(config);
  const service = settings && createVisionService(settings, deps);
  const closing = new AbortController();
  const context = { processor, store, settings, service, maxEdge: config.AI_IMAGE_MAX_EDGE };

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
    describe: (image: ImageRecord, options: AnalyzeOptions, run: AnalysisRun): Promise<AnalyzedImage> =>
      describe({ ...context, signal: AbortSignal.any([run.signal, closing.signal]) }, image, options, run),

    /** True if an image is the first that gets an answer, and has to pay for it. */
    async claim(
      image: ImageRecord,
      key: string,
      { turn, signal }: Pick<AnalysisRun, 'turn' | 'signal'>,
    ): Promise<boolean> {
      return service?.answers.claim(image.accountId, key, askerOf(turn.job, image), signal) ?? true;
    },

    /** Counts the images that need a new description; those whose answer is known, and equal ones, do not. */
    async countNew(images: ImageRecord[], options: AnalyzeOptions): Promise<number> {
      if (!service) return images.length;
      const instructed = (image: ImageRecord) => buildInstructions(optionsFor(image, options));
      const { countDistinct, countNew } = service.answers;
      return options.overwrite ? countDistinct(images, instructed) : countNew(images, instructed);
    },

    state: (): VisionState => ({
      provider: config.AI_PROVIDER,
      model: settings?.model ?? null,
      status: service ? service.status() : 'none',
      reason: service?.reason() ?? null,
      place: settings ? (settings.local ? 'local' : 'elsewhere') : 'off',
    }),

    async close(): Promise<void> {
      closing.abort(new Error('the service is stopping'));
      service?.close();
    },
  };
}

interface DescribeContext extends Pick<AnalysisDeps, 'processor' | 'store'> {
  settings: ProviderSettings | null;
  service: VisionService | null;
  /** Longest edge of the picture that is sent, in pixels. */
  maxEdge: number;
  signal: AbortSignal;
}

async function describe(
  context: DescribeContext,
  image: ImageRecord,
  options: AnalyzeOptions,
  { onStep, turn }: AnalysisRun,
): Promise<AnalyzedImage> {
  const { processor, store, settings, service, maxEdge, signal } = context;
  signal.throwIfAborted();
  const task = planTask(image, options);
  onStep('prepare');
  const vision = service && isWorthAsking(task) ? { vision: picturesOf(maxEdge) } : {};
  const [language = task.options.language, ...furtherLanguages] = task.options.languages ?? [];
  const inspectWith = (pictures: typeof vision) => {
    const inspect = (source: string) =>
      processor.inspect({ source, facts: image, language, furtherLanguages, ...pictures }, { turn, signal });
    return outlastOutage(() => store.withLocalFile(image.uploadPath, inspect), signal);
  };
  const inspection = await inspectWith(vision);
  onStep('describe');
  // Images that are too small or cannot be decoded have no copy.
  const jpeg = inspection.vision?.jpeg;
  const instructions = buildInstructions(task.options);
  const asked = async (): Promise<Answered & { key: string | null }> => {
    if (!service || !jpeg) return { ...NOT_ASKED, key: null };
    const key = service.answers.keyOf(image.accountId, jpeg, instructions);
    const smaller = async () => {
      const { vision: small } = await inspectWith({ vision: picturesOf(Math.round(maxEdge * SMALLER)) });
      return small?.jpeg ?? null;
    };
    const asker = { asker: askerOf(turn.job, image), job: turn.job, isAnew: options.overwrite };
    const question = { key, image, jpeg, instructions, ...asker, smaller, onWait: waitSteps(onStep) };
    return { ...(await service.ask(question, signal)), key };
  };
  const { aiStatus, aiReason, answer, cached, replied, key } = await asked();
  const modelCall = { aiStatus, aiReason, model: settings?.model ?? null, promptVersion: instructions.version };
  const described = task.compose(describeTask(task, { image, inspection, modelCall, answer }));
  return { ...described, aiStatus, aiReason, cached, replied, answerKey: answer && key };
}

/** Returns the listener that reports the beginning and the end of a wait as steps, each once. */
function waitSteps(onStep: AnalysisRun['onStep']): (waits: boolean) => void {
  let isWaiting = false;
  return (waits) => {
    if (waits !== isWaiting) onStep(waits ? 'wait_for_model' : 'describe');
    isWaiting = waits;
  };
}

/** Returns the sizes of the pictures that are sent. */
function picturesOf(maxEdge: number) {
  return { maxEdge, maxTextEdge: Math.round(maxEdge * TEXT_EDGE_FACTOR) };
}

const askerOf = (job: string, image: Pick<ImageRecord, '_id'>): string => `${job}:${image._id}`;

/** Describes images. */
export type Analysis = ReturnType<typeof createAnalysis>;

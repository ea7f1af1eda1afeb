import { createHash } from 'node:crypto';
import type { AiStatus } from '#contract';
import { type Budget, createBudget, type SharedCounters } from '../budgets/index.ts';
import { withAbort } from '../concurrency.ts';
import type { ImageRecord, VisionAnswerRepository } from '../db/index.ts';
import type { Logger } from '../observability/index.ts';
import { type Asker, type AskOutcome, createAsker, type ModelAnswer } from './ask-model.ts';
import { type CapabilityCheck, createCapabilityCheck } from './capability-check.ts';
import type { AnalysisConfig, ProviderSettings } from './config.ts';
import {
  type Breaker,
  createBreaker,
  createDailyLimit,
  createGate,
  type DailyLimit,
  type Gate,
  startOfDay,
} from './gate.ts';
import type { Instructions } from './prompt.ts';
import { createSdkProvider } from './providers/sdk-provider.ts';

/** Dependencies of a vision service. */
export interface VisionServiceDeps {
  config: AnalysisConfig;
  logger: Pick<Logger, 'info' | 'warn'>;
  cache: VisionAnswerRepository;
  /** Counts that all servers share; absent: this process is the only one. */
  counters?: SharedCounters | undefined;
  now?: () => Date;
  /** Monotonic clock, in milliseconds. @default performance.now */
  monotonicNow?: () => number;
}

/** Outcome of a question. */
export interface Answered {
  aiStatus: AiStatus;
  answer: ModelAnswer | null;
  /** True if the answer came from the cache. */
  cached: boolean;
  /** True if the model was reached and has replied, which costs money also if its reply is of no use. */
  replied: boolean;
}

/** The configured vision service. */
export interface VisionService {
  /** Concurrent requests. */
  places: number;
  /** Waits for the first capability check. */
  settled(): Promise<void>;
  close(): void;
  status(): 'ready' | 'unverified' | 'blind' | 'open';
  /**
   * Asks about one image, unless the answer is cached or the same question is running. Rejects with the signal's reason
   * alone.
   */
  ask(image: QuestionImage, jpeg: Buffer, instructions: Instructions, signal: AbortSignal): Promise<Answered>;
  /** Counts the uploads whose answer is not cached; equal uploads of an account count once. */
  countNew<Image extends QuestionImage>(images: Image[], instructed: (image: Image) => Instructions): Promise<number>;
}

type QuestionImage = Pick<ImageRecord, '_id' | 'accountId' | 'sha256'>;

interface Context {
  readonly settings: ProviderSettings;
  readonly timeoutMs: number;
  readonly logger: VisionServiceDeps['logger'];
  readonly cache: VisionAnswerRepository;
  readonly now: () => Date;
  readonly ask: Asker;
  readonly gate: Gate;
  readonly breaker: Breaker;
  readonly limit: DailyLimit;
  readonly check: CapabilityCheck | null;
  /** Running questions by cache key. */
  readonly running: Map<string, Promise<Answered>>;
}

/** One question with the cache key of its answer. */
interface Question {
  key: string;
  image: QuestionImage;
  jpeg: Buffer;
  instructions: Instructions;
}

const CONCURRENCY = { remote: 4, local: 1 };

/** Creates the configured service with cache, capability check, concurrency limit, circuit breaker and daily limit. */
export function createVisionService(settings: ProviderSettings, deps: VisionServiceDeps): VisionService {
  const { config, logger, cache, now = () => new Date(), monotonicNow = () => performance.now() } = deps;
  const provider = createSdkProvider(settings);
  const timeoutMs = config.AI_TIMEOUT_MS;
  const places = config.AI_CONCURRENCY ?? (settings.local ? CONCURRENCY.local : CONCURRENCY.remote);
  const breaker = createBreaker(monotonicNow);
  const check =
    config.AI_CANARY === 'on'
      ? createCapabilityCheck({ provider, logger, service: settings, timeoutMs, now: monotonicNow })
      : null;
  const context: Context = {
    settings,
    timeoutMs,
    logger,
    cache,
    now,
    ask: createAsker(provider, config),
    gate: createGate(places),
    breaker,
    limit: createDailyLimit(config.AI_DAILY_IMAGE_LIMIT, imagesOfDays(deps), now),
    check,
    running: new Map(),
  };
  return {
    places,
    settled: async () => check?.settled(),
    close: () => check?.close(),
    status() {
      if (check?.capability() === 'blind') return 'blind';
      if (breaker.isOpen()) return 'open';
      return check?.capability() ?? 'unverified';
    },
    ask(image, jpeg, instructions, signal) {
      const key = keyOf(settings, image.accountId, jpeg, instructions);
      return shareOrAsk(context, { key, image, jpeg, instructions }, signal);
    },
    async countNew(images, instructed) {
      const [first] = images;
      if (!first) return 0;
      const questions = new Set(images.map((image) => questionOf(settings, image, instructed(image))));
      return questions.size - (await cache.findAnswered(first.accountId, [...questions])).size;
    },
  };
}

/** Images that a server counts at once. */
const BLOCK = 10;

/** Creates the budget of images by day. A day begins at the answers stored on it, so that a restart does not reset it. */
export function imagesOfDays({ cache, ...deps }: Omit<VisionServiceDeps, 'config' | 'logger'>): Budget {
  const initial = (day: string) => cache.countSince(startOfDay(day));
  return createBudget({ name: 'ai', isFinal: true, block: () => BLOCK, initial }, deps);
}

/** Builds the cache key. It contains the account, so that accounts never share an answer. */
function keyOf(settings: ProviderSettings, accountId: string, jpeg: Buffer, instructions: Instructions): string {
  return hashOf(settings, accountId, createHash('sha256').update(jpeg).digest('hex'), instructions);
}

/** Builds the key of a question before its picture is prepared. */
function questionOf(settings: ProviderSettings, image: QuestionImage, instructions: Instructions): string {
  return hashOf(settings, image.accountId, image.sha256, instructions);
}

function hashOf(
  { kind, baseUrl, model }: ProviderSettings,
  accountId: string,
  picture: string,
  { system, prompt, version }: Instructions,
): string {
  const parts = [accountId, picture, kind, baseUrl ?? null, model, version, system, prompt];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

async function shareOrAsk(context: Context, question: Question, signal: AbortSignal): Promise<Answered> {
  const { running } = context;
  const { key } = question;
  for (let asking = running.get(key); asking; asking = running.get(key)) {
    // An aborted caller must not cancel the shared request.
    const shared = await withAbort(
      asking.catch(() => null),
      signal,
    );
    if (shared) return { ...shared, cached: shared.answer !== null };
  }
  const own = lookUpOrAsk(context, question, signal);
  running.set(key, own);
  try {
    return await own;
  } finally {
    running.delete(key);
  }
}

async function lookUpOrAsk(context: Context, question: Question, signal: AbortSignal): Promise<Answered> {
  const { cache, logger, now } = context;
  const { key, image } = question;
  const { accountId } = image;
  const known = await cache.find(accountId, key).catch(() => null);
  if (known) return { aiStatus: 'completed', answer: known.answer as ModelAnswer, cached: true, replied: true };
  const outcome = await askWhenReady(context, question, signal);
  if (outcome.status !== 'completed')
    return { aiStatus: outcome.status, answer: null, cached: false, replied: hasReplied(outcome) };
  const { answer } = outcome;
  // A repetition may give the languages that this answer lacks.
  if (isIncomplete(answer, question.instructions))
    return { aiStatus: 'completed', answer, cached: false, replied: true };
  // A cache failure must not lose the answer.
  const cacheableQuestion = questionOf(context.settings, image, question.instructions);
  await cache
    .put({ _id: key, accountId, question: cacheableQuestion, answer, createdAt: now() })
    .catch((error: unknown) => {
      logger.warn({ err: error }, 'could not store an answer of the vision service');
    });
  return { aiStatus: 'completed', answer, cached: false, replied: true };
}

/** True for a refusal and for replies that nobody can read. */
function hasReplied(outcome: SendOutcome): boolean {
  return outcome.status === 'refused' || (outcome.status === 'failed' && outcome.httpStatus === 200);
}

function isIncomplete(answer: ModelAnswer, { languages }: Instructions): boolean {
  return 'texts' in answer && languages !== null && languages.some((tag) => !(tag in answer.texts));
}

/** Outcome of a question, sent or not. */
type SendOutcome = AskOutcome | { status: 'unavailable' | 'limit' };

/** Waits for the capability check and for a place, then asks. */
async function askWhenReady(context: Context, question: Question, signal: AbortSignal): Promise<SendOutcome> {
  const { check, gate, timeoutMs } = context;
  const startedAt = performance.now();
  await withAbort(check?.settled() ?? Promise.resolve(), signal);
  // The wait for the check counts towards the time limit; the wait in the queue does not.
  const waitedMs = performance.now() - startedAt;
  if (check?.capability() === 'blind') return { status: 'unavailable' };
  if (waitedMs >= timeoutMs) return { status: 'timeout' };
  const leave = await gate.enter(question.image.accountId, signal);
  try {
    return await askIfAdmitted(context, question, signal, waitedMs);
  } finally {
    leave();
  }
}

/** Asks if the circuit breaker and the daily limit admit it. */
async function askIfAdmitted(
  { breaker, limit, ask, logger }: Context,
  { image, jpeg, instructions }: Question,
  signal: AbortSignal,
  waitedMs: number,
): Promise<SendOutcome> {
  const admission = breaker.admit();
  if (!admission) return { status: 'unavailable' };
  try {
    if (!(await limit.take())) return { status: 'limit' };
    const outcome = await ask(instructions, jpeg, signal, waitedMs);
    if (outcome.status === 'completed' || outcome.status === 'refused') admission.succeeded();
    else {
      admission.failed();
      logger.warn({ imageId: image._id, ...outcome }, 'the vision service did not describe an image');
    }
    return outcome;
  } finally {
    // Has no effect after a report above.
    admission.undecided();
  }
}

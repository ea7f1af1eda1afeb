import type { AiReason, AiStatus } from '#contract';
import { type Budget, createBudget, type SharedCounters } from '../budgets/index.ts';
import { withAbort } from '../concurrency.ts';
import type { VisionAnswerRepository } from '../db/index.ts';
import type { Logger } from '../observability/index.ts';
import { type AnswerCache, createAnswerCache, type Question } from './answer-cache.ts';
import { type Asker, createAsker, type Failed, type ModelAnswer } from './ask-model.ts';
import { type CapabilityCheck, createCapabilityCheck } from './capability-check.ts';
import type { AnalysisConfig, ProviderSettings } from './config.ts';
import { CONSEQUENCES } from './failure-kinds.ts';
import {
  type Breaker,
  createBreaker,
  createDailyLimit,
  createGate,
  type DailyLimit,
  type Gate,
  startOfDay,
} from './gate.ts';
import { createModelWatch, type ModelWatch } from './model-watch.ts';
import { type Instructions, usablePart } from './prompt.ts';
import { createSdkProvider } from './providers/sdk-provider.ts';
import { createServiceState, type ServiceState, type ServiceStatus } from './service-state.ts';

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
  /** Reason for which there is no answer. */
  aiReason: AiReason | null;
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
  answers: AnswerCache;
  /** Waits for the first capability check. */
  settled(): Promise<void>;
  close(): void;
  status(): ServiceStatus;
  /** Reason for which it does not describe images; null: it does, or nothing is known. */
  reason(): AiReason | null;
  /**
   * Asks about one image, unless the answer is cached or the same question is running. Rejects with the signal's reason
   * alone.
   */
  ask(question: Question, signal: AbortSignal): Promise<Answered>;
}

interface Context {
  readonly logger: VisionServiceDeps['logger'];
  readonly answers: AnswerCache;
  readonly ask: Asker;
  readonly gate: Gate;
  readonly breaker: Breaker;
  readonly limit: DailyLimit;
  readonly check: CapabilityCheck | null;
  readonly watch: ModelWatch;
  readonly state: ServiceState;
  /** Running questions by cache key. */
  readonly running: Map<string, Promise<Answered>>;
  /** Answers without a text in a row. They close nothing, since the next image may be easier, but are told. */
  silent: number;
}

const SILENT_IN_A_ROW = 5;
const CONCURRENCY = { remote: 4, local: 1 };
/** Interval at which a service that has failed is checked again, in milliseconds. */
const LOOK_AGAIN_MS = 60_000;

/** Creates the configured service with cache, capability check, concurrency limit, circuit breaker and daily limit. */
export function createVisionService(settings: ProviderSettings, deps: VisionServiceDeps): VisionService {
  const { config, logger, cache, now = () => new Date(), monotonicNow = () => performance.now() } = deps;
  const provider = createSdkProvider(settings);
  const places = config.AI_CONCURRENCY ?? (settings.local ? CONCURRENCY.local : CONCURRENCY.remote);
  const state = createServiceState({ logger, service: settings });
  const watch = createModelWatch({ provider, config });
  const checkDeps = { provider, logger, watch, state, config, now: monotonicNow };
  const check = config.AI_CANARY === 'on' ? createCapabilityCheck(checkDeps) : null;
  const answers = createAnswerCache({ settings, cache, logger, now });
  const context: Context = {
    ...{ logger, answers, check, watch, state },
    ask: createAsker(provider, config, monotonicNow),
    gate: createGate(places),
    breaker: createBreaker(monotonicNow),
    limit: createDailyLimit(config.AI_DAILY_IMAGE_LIMIT, imagesOfDays(deps), now),
    running: new Map(),
    silent: 0,
  };
  // Nobody may ask for hours; the state must not say then what was so hours ago.
  const looking = setInterval(() => state.reason() && check?.again(), LOOK_AGAIN_MS).unref();
  return {
    places,
    answers,
    settled: async () => check?.settled(),
    close() {
      clearInterval(looking);
      check?.close();
      watch.close();
    },
    status: state.status,
    reason: state.reason,
    ask: (question, signal) => shareOrAsk(context, question, signal),
  };
}

/** Images that a server counts at once. */
const BLOCK = 10;

/** Creates the budget of images by day. A day begins at the answers stored on it, so that a restart does not reset it. */
export function imagesOfDays({ cache, ...deps }: Omit<VisionServiceDeps, 'config' | 'logger'>): Budget {
  const initial = (day: string) => cache.countSince(startOfDay(day));
  return createBudget({ name: 'ai', isFinal: true, block: () => BLOCK, initial }, deps);
}

async function shareOrAsk(context: Context, question: Question, signal: AbortSignal): Promise<Answered> {
  const { running } = context;
  // Who wants a new text does not share, and its answer is paid by nobody else.
  const key = question.isAnew ? `${question.key} ${question.asker}` : question.key;
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
  const { answers } = context;
  const kept = await answers.find(question);
  // An answer that an earlier version has kept, or that serves other fields, may be no description.
  const known = kept && usablePart(kept, question.instructions);
  if (known) return { aiStatus: 'completed', aiReason: null, answer: known, cached: true, replied: true };
  const outcome = await askWhenReady(context, question, signal);
  if (outcome.status !== 'completed') {
    const { status: aiStatus, reason: aiReason, replied } = unanswered(outcome);
    return { aiStatus, aiReason, answer: null, cached: false, replied };
  }
  const { answer } = outcome;
  // A repetition may give the languages that this answer lacks.
  if (!isIncomplete(answer, question.instructions)) await answers.keep(question, answer);
  return { aiStatus: 'completed', aiReason: null, answer, cached: false, replied: true };
}

function isIncomplete(answer: ModelAnswer, { languages }: Instructions): boolean {
  return 'texts' in answer && languages !== null && languages.some((tag) => !(tag in answer.texts));
}

/** Reason for which no question was asked about an image. */
type NotAsked = { status: 'limit' } | { status: 'unavailable'; reason: AiReason | null };
/** Outcome of a question, sent or not. */
type SendOutcome = Awaited<ReturnType<Asker>> | NotAsked;

function unanswered(outcome: Exclude<SendOutcome, { status: 'completed' }>) {
  if (outcome.status === 'limit') return { ...outcome, reason: null, replied: false };
  if (outcome.status === 'unavailable') return { ...outcome, replied: false };
  const { reason, replied } = outcome;
  return { status: CONSEQUENCES[reason].aiStatus, reason, replied };
}

/** Time after which a check that does not end is told as a wait for the model, in milliseconds. */
const LONG_CHECK_MS = 3000;

/** Waits for the capability check, for the model and for a place, then asks; again if the model went away meanwhile. */
async function askWhenReady(context: Context, question: Question, signal: AbortSignal): Promise<SendOutcome> {
  const { check, gate, watch, state } = context;
  const fromCheck = await waitForCheck(context, question, signal);
  if (fromCheck) return fromCheck;
  const counted = { isTaken: false };
  for (;;) {
    if (!(await watch.settled(question.job, signal, question.onWait))) {
      return { status: 'unavailable', reason: state.reason() };
    }
    if (check?.capability() === 'blind') return { status: 'unavailable', reason: 'no_images' };
    const leave = await gate.enter(question.image.accountId, signal);
    try {
      const outcome = await watch.inTurn(() => askIfAdmitted(context, question, signal, counted), signal);
      if (outcome === 'again') continue;
      if (outcome.status !== 'failed' || !watch.isAwaited(outcome)) return outcome;
    } finally {
      leave();
    }
  }
}

/** Waits for the first check; returns the outcome if that has waited for the model in vain. */
async function waitForCheck(
  { check, watch }: Context,
  { onWait }: Question,
  signal: AbortSignal,
): Promise<SendOutcome | null> {
  if (!check) return null;
  const isFirst = check.isFirst();
  const late = isFirst ? setTimeout(() => onWait(true), LONG_CHECK_MS).unref() : undefined;
  try {
    await withAbort(check.settled(), signal);
  } finally {
    clearTimeout(late);
    onWait(false);
  }
  const reason = check.failure();
  if (!isFirst || !reason) return null;
  const waited = { httpStatus: null, cause: null, requests: 0, replied: false, retryAfterMs: null, probe: null };
  const isOver = reason === 'slow' || watch.isAwaited({ reason });
  return isOver ? { status: 'failed', reason, ...waited } : null;
}

/** Asks if the circuit breaker and the daily limit admit it. */
async function askIfAdmitted(
  context: Context,
  { image, jpeg, instructions, smaller }: Question,
  signal: AbortSignal,
  counted: { isTaken: boolean },
): Promise<SendOutcome> {
  const { breaker, limit, ask, state } = context;
  const admission = breaker.admit();
  if (!admission) return { status: 'unavailable', reason: state.reason() };
  try {
    // An image that is asked about again counts once.
    counted.isTaken ||= await limit.take();
    if (!counted.isTaken) return { status: 'limit' };
    const outcome = await ask(instructions, { jpeg, smaller }, signal);
    if (outcome.status === 'completed') {
      admission.succeeded();
      context.silent = 0;
      context.watch.there(true);
      state.answered();
    } else reportFailure(context, outcome, admission, image._id);
    return outcome;
  } finally {
    // Has no effect after a report above.
    admission.undecided();
  }
}

function reportFailure(
  context: Context,
  outcome: Failed,
  admission: NonNullable<ReturnType<Breaker['admit']>>,
  imageId: string,
): void {
  const { watch, logger, breaker, state, check } = context;
  const { status: _, retryAfterMs: _retry, probe: _probe, ...told } = outcome;
  if (watch.isAwaited(outcome)) watch.missing(outcome);
  else {
    watch.there(false);
    if (outcome.reason === 'refused') admission.succeeded();
    else if (outcome.reason === 'empty') context.silent += 1;
    else admission.failed();
    logger.warn({ imageId, ...told }, 'the vision service did not describe an image');
  }
  state.failed(outcome, breaker.hasFailed() || context.silent >= SILENT_IN_A_ROW);
  // Some services end the load of a model when the client leaves; the check has more time.
  if (outcome.reason === 'slow') check?.again();
}

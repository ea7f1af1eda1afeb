import { createHash } from 'node:crypto';
import type { AiStatus } from '#contract';
import { withAbort } from '../concurrency.ts';
import type { ImageRecord, VisionAnswerRepository } from '../db/index.ts';
import type { Logger } from '../observability/index.ts';
import type { VisionAnswer } from './answer.ts';
import { createAsker } from './ask-model.ts';
import { createBreaker } from './breaker.ts';
import { createCapabilityCheck } from './capability-check.ts';
import type { AnalysisConfig, ProviderSettings } from './config.ts';
import { createDailyLimit } from './daily-limit.ts';
import { createGate } from './gate.ts';
import { type Instructions, PROMPT_VERSION } from './prompt.ts';
import { createSdkProvider } from './providers/sdk-provider.ts';

/** Dependencies of a vision service. */
export interface VisionServiceDeps {
  config: AnalysisConfig;
  logger: Pick<Logger, 'info' | 'warn'>;
  cache: VisionAnswerRepository;
  now?: () => Date;
  /** Monotonic clock, in milliseconds. @default performance.now */
  monotonicNow?: () => number;
}

/** Outcome of a question. */
export interface Answered {
  aiStatus: AiStatus;
  answer: VisionAnswer | null;
  /** True if the answer came from the cache. */
  cached: boolean;
}

const CONCURRENCY = { remote: 4, local: 1 };

/** Creates the configured service with cache, capability check, concurrency limit, circuit breaker and daily limit. */
export function createVisionService(
  settings: ProviderSettings,
  { config, logger, cache, now = () => new Date(), monotonicNow = () => performance.now() }: VisionServiceDeps,
) {
  const provider = createSdkProvider(settings);
  const ask = createAsker(provider, config);
  const places = config.AI_CONCURRENCY ?? (settings.local ? CONCURRENCY.local : CONCURRENCY.remote);
  const gate = createGate(places);
  const breaker = createBreaker(monotonicNow);
  const limit = createDailyLimit(config.AI_DAILY_IMAGE_LIMIT, cache, now);
  /** Running questions by cache key. */
  const underWay = new Map<string, Promise<Answered>>();
  const check =
    config.AI_CANARY === 'on'
      ? createCapabilityCheck({ provider, logger, timeoutMs: config.AI_TIMEOUT_MS, now: monotonicNow })
      : null;

  /** Builds the cache key. It contains the account, so that accounts never share an answer. */
  function keyOf(accountId: string, jpeg: Buffer, { system, prompt }: Instructions): string {
    const picture = createHash('sha256').update(jpeg).digest('hex');
    const { kind, baseUrl, model } = settings;
    const parts = [accountId, picture, kind, baseUrl ?? null, model, PROMPT_VERSION, system, prompt];
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  }

  async function askService(imageId: string, instructions: Instructions, jpeg: Buffer, signal: AbortSignal) {
    const startedAt = performance.now();
    await withAbort(check?.settled() ?? Promise.resolve(), signal);
    // The wait for the check counts towards the time limit; the wait in the queue does not.
    const waitedMs = performance.now() - startedAt;
    if (check?.capability() === 'blind') return { status: 'unavailable' as const };
    if (waitedMs >= config.AI_TIMEOUT_MS) return { status: 'timeout' as const };
    const leave = await gate.enter(signal);
    try {
      const admission = breaker.admit();
      if (!admission) return { status: 'unavailable' as const };
      try {
        if (!(await limit.take())) return { status: 'limit' as const };
        const outcome = await ask(instructions, jpeg, signal, waitedMs);
        if (outcome.status === 'completed' || outcome.status === 'refused') admission.succeeded();
        else {
          admission.failed();
          logger.warn({ imageId, ...outcome }, 'the vision service did not describe an image');
        }
        return outcome;
      } finally {
        // Has no effect after a report above.
        admission.undecided();
      }
    } finally {
      leave();
    }
  }

  async function lookUpOrAsk(
    key: string,
    { _id: imageId, accountId }: Pick<ImageRecord, '_id' | 'accountId'>,
    jpeg: Buffer,
    instructions: Instructions,
    signal: AbortSignal,
  ): Promise<Answered> {
    const known = await cache.find(accountId, key).catch(() => null);
    if (known) return { aiStatus: 'completed', answer: known.answer as VisionAnswer, cached: true };
    const outcome = await askService(imageId, instructions, jpeg, signal);
    if (outcome.status !== 'completed') return { aiStatus: outcome.status, answer: null, cached: false };
    const { answer } = outcome;
    // A cache failure must not lose the answer.
    await cache.put({ _id: key, accountId, answer, createdAt: now() }).catch((error: unknown) => {
      logger.warn({ err: error }, 'could not store an answer of the vision service');
    });
    return { aiStatus: 'completed', answer, cached: false };
  }

  return {
    places,
    settled: async () => check?.settled(),
    close: () => check?.close(),

    status(): 'ready' | 'unverified' | 'blind' | 'open' {
      if (check?.capability() === 'blind') return 'blind';
      if (breaker.isOpen()) return 'open';
      return check?.capability() ?? 'unverified';
    },

    /**
     * Asks about one image, unless the answer is cached or the same question is running. Rejects with the signal's reason
     * alone.
     */
    async ask(
      image: Pick<ImageRecord, '_id' | 'accountId'>,
      jpeg: Buffer,
      instructions: Instructions,
      signal: AbortSignal,
    ): Promise<Answered> {
      const key = keyOf(image.accountId, jpeg, instructions);
      for (let asking = underWay.get(key); asking; asking = underWay.get(key)) {
        // An aborted caller must not cancel the shared request.
        const shared = await withAbort(
          asking.catch(() => null),
          signal,
        );
        if (shared) return { ...shared, cached: shared.answer !== null };
      }
      const own = lookUpOrAsk(key, image, jpeg, instructions, signal);
      underWay.set(key, own);
      try {
        return await own;
      } finally {
        underWay.delete(key);
      }
    },
  };
}

import { randomInt } from 'node:crypto';
import type { AiReason } from '#contract';
import type { Logger } from '../observability/index.ts';
import { stripReasoning } from './answer.ts';
import type { Failed } from './ask-model.ts';
import type { AnalysisConfig } from './config.ts';
import { startDeadline } from './deadline.ts';
import { drawDigits } from './digits-image.ts';
import type { Absence, ModelWatch } from './model-watch.ts';
import type { ServiceState } from './service-state.ts';
import { VisionFailure, type VisionProvider } from './vision-provider.ts';

/** Result of the capability check; `blind`: the service ignores images. */
export type Capability = 'unverified' | 'ready' | 'blind';

const AGAIN_AFTER_MS = 60_000;
const BLIND_AGAIN_AFTER_MS = 300_000;
const DIGITS = 4;
/** One digit may be misread; three are right by chance once in 270. */
const DIGITS_NEEDED = 3;
const TRIES = 2;
/** For four digits; and if that is too little, for what a model thinks before it says them. */
const TOKENS = [100, 2000] as const;

interface CapabilityCheckDeps {
  provider: VisionProvider;
  logger: Pick<Logger, 'info' | 'warn'>;
  /** Waits for a model that is loading. */
  watch: ModelWatch;
  /** Learns what the check finds out. */
  state: ServiceState;
  config: Pick<AnalysisConfig, 'AI_TIMEOUT_MS' | 'AI_LOAD_TIMEOUT_MS'>;
  /** Monotonic clock, in ms. */
  now: () => number;
}

interface State {
  readonly deps: CapabilityCheckDeps;
  readonly closing: AbortController;
  capability: Capability;
  first: Promise<void> | undefined;
  running: boolean;
  nextAt: number;
  /** Reason for which the last check failed; null: it did not. */
  failure: AiReason | null;
  count: number;
}

/** Creates the check that a service reads images: some accept them, ignore them and invent a description. */
export function createCapabilityCheck(deps: CapabilityCheckDeps) {
  const closing = new AbortController();
  const state: State = {
    ...{ deps, closing, capability: 'unverified', first: undefined },
    ...{ running: false, nextAt: 0, failure: null, count: 0 },
  };
  const begin = () => {
    state.running = true;
    const checked = check(state);
    state.first ??= checked;
  };
  const isDue = () => !state.running && deps.now() >= state.nextAt && !closing.signal.aborted;
  return {
    capability: () => state.capability,

    /** Reason for which the last check failed; null: it did not. */
    failure: () => state.failure,

    /** True until the first check has ended. */
    isFirst: () => state.nextAt === 0,

    /**
     * Starts a check if none has passed and the last one was long enough ago. Resolves after the first one, never rejects;
     * later checks run in the background.
     */
    async settled(): Promise<void> {
      if (state.capability !== 'ready' && isDue()) begin();
      await state.first;
    },

    /** Checks a service again that has failed since, if the last check was long enough ago. Does not wait. */
    again(): void {
      if (isDue()) begin();
    },

    close: () => closing.abort(new Error('the service is stopping')),
  };
}

/** A capability check. */
export type CapabilityCheck = ReturnType<typeof createCapabilityCheck>;

async function check(state: State): Promise<void> {
  const { provider, logger, watch, state: service, now, config } = state.deps;
  const { signal } = state.closing;
  state.count += 1;
  try {
    for (;;) {
      const failure = await tryOnce(state);
      state.failure = failure?.reason ?? null;
      if (!failure) break;
      const { reason, httpStatus, cause } = failure;
      logger.warn({ reason, httpStatus, cause }, 'the capability check of the vision service failed');
      service.failed(failure, true);
      if (!watch.isAwaited(failure)) break;
      watch.missing(failure);
      if (!(await watch.settled(`check ${state.count}`, signal, () => {}))) break;
    }
  } catch {
    // The service stops.
  } finally {
    state.nextAt = now() + (state.capability === 'blind' ? BLIND_AGAIN_AFTER_MS : AGAIN_AFTER_MS);
    state.running = false;
  }

  /** @throws the signal's reason alone */
  async function tryOnce({ closing }: State): Promise<CheckFailure | null> {
    // Leaving early would end the load of a model that some services begin with the first question.
    const deadline = startDeadline(Math.max(config.AI_TIMEOUT_MS, config.AI_LOAD_TIMEOUT_MS), closing.signal);
    try {
      let seen: Seen = 'nothing';
      for (let attempt = 0; attempt < TRIES && seen === 'nothing'; attempt += 1) {
        seen = await readsDigits(provider, deadline.signal);
      }
      const sees = seen === 'digits';
      watch.there(sees);
      if (seen !== 'cut_off') state.capability = sees ? 'ready' : 'blind';
      if (!sees) return { reason: seen === 'cut_off' ? seen : 'no_images', httpStatus: 200, cause: null, ...UNAWAITED };
      service.answered();
      logger.info({}, 'the vision service reads images');
      return null;
    } catch (error) {
      closing.signal.throwIfAborted();
      const failure = error instanceof VisionFailure ? error : null;
      const reason: AiReason = failure?.kind ?? (deadline.signal.aborted ? 'slow' : 'broken');
      if (reason === 'no_images') state.capability = 'blind';
      return {
        ...{ reason, httpStatus: failure?.status ?? null, cause: failure?.causeCode ?? null },
        ...{ retryAfterMs: failure?.retryAfterMs ?? null, probe: failure?.probe ?? null },
      };
    } finally {
      deadline.end();
    }
  }
}

type CheckFailure = Absence & Pick<Failed, 'httpStatus' | 'cause'>;
const UNAWAITED = { retryAfterMs: null, probe: null };

/** What of a drawn image a model has told. */
export type Seen = 'digits' | 'nothing' | 'cut_off';

/** Asks for the digits of a drawn image and compares them. */
export async function readsDigits(provider: VisionProvider, signal: AbortSignal): Promise<Seen> {
  const digits = Array.from({ length: DIGITS }, () => randomInt(10)).join('');
  const question = {
    system: 'You read what is written in an image.',
    prompt: `Which ${DIGITS} digits does the image show? Answer with the digits alone.`,
    image: { data: drawDigits(digits), mediaType: 'image/png' as const },
  };
  for (const maxTokens of TOKENS) {
    const { text, truncated } = await provider.ask({ ...question, maxTokens }, signal);
    if (says(text, digits)) return 'digits';
    if (!truncated) return 'nothing';
  }
  return 'cut_off';
}

function says(text: string, digits: string): boolean {
  const said = stripReasoning(text).replace(/(?<=\d)[\s,.-]+(?=\d)/g, '');
  return (said.match(/\d{4}/g) ?? []).some(
    (group) => [...group].filter((digit, at) => digit === digits[at]).length >= DIGITS_NEEDED,
  );
}

import { randomInt } from 'node:crypto';
import type { Logger } from '../observability/index.ts';
import { stripReasoning } from './answer.ts';
import { startDeadline } from './ask-model.ts';
import { drawDigits } from './digits-image.ts';
import { VisionFailure, type VisionProvider } from './vision-provider.ts';

/** Result of the capability check; `blind`: the service ignores images. */
export type Capability = 'unverified' | 'ready' | 'blind';

/** Time limit of one check. The cold start of a model may take longer; then the check is repeated later. */
const LIMIT_MS = 15_000;
const AGAIN_AFTER_MS = 60_000;
const BLIND_AGAIN_AFTER_MS = 300_000;
const DIGITS = 4;
/** One digit may be misread; three are right by chance once in 270. */
const DIGITS_NEEDED = 3;
const TRIES = 2;

interface CapabilityCheckDeps {
  provider: VisionProvider;
  logger: Pick<Logger, 'info' | 'warn'>;
  /** Model and address, for the log. */
  service: { model: string; baseUrl: string | undefined };
  /** Time limit of one image; the check uses it if it is shorter than 15 s. */
  timeoutMs: number;
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
}

/** Creates the check that a service reads images: some accept them, ignore them and invent a description. */
export function createCapabilityCheck(deps: CapabilityCheckDeps) {
  const closing = new AbortController();
  const state: State = { deps, closing, capability: 'unverified', first: undefined, running: false, nextAt: 0 };
  return {
    capability: () => state.capability,

    /**
     * Starts a check if none has passed and the last one was long enough ago. Resolves after the first one, never rejects;
     * later checks run in the background.
     */
    async settled(): Promise<void> {
      if (!state.running && state.capability !== 'ready' && deps.now() >= state.nextAt && !closing.signal.aborted) {
        state.running = true;
        const checked = check(state);
        state.first ??= checked;
      }
      await state.first;
    },

    close: () => closing.abort(new Error('the service is stopping')),
  };
}

/** A capability check. */
export type CapabilityCheck = ReturnType<typeof createCapabilityCheck>;

async function check(state: State): Promise<void> {
  const { provider, logger, service, timeoutMs, now } = state.deps;
  const { model } = service;
  const address = service.baseUrl ? `${service.baseUrl} (AI_BASE_URL)` : "the provider's own address";
  const closing = state.closing.signal;
  const deadline = startDeadline(Math.min(LIMIT_MS, timeoutMs), closing);
  try {
    let sees = false;
    for (let attempt = 0; attempt < TRIES && !sees; attempt += 1) sees = await readsDigits(provider, deadline.signal);
    state.capability = sees ? 'ready' : 'blind';
    if (sees) logger.info({}, 'the vision service reads images');
    else
      logger.warn(
        {},
        `the model ${model} (AI_MODEL) at ${address} ignores images and is not used: choose one that sees`,
      );
  } catch (error) {
    if (closing.aborted) return;
    const httpStatus = error instanceof VisionFailure ? error.status : null;
    const timedOut = deadline.signal.aborted;
    logger.warn({ httpStatus, timedOut, model, address }, 'the capability check of the vision service failed');
  } finally {
    deadline.end();
    state.nextAt = now() + (state.capability === 'blind' ? BLIND_AGAIN_AFTER_MS : AGAIN_AFTER_MS);
    state.running = false;
  }
}

/** Asks for the digits of a drawn image and compares them. */
async function readsDigits(provider: VisionProvider, signal: AbortSignal): Promise<boolean> {
  const digits = Array.from({ length: DIGITS }, () => randomInt(10)).join('');
  const { text } = await provider.ask(
    {
      system: 'You read what is written in an image.',
      prompt: `Which ${DIGITS} digits does the image show? Answer with the digits alone.`,
      image: { data: drawDigits(digits), mediaType: 'image/png' },
    },
    signal,
  );
  const said = stripReasoning(text).replace(/(?<=\d)[\s,.-]+(?=\d)/g, '');
  return (said.match(/\d{4}/g) ?? []).some(
    (group) => [...group].filter((digit, at) => digit === digits[at]).length >= DIGITS_NEEDED,
  );
}

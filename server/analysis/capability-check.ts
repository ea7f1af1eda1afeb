import { randomInt } from 'node:crypto';
import type { Logger } from '../observability/index.ts';
import { startDeadline } from './ask-model.ts';
import { drawDigits } from './canary-image.ts';
import { withoutThoughts } from './thoughts.ts';
import { VisionFailure, type VisionProvider } from './vision-provider.ts';

/** What is known about a service's eyes. */
export type Sight = 'unverified' | 'ready' | 'blind';

/** Finds out whether a service looks at pictures: some take them, ignore them and invent a description. */
export interface Canary {
  sight(): Sight;
  /**
   * Starts a test when the last one was long ago and not passed. Resolves, never rejects, after the first one: later ones
   * run beside the questions.
   */
  settled(): Promise<void>;
  close(): void;
}

/** A cold start of a model takes longer; then the service stays unverified and is tested again. */
const LIMIT_MS = 15_000;
const AGAIN_AFTER_MS = 60_000;
const BLIND_AGAIN_AFTER_MS = 300_000;
const DIGITS = 4;
/** One digit may be misread; three right by chance: once in 270. */
const DIGITS_NEEDED = 3;
const TRIES = 2;

/** Creates a canary. @param timeoutMs of one image, if shorter than the canary's own 15 s */
export function createCanary({
  provider,
  logger,
  timeoutMs,
  now,
}: {
  provider: VisionProvider;
  logger: Pick<Logger, 'info' | 'warn'>;
  timeoutMs: number;
  now: () => number;
}): Canary {
  const closing = new AbortController();
  let sight: Sight = 'unverified';
  let first: Promise<void> | undefined;
  let running = false;
  let nextAt = 0;

  async function readsDigits(signal: AbortSignal): Promise<boolean> {
    const digits = Array.from({ length: DIGITS }, () => randomInt(10)).join('');
    const { text } = await provider.ask(
      {
        system: 'You read what is written in an image.',
        prompt: `Which ${DIGITS} digits does the image show? Answer with the digits alone.`,
        image: { data: drawDigits(digits), mediaType: 'image/png' },
      },
      signal,
    );
    const said = withoutThoughts(text).replace(/(?<=\d)[\s,.-]+(?=\d)/g, '');
    return (said.match(/\d{4}/g) ?? []).some(
      (group) => [...group].filter((digit, at) => digit === digits[at]).length >= DIGITS_NEEDED,
    );
  }

  async function test(): Promise<void> {
    const deadline = startDeadline(Math.min(LIMIT_MS, timeoutMs), closing.signal);
    try {
      let sees = false;
      for (let attempt = 0; attempt < TRIES && !sees; attempt += 1) sees = await readsDigits(deadline.signal);
      sight = sees ? 'ready' : 'blind';
      if (sees) logger.info({}, 'the vision service sees');
      else logger.warn({}, 'the vision service does not see what is sent to it; it is not used');
    } catch (error) {
      if (closing.signal.aborted) return;
      const httpStatus = error instanceof VisionFailure ? error.status : null;
      const timedOut = deadline.signal.aborted;
      logger.warn({ httpStatus, timedOut }, 'the vision service could not be tested');
    } finally {
      deadline.end();
      nextAt = now() + (sight === 'blind' ? BLIND_AGAIN_AFTER_MS : AGAIN_AFTER_MS);
      running = false;
    }
  }

  return {
    sight: () => sight,
    async settled() {
      if (!running && sight !== 'ready' && now() >= nextAt && !closing.signal.aborted) {
        running = true;
        const tested = test();
        first ??= tested;
      }
      await first;
    },
    close: () => closing.abort(new Error('the service is stopping')),
  };
}

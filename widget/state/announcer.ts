import { createDebounce } from './debounce.ts';
import type { Environment } from './environment.ts';
import { createListeners } from './listeners.ts';
import type { Announcement } from './messages.ts';

/** Shortest time between two messages in milliseconds; screen readers drop faster ones. */
const GAP_MS = 2000;
/** Time over which counts are summed up into one message, in milliseconds. */
const GATHER_MS = 300;

/** Queues messages for live regions. */
export interface Announcer {
  subscribe(listener: (announcement: Announcement) => void): () => void;
  /**
   * Queues a message. It replaces a waiting message of the same `topic`; a function is called when the message is due.
   * `delay` in milliseconds.
   */
  say(topic: string, text: string | (() => string), options?: { assertive?: boolean; delay?: number }): void;
  /** Removes the waiting message of a topic. */
  drop(topic: string): void;
  dispose(): void;
}

interface Waiting {
  text: string | (() => string);
  assertive: boolean;
  /** Earliest time. */
  at: number;
}

/** Creates the announcer: at most one message every two seconds, errors first. */
export function createAnnouncer(env: Environment): Announcer {
  const listeners = createListeners<[Announcement]>();
  const waiting = new Map<string, Waiting>();
  let last = Number.NEGATIVE_INFINITY;

  const timer = createDebounce(env, () => {
    const now = env.now();
    const ready = [...waiting].filter(([, { at }]) => at <= now);
    const next = ready.find(([, { assertive }]) => assertive) ?? ready[0];
    if (next) {
      const [topic, { text, assertive }] = next;
      waiting.delete(topic);
      last = now;
      listeners.call({ text: typeof text === 'function' ? text() : text, urgency: assertive ? 'assertive' : 'polite' });
    }
    plan();
  });

  function plan() {
    if (waiting.size === 0) return;
    const first = Math.min(...[...waiting.values()].map(({ at }) => at));
    timer.schedule(Math.max(0, Math.max(first, last + GAP_MS) - env.now()));
  }

  return {
    subscribe: listeners.add,
    say(topic, text, { assertive = false, delay = GATHER_MS } = {}) {
      const at = waiting.get(topic)?.at ?? env.now() + delay;
      waiting.set(topic, { text, assertive, at });
      plan();
    },
    drop(topic) {
      waiting.delete(topic);
    },
    dispose: timer.cancel,
  };
}

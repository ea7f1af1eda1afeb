import { createDebounce } from '../debounce.ts';
import type { Environment } from '../environment.ts';
import { failure } from '../errors.ts';

/** Factor of the stall timeout before the first progress: connecting takes time, and some transports report none. */
const CONNECT_FACTOR = 4;

/** Called with bytes sent and bytes to send. */
export type OnBytes = (loaded: number, total: number) => void;

/** Uploads one file; rejects when `signal` is aborted. */
export type Send = (options: { signal: AbortSignal; onProgress: OnBytes }) => Promise<void>;

/** Failure of an attempt; `stopped`: by the queue or because no bytes were sent, not by a response. */
export interface AttemptFailure {
  cause: unknown;
  stopped: boolean;
}

/** One try of an upload. */
export interface UploadAttempt {
  start(send: Send, onBytes: OnBytes): void;
  stop(cause: unknown): void;
}

/**
 * Creates a try that ends once: uploaded, failed, stopped, or stalled without a byte for `stallTimeout` milliseconds
 * (0: never).
 */
export function createAttempt(
  env: Environment,
  stallTimeout: number,
  onEnd: (failure?: AttemptFailure) => void,
): UploadAttempt {
  const controller = new AbortController();
  const stall = createDebounce(env, () => stop(failure('stalled')));
  let ended = false;

  function expectBytes(ms: number) {
    if (ms > 0) stall.schedule(ms);
  }
  function end(failure?: AttemptFailure) {
    if (ended) return;
    ended = true;
    stall.cancel();
    onEnd(failure);
  }
  function stop(cause: unknown) {
    controller.abort(cause);
    end({ cause, stopped: true });
  }
  return {
    start(send, onBytes) {
      expectBytes(stallTimeout * CONNECT_FACTOR);
      const onProgress: OnBytes = (loaded, total) => {
        if (ended) return;
        stall.cancel();
        // After the last byte the service works; the client limits that time itself.
        if (loaded < total) expectBytes(stallTimeout);
        onBytes(loaded, total);
      };
      send({ signal: controller.signal, onProgress }).then(
        () => end(),
        (cause) => end({ cause, stopped: false }),
      );
    },
    stop,
  };
}

/** A time limit over several attempts. */
export interface Deadline {
  signal: AbortSignal;
  leftMs(): number;
  end(): void;
}

/** Starts one time limit over all attempts. Its signal also aborts with the outer one. */
export function startDeadline(timeoutMs: number, outer: AbortSignal): Deadline {
  const endsAt = performance.now() + timeoutMs;
  const controller = new AbortController();
  const abort = () => controller.abort(outer.reason);
  const timer = setTimeout(() => controller.abort(new Error('time limit')), timeoutMs);
  if (outer.aborted) abort();
  outer.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    leftMs: () => endsAt - performance.now(),
    end() {
      clearTimeout(timer);
      outer.removeEventListener('abort', abort);
    },
  };
}

import { ApiError, ConnectionError, type ConnectionErrorCode } from '../errors.ts';

/** Ends a request when its caller wants that, or when nothing has been heard for too long. */
export function createWatch(timeoutMs: number, caller?: AbortSignal) {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let silent = false;
  const onAbort = () => controller.abort(caller?.reason);
  if (caller?.aborted) onAbort();
  caller?.addEventListener('abort', onAbort);
  const pause = () => clearTimeout(timer);

  return {
    signal: controller.signal,
    /** Counts the silence from now on; `times` as much as usual is allowed. */
    start(times = 1): void {
      pause();
      timer = setTimeout(() => {
        silent = true;
        controller.abort();
      }, timeoutMs * times);
    },
    /** The next silence is not the service's. */
    pause,
    /** Nothing is expected any more; `close` also closes the connection. */
    end(close?: boolean): void {
      pause();
      caller?.removeEventListener('abort', onAbort);
      if (close) controller.abort();
    },
    /** Says what an error of the platform means. */
    explain(error: unknown, otherwise: ConnectionErrorCode): Error {
      if (error instanceof ApiError || error instanceof ConnectionError) return error;
      if (silent) return new ConnectionError('timeout');
      return caller?.aborted ? new ConnectionError('aborted', caller.reason) : new ConnectionError(otherwise, error);
    },
  };
}

/** What ends a request. */
export type Watch = ReturnType<typeof createWatch>;

import { ApiError, ConnectionError, type ConnectionErrorCode } from '../errors.ts';

/** Creates the watch of a request: aborts it with its caller's signal, or after `timeoutMs` of silence. */
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
    /** Starts the timeout, `times` as long as usual and `moreMs` longer. */
    start(times = 1, moreMs = 0): void {
      pause();
      timer = setTimeout(
        () => {
          silent = true;
          controller.abort();
        },
        timeoutMs * times + moreMs,
      );
    },
    /** Stops the timeout. */
    pause,
    /** Ends the watch; `close` also closes the connection. */
    end(close?: boolean): void {
      pause();
      caller?.removeEventListener('abort', onAbort);
      if (close) controller.abort();
    },
    /** Converts an error of the platform to an error of the client. */
    explain(error: unknown, otherwise: ConnectionErrorCode): Error {
      if (error instanceof ApiError || error instanceof ConnectionError) return error;
      if (silent) return new ConnectionError('timeout');
      return caller?.aborted ? new ConnectionError('aborted', caller.reason) : new ConnectionError(otherwise, error);
    },
  };
}

/** Watch of a request. */
export type Watch = ReturnType<typeof createWatch>;

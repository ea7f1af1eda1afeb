import { ApiError, ConnectionError } from '../sdk/index.ts';
import { CliError, EXIT } from './exit-codes.ts';
import type { Failure } from './report.ts';

const INTERRUPTED = 'Stopped. Run the same command again to resume; paid images are not paid again.';

/** Returns the error that ends the whole run, since every other image would meet it too; undefined if it concerns one image. */
export function endsTheRun(error: unknown): CliError | undefined {
  if (error instanceof CliError) return error;
  if (error instanceof DOMException && error.name === 'AbortError') {
    return new CliError(EXIT.interrupted, 'interrupted', INTERRUPTED, error);
  }
  if (error instanceof ConnectionError) {
    const { code, message } = error;
    if (code === 'aborted') return new CliError(EXIT.interrupted, 'interrupted', INTERRUPTED, error);
    return new CliError(EXIT.service, code, `${message}. Is the address right? See --endpoint.`, error);
  }
  if (!(error instanceof ApiError)) return undefined;
  const { status, code, message } = error;
  if (code === 'insufficient_credits') return new CliError(EXIT.credits, code, `${message}.`, error);
  const isUnusable = [401, 403, 429, 503, 507].includes(status) || code === 'bad_response' || code === 'not_found';
  return isUnusable ? new CliError(EXIT.service, code, `The service says: ${message}`, error) : undefined;
}

/** Tests whether an upload was larger than the service, or a gateway in front of it, accepts. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ApiError && ([408, 413].includes(error.status) || error.code === 'too_many_files');
}

/** Returns the reason an image was not made. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError || error instanceof ConnectionError || error instanceof CliError) {
    return { code: error.code, message: error.message };
  }
  const { code = 'unexpected', message } = error as NodeJS.ErrnoException;
  return { code, message };
}

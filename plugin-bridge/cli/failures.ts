import { ApiError, ConnectionError } from '../sdk/index.ts';
import { CliError, EXIT } from './exit-codes.ts';
import type { Failure } from './report.ts';

const INTERRUPTED = 'Stopped. Run the same command again to go on; what is paid for is not paid again.';

/** What ends the whole run, since it would meet every other image too; undefined for what is one image's own. */
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
  const useless = [401, 403, 429, 503, 507].includes(status) || code === 'bad_response' || code === 'not_found';
  return useless ? new CliError(EXIT.service, code, `The service says: ${message}`, error) : undefined;
}

/** The upload was more than the service, or a gateway before it, takes at once. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ApiError && ([408, 413].includes(error.status) || error.code === 'too_many_files');
}

/** Why an image was not made. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError || error instanceof ConnectionError || error instanceof CliError) {
    return { code: error.code, message: error.message };
  }
  const { code = 'unexpected', message } = error as NodeJS.ErrnoException;
  return { code, message };
}

/**
 * Reason an image was not replaced or restored.
 *
 * | code | |
 * |---|---|
 * | `not_found` | the CMS no longer has the image |
 * | `forbidden` | this user may not change it |
 * | `expired` | the login or nonce has expired and could not be renewed |
 * | `locked` | another user or tab is working on it |
 * | `changed` | the image differs from the uploaded one |
 * | `unsupported` | the CMS does not support this format |
 * | `no_space` | the disk is full |
 * | `larger` | the result has more bytes than the original, which is not allowed by default |
 * | `no_gain` | the result has as many bytes as the original |
 * | `sample` | a sample is a preview and replaces nothing |
 * | `damaged` | the download differs from the file at the service |
 * | `not_exported` | the service could not export it |
 * | `no_backup` | the backup of the original could not be made, or is missing or damaged |
 * | `stopped` | the user stopped the run |
 * | `failed` | anything else |
 */
export type HostErrorCode =
  | 'not_found'
  | 'forbidden'
  | 'expired'
  | 'locked'
  | 'changed'
  | 'unsupported'
  | 'no_space'
  | 'larger'
  | 'no_gain'
  | 'sample'
  | 'damaged'
  | 'not_exported'
  | 'no_backup'
  | 'stopped'
  | 'failed';

/** Codes of errors that a second try would meet again. */
const FINAL: readonly HostErrorCode[] = [
  'not_found',
  'forbidden',
  'changed',
  'unsupported',
  'larger',
  'no_gain',
  'sample',
];

/** An error of a host, with a code and a message for the user. */
export class HostError extends Error {
  override readonly name = 'HostError';
  readonly code: HostErrorCode;

  constructor(code: HostErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** True if a second try can succeed. */
  get retryable(): boolean {
    return !FINAL.includes(this.code);
  }
}

/** Converts any error to a HostError; unknown ones become `failed` with their message. */
export function toHostError(error: unknown): HostError {
  if (error instanceof HostError) return error;
  const name = error instanceof Error ? error.name : '';
  const message = error instanceof Error ? error.message : String(error);
  if (name === 'AbortError') return new HostError('stopped', 'Stopped.', { cause: error });
  if (name === 'QuotaExceededError') return new HostError('no_space', 'There is no space left.', { cause: error });
  return new HostError('failed', message || 'The operation failed.', { cause: error });
}

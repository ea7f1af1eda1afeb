/**
 * Why an image was not replaced or restored.
 *
 * | code | |
 * |---|---|
 * | `not_found` | the CMS no longer has the image |
 * | `forbidden` | this user may not change it |
 * | `expired` | the login or nonce has expired and could not be renewed |
 * | `locked` | somebody else is working on it |
 * | `changed` | the image is another one than was uploaded |
 * | `unsupported` | the CMS cannot take this format |
 * | `no_space` | the disk is full |
 * | `larger` | the result has more bytes than the original, and that was not asked for |
 * | `no_gain` | the result has as many bytes as the original, there is nothing to replace |
 * | `sample` | a sample is a preview: nothing is replaced with it |
 * | `damaged` | the download is not the file that the service made |
 * | `not_exported` | the service could not export it |
 * | `no_backup` | the original could not be kept, or what was kept is gone or damaged |
 * | `stopped` | a person stopped the run before it was done |
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

/** Codes that a second try cannot mend as things are. */
const FINAL: readonly HostErrorCode[] = [
  'not_found',
  'forbidden',
  'changed',
  'unsupported',
  'larger',
  'no_gain',
  'sample',
];

/** An error of a host, with a code that says what kind and a message for the person at the screen. */
export class HostError extends Error {
  override readonly name = 'HostError';
  readonly code: HostErrorCode;

  constructor(code: HostErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Whether trying again can help. */
  get retryable(): boolean {
    return !FINAL.includes(this.code);
  }
}

/** Any error as a HostError; one that is none becomes `failed` with its message. */
export function toHostError(error: unknown): HostError {
  if (error instanceof HostError) return error;
  const name = error instanceof Error ? error.name : '';
  const message = error instanceof Error ? error.message : String(error);
  if (name === 'AbortError') return new HostError('stopped', 'Stopped.', { cause: error });
  if (name === 'QuotaExceededError') return new HostError('no_space', 'There is no space left.', { cause: error });
  return new HostError('failed', message || 'It did not work.', { cause: error });
}

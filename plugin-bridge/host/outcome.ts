import { type HostErrorCode, toHostError } from './host-error.ts';
import type { HostTextKey } from './host-texts.ts';

/** Outcome of one image, with a message if it was not replaced or restored. */
export interface HostOutcome {
  /** The CMS's id. */
  id: string;
  filename: string;
  /** `skipped`: nothing had to be done. */
  status: 'replaced' | 'restored' | 'skipped' | 'failed';
  code: HostErrorCode | null;
  message: string | null;
  /** Address of the file for browsers; null if unknown. */
  url: string | null;
  /** Bytes saved on the image itself, without its other sizes. */
  savedBytes: number;
  /** True if a second try can succeed. */
  retryable: boolean;
}

/** Creates an outcome without an error. */
export function succeeded(
  status: 'replaced' | 'restored' | 'skipped',
  image: { id: string; filename: string },
  rest: Partial<HostOutcome> = {},
): HostOutcome {
  const { id, filename } = image;
  return { id, filename, status, code: null, message: null, url: null, savedBytes: 0, retryable: false, ...rest };
}

/** Creates the outcome of an error. Results that save nothing are skipped instead of failed. */
export function failed(
  error: unknown,
  image: { id: string; filename: string },
  text: (key: HostTextKey) => string,
): HostOutcome {
  const { code, message, retryable } = toHostError(error);
  const status = code === 'larger' || code === 'no_gain' ? 'skipped' : 'failed';
  const reason = message || text(`host.${code}`);
  const { id, filename } = image;
  return { id, filename, status, code, message: reason, url: null, savedBytes: 0, retryable };
}

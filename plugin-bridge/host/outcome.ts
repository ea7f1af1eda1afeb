import { type HostErrorCode, toHostError } from './host-error.ts';
import type { HostTextKey } from './host-texts.ts';

/** What became of one image, with the reason in words where it was not done. */
export interface HostOutcome {
  /** The CMS's id. */
  id: string;
  filename: string;
  /** `skipped`: there was nothing to do. */
  status: 'replaced' | 'restored' | 'skipped' | 'failed';
  code: HostErrorCode | null;
  message: string | null;
  /** Where a browser sees the file now; null when that is unknown. */
  url: string | null;
  /** Bytes that the image itself has fewer now; its other sizes are not counted. */
  savedBytes: number;
  /** Whether trying again can help. */
  retryable: boolean;
}

/** An outcome of something that was done. */
export function succeeded(
  status: 'replaced' | 'restored' | 'skipped',
  image: { id: string; filename: string },
  rest: Partial<HostOutcome> = {},
): HostOutcome {
  const { id, filename } = image;
  return { id, filename, status, code: null, message: null, url: null, savedBytes: 0, retryable: false, ...rest };
}

/** An outcome of an error. Results that are no gain are skipped, not failed: the image is as good as it gets. */
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

import type { ErrorCode } from '#contract';
import type { WorkerFailure } from './protocol.ts';

/** An expected failure in a worker, with a code of the catalogue and a public message. */
export class ProcessingFailure extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}) {
    super(message);
    this.name = 'ProcessingFailure';
    this.code = code;
    this.details = details;
  }
}

// Public texts for the library's messages; the first match wins.
const DECODER_TEXTS: [RegExp, string][] = [
  [/premature end|truncated|unexpected end|not enough data|bad seek|end of (?:file|stream|data)/i, 'it ends too early'],
  [/progression|too many scans|scan/i, 'its scans are inconsistent'],
  [/crc|libpng read error|chunk/i, 'its data do not match their checksums or are incomplete'],
  [/corrupt header|unable to parse|bad header/i, 'its header cannot be read'],
  [/unsupported|not supported/i, 'it uses a feature that cannot be decoded'],
];

/** Converts anything thrown while an image is read or written to a failure with a readable message. */
export function describeFailure(thrown: unknown): WorkerFailure {
  if (thrown instanceof ProcessingFailure) {
    return { code: thrown.code, message: thrown.message, details: thrown.details };
  }
  const cause = thrown instanceof Error ? thrown.message : String(thrown);
  const errno = (thrown as { code?: unknown } | null)?.code;
  if (errno === 'ENOSPC' || errno === 'EDQUOT' || /no space left|disk quota/i.test(cause)) {
    return { code: 'insufficient_storage', message: 'The server has no disk space left for the image', cause };
  }
  if (typeof errno === 'string' || /file is missing/i.test(cause)) {
    return { code: 'processing_failed', message: 'The image could not be read from or written to the disk', cause };
  }
  if (/exceeds pixel limit/i.test(cause)) {
    return { code: 'too_many_pixels', message: 'The image has more pixels than the service accepts', cause };
  }
  return { code: 'invalid_image', message: `The file is damaged: ${damage(cause)}`, cause };
}

function damage(text: string): string {
  return DECODER_TEXTS.find(([pattern]) => pattern.test(text))?.[1] ?? 'it cannot be decoded';
}

import type { ErrorCode } from '#contract';
import type { WorkerFailure } from './protocol.ts';

/** An expected failure in a worker, with a code of the catalogue and a public message. */
export class ProcessingFailure extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;

  /** @param cause the library's error, for the log */
  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}, cause?: unknown) {
    super(message, { cause });
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

/** Beginnings of the decoders' messages: the decoder, its source, or `Input file`. Some messages are empty. */
const DECODERS =
  /^(?:Input (?:file|buffer) (?:has corrupt|contains unsupported)|(?:Vips(?:Jpeg|Png|Icc)|vipspng|\w*2vips|\w+load(?:_\w+)?|webp|heif|gif|tiff|TIFF\w*|png|spng|jpeg|exif): |.*: bad seek |Unknown error$)/;

/**
 * Runs work that decodes the upload; what a decoder says of it is the fault of the file. Everything else that is thrown is left as it
 * is.
 * @throws ProcessingFailure invalid_image | too_many_pixels
 */
export async function readSource<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && /exceeds pixel limit/i.test(error.message)) {
      throw new ProcessingFailure('too_many_pixels', 'The image has more pixels than the service accepts', {}, error);
    }
    // Errors of the library have no class of their own; those of programs, such as TypeError, do.
    if (!(error instanceof Error) || error.constructor !== Error || !DECODERS.test(error.message)) throw error;
    throw damagedFile(error.message, error);
  }
}

/** Creates the failure of a file that cannot be decoded. @param said what the decoder says of it @param cause for the log */
export function damagedFile(said: string, cause?: unknown): ProcessingFailure {
  return new ProcessingFailure('invalid_image', `The file is damaged: ${damage(said)}`, {}, cause);
}

/** Converts anything thrown while an image is read or written to a failure with a readable message. */
export function describeFailure(thrown: unknown): WorkerFailure {
  if (thrown instanceof ProcessingFailure) {
    const { code, message, details, cause } = thrown;
    return { code, message, details, ...(cause instanceof Error ? { cause: cause.message } : {}) };
  }
  const cause = thrown instanceof Error ? thrown.message : String(thrown);
  const errno = (thrown as { code?: unknown } | null)?.code;
  if (errno === 'ENOSPC' || errno === 'EDQUOT' || /no space left|disk quota/i.test(cause)) {
    return { code: 'insufficient_storage', message: 'The server has no disk space left for the image', cause };
  }
  if (/^E(ROFS|IO|ACCES|PERM|STALE)$/.test(String(errno)) || /read-only file system|input\/output error/i.test(cause)) {
    const message = 'The server cannot write or read its files at the moment';
    return { code: 'storage_unavailable', message, cause, unexpected: true };
  }
  if ((typeof errno === 'string' && SYSTEM_ERROR.test(errno)) || /file is missing/i.test(cause)) {
    const message = 'The image could not be read from or written to the disk';
    return { code: 'processing_failed', message, cause, unexpected: true };
  }
  const stack = thrown instanceof Error ? withCauses(thrown) : cause;
  return { code: 'internal_error', message: UNEXPECTED, cause: stack, unexpected: true };
}

const UNEXPECTED = 'The service failed while it processed the image; the fault is not in the file';
/** EIO, ENOENT …, but not Node's own ERR_OUT_OF_RANGE … */
const SYSTEM_ERROR = /^E(?!RR_)[A-Z0-9]+$/;

function withCauses(error: Error): string {
  const stack = error.stack ?? error.message;
  return error.cause instanceof Error ? `${stack}\ncaused by ${withCauses(error.cause)}` : stack;
}

function damage(text: string): string {
  return DECODER_TEXTS.find(([pattern]) => pattern.test(text))?.[1] ?? 'it cannot be decoded';
}

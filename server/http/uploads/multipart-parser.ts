import type { IncomingMessage } from 'node:http';
import busboy, { type Busboy } from 'busboy';
import { withAbort } from '../../concurrency.ts';
import { AppError } from '../../errors.ts';

/** Limits of one upload request. */
export interface MultipartLimits {
  maxFileBytes: number;
  maxFiles: number;
  maxRequestBytes: number;
  maxFields: number;
  maxFieldBytes: number;
}

/**
 * Creates the multipart parser of a request.
 * @throws AppError `unsupported_media_type`, `invalid_multipart` (no boundary), `request_too_large` (by Content-Length)
 */
export function openParser(req: IncomingMessage, limits: MultipartLimits): Busboy {
  const type = req.headers['content-type'] ?? '';
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (!/^multipart\/form-data\s*(;|$)/i.test(type) || encoding !== 'identity') {
    const message = 'Expected a body of type multipart/form-data without content encoding';
    throw new AppError('unsupported_media_type', message);
  }
  if (Number(req.headers['content-length'] ?? 0) > limits.maxRequestBytes) throw requestTooLarge(limits);
  try {
    return busboy({
      headers: req.headers,
      defParamCharset: 'utf8',
      // Text that names no charset comes as its bytes, since the parser would replace what is not UTF-8.
      defCharset: 'base64',
      preservePath: true,
      // busboy reports a limit when it is reached; one more byte distinguishes "exactly at" from "above".
      limits: {
        files: limits.maxFiles,
        fileSize: limits.maxFileBytes + 1,
        fields: limits.maxFields,
        fieldSize: limits.maxFieldBytes + 1,
      },
    });
  } catch (cause) {
    throw new AppError('invalid_multipart', 'Expected a boundary in the Content-Type of the multipart body', { cause });
  }
}

/** Returns the bytes of a text field; the text, if its part has named a charset, by which the parser has decoded it. */
export function bytesOfField(value: string): Buffer | string {
  // Our text fields are JSON lists, which are no base64.
  return /^[A-Za-z0-9+/]*={0,2}$/.test(value) ? Buffer.from(value, 'base64') : value;
}

const NOTHING = Buffer.alloc(0);

/** Creates the error of a body that cannot be parsed. */
export function brokenBody(cause?: unknown): AppError {
  return new AppError('invalid_multipart', 'The multipart body is malformed or was cut off', { cause });
}

/**
 * Pipes the request into the parser and resolves when all of it is parsed; rejects with the first failure of request,
 * parser or part. Parts may still have to be read to their end; an incomplete part fails with the parser's error.
 */
export function feedParser(
  req: IncomingMessage,
  parser: Busboy,
  maxBytes: number,
  failure: AbortController,
): Promise<void> {
  const broken = (cause?: unknown) => failure.abort(brokenBody(cause));
  let received = 0;
  const onData = (chunk: Buffer) => {
    received += chunk.length;
    if (received > maxBytes) failure.abort(requestTooLarge({ maxRequestBytes: maxBytes }));
    else if (!parser.write(chunk)) req.pause();
  };
  const onEnd = () => {
    // The callback is called when everything before is parsed. Not `end()`: busboy 1.6 parses on after the closing delimiter
    // if there is more in the same chunk, and then waits forever for the end of an incomplete part.
    parser.write(NOTHING, () => parser.destroy());
  };
  const onClose = () => {
    if (!req.readableEnded) broken();
  };
  const parsed = new Promise<void>((resolve) => {
    parser.on('error', broken);
    parser.on('drain', () => req.resume());
    parser.on('close', resolve);
    if (req.destroyed && !req.readableEnded) broken();
    req.on('error', broken).on('close', onClose).on('end', onEnd).on('data', onData);
  });
  return withAbort(parsed, failure.signal).finally(() => {
    req.off('error', broken).off('close', onClose).off('end', onEnd).off('data', onData);
    // Later errors are consequences of the reported failure.
    req.on('error', () => {});
    parser.destroy();
  });
}

function requestTooLarge({ maxRequestBytes }: Pick<MultipartLimits, 'maxRequestBytes'>): AppError {
  const message = `Expected a request of at most ${maxRequestBytes} bytes`;
  return new AppError('request_too_large', message, { details: { limit: maxRequestBytes } });
}

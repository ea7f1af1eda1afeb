import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Busboy } from 'busboy';
import { AppError } from '../../errors.ts';
import { cleanOriginalFilename } from '../../sessions/index.ts';
import { drainRequest } from '../client-limits.ts';
import { decodeUtf8 } from '../parse-json.ts';
import { keepYoung } from './keep-young.ts';
import { brokenBody, bytesOfField, feedParser, type MultipartLimits, openParser } from './multipart-parser.ts';
import { type ReceivedFile, refusalOf, skipPart, storePart } from './received-file.ts';

/** Options of {@link receiveMultipart}. */
export interface MultipartOptions {
  /** Returns a new absolute path ending in `.part`, in an existing directory. */
  newTemporaryFile: () => string;
  limits: MultipartLimits;
  /** Called before the body is read, after its length was checked. */
  invite?: () => void;
  /** Called with the bytes of files as they arrive. An error that it throws ends the upload. */
  onBytes?: (bytes: number) => void;
  signal?: AbortSignal;
}

/** A complete upload. The receiver calls `discard` at the end; files that were renamed before are kept. */
export interface ReceivedUpload {
  /** Accepted and refused files, in body order. */
  files: ReceivedFile[];
  /** Text fields; the last one of a repeated name wins. */
  fields: Record<string, string>;
  /** SHA-256 in hex of field names and values, file names and file contents, in order. */
  fingerprint: string;
  /** Removes the temporary files that still exist. */
  discard(): Promise<void>;
}

/** The text field. */
const TEXT_FIELD = 'metadata';
const FILE_FIELDS = ['images', 'images[]', 'image', 'files', 'file'] as const;

type Part =
  | { kind: 'field'; name: string; value: string }
  | { kind: 'file'; file: ReceivedFile; size: number; sha256: string }
  | { kind: 'unfilled' };

/**
 * Receives a `multipart/form-data` request: files are streamed to disk and synced, fields are kept in memory. A file that is
 * too large, empty or in a wrong field is refused without affecting the others. After a failure all temporary files are
 * removed and all handles closed, and the rest of the body is drained, so that the client can read the response.
 * @throws AppError `unsupported_media_type`, `invalid_multipart`, `too_many_files`, `request_too_large`,
 *   `invalid_request`; or the disk's errno error; or the signal's reason
 */
export async function receiveMultipart(req: IncomingMessage, options: MultipartOptions): Promise<ReceivedUpload> {
  const { maxRequestBytes } = options.limits;
  const failure = new AbortController();
  const temporaryFiles: string[] = [];
  const parts: Promise<Part>[] = [];
  const discard = async () => {
    await Promise.all(temporaryFiles.splice(0).map((file) => rm(file, { force: true })));
  };
  const abort = () => failure.abort(options.signal?.reason);
  const stopKeeping = keepYoung(temporaryFiles);
  try {
    options.signal?.throwIfAborted();
    options.signal?.addEventListener('abort', abort, { once: true });
    const parser = openParser(req, options.limits);
    options.invite?.();
    collectParts(parser, { options, parts, temporaryFiles, failure });
    await feedParser(req, parser, maxRequestBytes, failure);
    const received = await Promise.all(parts);
    failure.signal.throwIfAborted();
    return { ...summarize(received), discard };
  } catch (error) {
    failure.abort(error);
    drainRequest(req, maxRequestBytes);
    await Promise.allSettled(parts);
    await discard();
    throw failure.signal.reason;
  } finally {
    stopKeeping();
    options.signal?.removeEventListener('abort', abort);
  }
}

interface Collection {
  options: MultipartOptions;
  parts: Promise<Part>[];
  temporaryFiles: string[];
  failure: AbortController;
}

/** Collects the parser's parts. The failure of any part aborts `failure`. */
function collectParts(parser: Busboy, { options, parts, temporaryFiles, failure }: Collection): void {
  const { limits } = options;
  const fail = (error: unknown) => failure.abort(error);
  const add = (part: Promise<Part>) => {
    part.catch(fail);
    parts.push(part);
  };
  const live = new Set<Readable>();
  failure.signal.addEventListener('abort', () => {
    for (const stream of live) stream.destroy();
  });
  parser.on('file', (fieldName: string | undefined, stream, info) => {
    // In the same tick, since the parser may fail before the part is read, and an unhandled 'error' ends the process.
    stream.on('error', () => {});
    // One chunk can contain many parts, so parts after a faulty one are still emitted.
    if (failure.signal.aborted) return void stream.resume();
    live.add(stream);
    stream.once('close', () => live.delete(stream));
    const received = receiveFile(stream, fieldName ?? '', info.filename);
    // The parser's own error means a broken body; other errors, such as those of the disk, are passed on.
    add(received.catch((error) => Promise.reject(error === stream.errored ? brokenBody(error) : error)));
  });
  parser.on('field', (name: string | undefined, value, info) => {
    if (name !== undefined && isFileField(name)) add(Promise.resolve(textInsteadOfFile(name, value)));
    else if (info.valueTruncated) fail(fieldTooLong(name ?? '', limits));
    else add(fieldOf(name ?? '', bytesOfField(value)));
  });
  parser.on('filesLimit', () => {
    const message = `Expected at most ${limits.maxFiles} files in one request`;
    fail(new AppError('too_many_files', message, { details: { limit: limits.maxFiles } }));
  });
  parser.on('fieldsLimit', () => {
    const message = `Expected at most ${limits.maxFields} text fields in one request`;
    fail(new AppError('invalid_request', message, { details: { limit: limits.maxFields } }));
  });

  async function receiveFile(stream: Readable, fieldName: string, given: string | undefined): Promise<Part> {
    const originalFilename = cleanOriginalFilename(given);
    // Other programs send JSON as a file of that type.
    if (fieldName === TEXT_FIELD) return fieldOf(fieldName, await readField(stream, fieldName, limits));
    if (!isFileField(fieldName)) {
      const read = await skipPart(stream);
      return { kind: 'file', file: { originalFilename, fieldName, refused: wrongField(fieldName) }, ...read };
    }
    const file = options.newTemporaryFile();
    temporaryFiles.push(file);
    const stored = await storePart(stream, file, { maxBytes: limits.maxFileBytes, onBytes: options.onBytes });
    // Browsers send an empty file input as an empty part without a filename.
    if (given === undefined && stored.size === 0) return { kind: 'unfilled' };
    const refused = refusalOf(originalFilename, stored.size, limits.maxFileBytes);
    if (refused) return { kind: 'file', file: { originalFilename, fieldName, refused }, ...stored };
    return { kind: 'file', file: { originalFilename, fieldName, file, ...stored }, ...stored };
  }
}

function summarize(parts: Part[]): Pick<ReceivedUpload, 'files' | 'fields' | 'fingerprint'> {
  const hash = createHash('sha256');
  const files: ReceivedFile[] = [];
  const fields = new Map<string, string>();
  for (const part of parts) {
    if (part.kind === 'field') {
      fields.set(part.name, part.value);
      hash.update(JSON.stringify(['field', part.name, part.value]));
    } else if (part.kind === 'file') {
      files.push(part.file);
      const { fieldName, originalFilename } = part.file;
      hash.update(JSON.stringify(['file', fieldName, originalFilename, part.size, part.sha256]));
    }
  }
  return { files, fields: Object.fromEntries(fields), fingerprint: hash.digest('hex') };
}

async function readField(stream: Readable, name: string, limits: MultipartLimits): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limits.maxFieldBytes) chunks.push(chunk);
  }
  if (size > limits.maxFieldBytes) throw fieldTooLong(name, limits);
  return Buffer.concat(chunks);
}

/** @throws invalid_request if the bytes are no UTF-8 */
async function fieldOf(name: string, content: Buffer | string): Promise<Part> {
  const value = typeof content === 'string' ? content.replace(/^\ufeff/, '') : decodeUtf8(content);
  if (value !== null) return { kind: 'field', name, value };
  throw new AppError('invalid_request', `${name}: expected UTF-8, but received bytes that are none`);
}

function isFileField(name: string): boolean {
  return (FILE_FIELDS as readonly string[]).includes(name);
}

function wrongField(fieldName: string): AppError {
  return new AppError(
    'invalid_request',
    `Expected files in the field ${FILE_FIELDS.join(', ')}, but one came in "${fieldName}"`,
  );
}

function textInsteadOfFile(fieldName: string, value: string): Part {
  const message = `Expected a file in the field "${fieldName}", but its part has no filename`;
  const file = { originalFilename: 'image', fieldName, refused: new AppError('invalid_request', message) };
  return { kind: 'file', file, size: value.length, sha256: createHash('sha256').update(value).digest('hex') };
}

function fieldTooLong(name: string, { maxFieldBytes }: MultipartLimits): AppError {
  const message = `Expected at most ${maxFieldBytes} bytes in the field "${name}"`;
  return new AppError('invalid_request', message, { details: { limit: maxFieldBytes } });
}

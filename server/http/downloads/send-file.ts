import type { ReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import contentDisposition from 'content-disposition';
import type { Context } from 'koa';
import { AppError } from '../../errors.ts';
import { requireMatch } from '../require-match.ts';
import { type ByteRange, parseByteRange } from './byte-range.ts';

/** A stored file to send. */
export interface FileToSend {
  /** Absolute path, from stored records, never from a request. */
  file: string;
  /** Bytes, as recorded. */
  size: number;
  /** Name under which the client saves it. */
  filename: string;
  mimeType: string;
  /** Strong validator without quotes: the SHA-256 of the bytes. */
  etag: string;
  /** Displays the file instead of saving it, for images embedded in a page. @default false */
  inline?: boolean;
}

/** Size of a read, and so the memory per download; most exported files are smaller. */
const READ_BYTES = 256 * 1024;

/**
 * Responds to GET and HEAD with a stored file; supports conditional requests, one byte range and back-pressure.
 * @throws AppError `file_not_found`, `precondition_failed`, `range_not_satisfiable`; no header is set then
 */
export async function sendFile(ctx: Context, offered: FileToSend): Promise<void> {
  const handle = await openStored(offered);
  let streaming = false;
  try {
    const etag = `"${offered.etag}"`;
    requireMatch(ctx, etag);
    ctx.set('ETag', etag);
    ctx.status = 200;
    if (ctx.fresh) {
      ctx.set(PROTECTION);
      ctx.status = 304;
      return;
    }
    const range = requestedRange(ctx, offered);
    const { first, last } = range ?? { first: 0, last: offered.size - 1 };
    ctx.set({
      ...PROTECTION,
      'Accept-Ranges': 'bytes',
      'Content-Disposition': disposition(offered),
      'Content-Type': offered.mimeType,
      'Content-Length': String(last - first + 1),
    });
    if (range) {
      ctx.status = 206;
      ctx.set('Content-Range', `bytes ${first}-${last}/${offered.size}`);
    }
    if (ctx.method === 'HEAD') return;
    streaming = first <= last;
    ctx.body = streaming ? readRange(ctx, handle, { first, last }) : Buffer.alloc(0);
  } catch (error) {
    ctx.remove('ETag');
    throw error;
  } finally {
    if (!streaming) await handle.close();
  }
}

/** Reads a part of a file; closes it at the end or when the client disconnects. */
function readRange(ctx: Context, handle: FileHandle, { first, last }: ByteRange): ReadStream {
  const stream = handle.createReadStream({ start: first, end: last, highWaterMark: READ_BYTES });
  // Koa listens to the response, which emits no 'close' while it is queued behind another one on its connection.
  const { socket } = ctx.req;
  const leave = () => stream.destroy();
  socket.once('close', leave);
  stream.once('close', () => socket.off('close', leave));
  if (socket.destroyed) leave();
  return stream;
}

const PROTECTION = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'private, no-cache',
};

/** Opens the file before the response starts, so that a missing one can still respond 404. */
async function openStored({ file, size, filename }: FileToSend): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'r');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new AppError('file_not_found', `The file "${filename}" does not exist any more`, { cause });
  }
  const stored = await handle.stat();
  if (stored.size === size) return handle;
  await handle.close();
  throw new Error(`Expected ${size} bytes in ${file}, but found ${stored.size}`);
}

/** Parses the range of a GET request. Ignores it if `If-Range` does not match the stored bytes (RFC 9110, 14.2). */
function requestedRange(ctx: Context, { size, etag }: FileToSend): ByteRange | undefined {
  const condition = ctx.get('If-Range');
  const holds = condition === '' || condition === `"${etag}"`;
  const range = ctx.method === 'GET' && holds ? parseByteRange(ctx.get('Range'), size) : 'none';
  if (range === 'none') return undefined;
  if (range !== 'unsatisfiable') return range;
  throw new AppError('range_not_satisfiable', `Expected a range within the ${size} bytes of the file`, {
    headers: { 'Content-Range': `bytes */${size}` },
    details: { size },
  });
}

/** Formats Content-Disposition (RFC 6266): the full name in `filename*` and an ASCII fallback in `filename`. */
function disposition({ filename, inline = false }: FileToSend): string {
  // A lone surrogate cannot be encoded.
  const name = filename.replace(/\p{Surrogate}/gu, '\u{fffd}');
  const ascii = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^\x20-\x7e]/g, '_');
  return contentDisposition(name, { fallback: ascii, type: inline ? 'inline' : 'attachment' });
}

import type { Readable } from 'node:stream';
import contentDisposition from 'content-disposition';
import type { Context } from 'koa';
import { AppError, DamagedFileError } from '../../errors.ts';
import type { ObjectStore } from '../../storage/index.ts';
import { checkedStream } from './checked-stream.ts';
import { isUnchanged, requireMatch } from './conditions.ts';

/** A stored file to send. */
export interface FileToSend {
  /** Key in the store, from stored records, never from a request. */
  key: string;
  /** Bytes, as recorded. */
  size: number;
  /** Name under which the client saves it. */
  filename: string;
  mimeType: string;
  /** Strong validator without quotes. */
  etag: string;
  /** Hash that was told of the bytes, which are sent only if they have it. @default not compared */
  sha256?: string;
  /** Called if the hash shows only at the end of the bytes that they are other ones. */
  onDamaged?: (key: string) => void;
  /** Displays the file instead of saving it, for images embedded in a page. @default false */
  inline?: boolean;
  /** Seconds for which the address leads to these bytes. @default clients ask each time */
  lastsSeconds?: number | undefined;
}

type Store = Pick<ObjectStore, 'open' | 'head' | 'check'>;

/**
 * Responds to GET and HEAD with a stored file; supports conditional requests, one byte range and back-pressure.
 * @throws AppError `file_not_found`, `precondition_failed`, `range_not_satisfiable`, DamagedFileError; no header is set then
 */
export async function sendFile(ctx: Context, offered: FileToSend, store: Store): Promise<void> {
  const etag = `"${offered.etag}"`;
  let stream: Readable | null = null;
  let streaming = false;
  try {
    requireMatch(ctx, etag);
    ctx.set('ETag', etag);
    ctx.status = 200;
    const isFresh = isUnchanged(ctx, etag);
    const range = isFresh ? undefined : requestedRange(ctx, offered);
    const { first, last } = range ?? { first: 0, last: offered.size - 1 };
    stream = await openStored(offered, { range, store, needsBytes: ctx.method === 'GET' && !isFresh });
    if (isFresh) {
      ctx.set(headersOf(offered));
      ctx.status = 304;
      return;
    }
    ctx.set({
      ...headersOf(offered),
      'Accept-Ranges': 'bytes',
      'Content-Disposition': dispositionOf(offered),
      'Content-Type': offered.mimeType,
      'Content-Length': String(last - first + 1),
    });
    if (range) {
      ctx.status = 206;
      ctx.set('Content-Range', `bytes ${first}-${last}/${offered.size}`);
    }
    if (ctx.method === 'HEAD') return;
    ctx.body = stream ? endWithClient(ctx, stream) : Buffer.alloc(0);
    streaming = stream !== null;
  } catch (error) {
    ctx.remove('ETag');
    throw error;
  } finally {
    if (!streaming) stream?.destroy();
  }
}

/** Responds with a preview of an image. It never changes, so its name is a strong validator. */
export async function sendPreview(
  ctx: Context,
  imageId: string,
  { key, size, width, stream }: { key: string; size: number; width: number; stream?: Readable | undefined },
  store: Store,
): Promise<void> {
  const etag = `${imageId}-${width}`;
  const file = { key, size, filename: `${etag}.webp`, mimeType: 'image/webp', etag, inline: true };
  await sendOpened(ctx, file, stream, store);
}

/** Sends a file whose bytes may be open already, and ends them if the request does not want the whole. */
export async function sendOpened(ctx: Context, file: FileToSend, stream: Readable | undefined, store: Store) {
  if (!stream) return sendFile(ctx, file, store);
  try {
    await sendFile(ctx, file, openedOnce(store, { stream, size: file.size }));
  } finally {
    if (ctx.body !== stream) stream.destroy();
  }
}

/** Returns the store of one file that is open already, for a request that wants the whole of it. */
function openedOnce(store: Store, opened: { stream: Readable; size: number }): Store {
  return {
    ...store,
    open: async (key, span) => (span ? store.open(key, span) : opened),
    head: async () => ({ size: opened.size }),
  };
}

/** Returns a signal that aborts when the client has left. */
export function departureOf(ctx: Context): AbortSignal {
  const departed = new AbortController();
  ctx.res.once('close', () => departed.abort(new Error('the client has left')));
  return departed.signal;
}

/** Ends a stream when the client disconnects. */
function endWithClient(ctx: Context, stream: Readable): Readable {
  // Koa listens to the response, which emits no 'close' while it is queued behind another one on its connection.
  const { socket } = ctx.req;
  const leave = () => stream.destroy();
  socket.once('close', leave);
  stream.once('close', () => socket.off('close', leave));
  // The head is sent: only a broken connection tells that the bytes are not whole.
  stream.once('error', () => ctx.res.destroy());
  if (socket.destroyed) leave();
  return stream;
}

const PROTECTION = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Returns what every answer with a file or about it carries. */
function headersOf({ lastsSeconds }: FileToSend): Record<string, string> {
  const caching = lastsSeconds === undefined ? 'private, no-cache' : `private, max-age=${lastsSeconds}, immutable`;
  return { ...PROTECTION, 'Cache-Control': caching };
}

/** Opens the file before the response starts, so that a missing one can still respond 404. Null: no bytes are needed. */
async function openStored(
  { key, size, filename, sha256, onDamaged }: FileToSend,
  { range, store, needsBytes }: { range: ByteRange | undefined; store: Store; needsBytes: boolean },
): Promise<Readable | null> {
  const state = needsBytes && sha256 !== undefined ? await store.check(key, { size, sha256 }) : 'intact';
  if (state === 'damaged') throw new DamagedFileError(key);
  const opened = needsBytes && size > 0 ? await store.open(key, range) : null;
  const found = opened ?? (await store.head(key));
  if (!found) throw new AppError('file_not_found', `The file "${filename}" does not exist any more`);
  if (found.size === size) {
    const isUnread = state === 'unknown' && !range && sha256 !== undefined;
    if (!opened || !isUnread) return opened?.stream ?? null;
    const checked = checkedStream(opened.stream, { key, sha256 });
    return checked.once('error', (error) => error instanceof DamagedFileError && onDamaged?.(key));
  }
  opened?.stream.destroy();
  throw new Error(`Expected ${size} bytes in ${key}, but found ${found.size}`);
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
export function dispositionOf({ filename, inline = false }: Pick<FileToSend, 'filename' | 'inline'>): string {
  // A lone surrogate cannot be encoded.
  const name = filename.replace(/\p{Surrogate}/gu, '\u{fffd}');
  const ascii = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^\x20-\x7e]/g, '_');
  return contentDisposition(name, { fallback: ascii, type: inline ? 'inline' : 'attachment' });
}

/** A part of a file; both ends are included, as in RFC 9110, 14.1.2. */
interface ByteRange {
  first: number;
  last: number;
}

/**
 * Reads a `Range` header against a file of `size` bytes (RFC 9110, 14.2).
 * @returns the range; `none` to ignore the header (absent, malformed, another unit, several ranges); `unsatisfiable`
 */
export function parseByteRange(header: string, size: number): ByteRange | 'none' | 'unsatisfiable' {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header);
  const [, from = '', to = ''] = match ?? [];
  if (from === '' && to === '') return 'none';
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < first) return 'none';
  return first >= size ? 'unsatisfiable' : { first, last };
}

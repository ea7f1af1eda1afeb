import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { S3mini } from 's3mini';
import { backOff, withRetries } from '../concurrency.ts';
import { StoreAwayError } from '../errors.ts';
import { createLocalCopies } from './local-copies.ts';
import type { ByteSpan, ObjectStore, Scratch, StoredFile } from './object-store.ts';
import { createVerifier, type FileState } from './verify-files.ts';

/** A prefix in a bucket of an S3-compatible service. */
export interface S3Location {
  /** Base URL of the service. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Without slashes at its ends; may be empty. */
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
}

interface S3StoreDeps {
  s3: S3Location;
  scratch: Scratch;
  /** Most bytes of local copies that are not in use. */
  copiesBytes: number;
}

/** Validity of a URL at which clients fetch a file, in seconds. */
const URL_SECONDS = 300;
const LIST_AT_ONCE = 1000;
const REMOVE_AT_ONCE = 500;

/** Creates the store in an S3-compatible service. Repeats failed requests for a short time. */
export function createS3Store({ s3, scratch, copiesBytes }: S3StoreDeps): ObjectStore {
  const client = new S3mini({ ...s3, endpoint: `${s3.endpoint.replace(/\/$/, '')}/${s3.bucket}`, fetch: timedFetch });
  const verifier = createVerifier();
  const prefix = s3.prefix === '' ? '' : `${s3.prefix}/`;
  const copies = createLocalCopies({
    scratch,
    mostBytes: copiesBytes,
    fetchTo: (key, file) => patiently(() => fetchTo(client, prefix + key, file)),
  });
  const sizeOf = (key: string) => patiently(() => client.getContentLength(prefix + key)).catch(nullWhenMissing);
  const list = (folder: string) => listFiles(client, prefix, folder);
  const removeMany = (keys: string[]) =>
    remove(
      client,
      keys.map((key) => prefix + key),
    );

  return {
    place: `s3://${s3.bucket}/${s3.prefix}`,

    async prepare() {
      if (await patiently(() => client.bucketExists())) return;
      throw new Error(`FILES_URL: the bucket ${s3.bucket} does not exist, or these credentials may not see it`);
    },

    async putFile(key, file, { size, contentType, sha256, isSource = false }) {
      const checksum = sha256 && { 'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64') };
      await patiently(async () => {
        const body = Readable.toWeb(createReadStream(file)) as globalThis.ReadableStream;
        const response = await client.putObject(prefix + key, body, contentType, undefined, { ...checksum }, size);
        await response.body?.cancel();
      });
      if (isSource) await copies.adopt(key, file, size);
      else await rm(file, { force: true });
    },

    open: (key, span) => openObject(client, prefix + key, span),

    withLocalFile: (key, use, told) => copies.use(key, verifier.before(key, use, told)),

    check: async (key, { size }) => stateOf(await sizeOf(key), size),

    async head(key) {
      const size = await sizeOf(key);
      return size === null ? null : { size };
    },

    removeMany,

    async removeBelow(folder) {
      const keys: string[] = [];
      for await (const { key } of list(folder)) {
        keys.push(key);
        if (keys.length >= REMOVE_AT_ONCE) await removeMany(keys.splice(0));
      }
      await removeMany(keys);
    },

    list,

    listFolders: (folder) => listFolders(client, prefix, folder),

    urlOf: (key, { disposition, mimeType }) =>
      client.getPresignedUrl('GET', prefix + key, URL_SECONDS, {
        'response-content-disposition': disposition,
        'response-content-type': mimeType,
      }),
  };
}

/** Compares sizes alone: the store got a checksum with the file, and compares it itself. */
function stateOf(found: number | null, size: number): FileState {
  if (found === null) return 'missing';
  return found === size ? 'unknown' : 'damaged';
}

async function openObject(client: S3mini, key: string, span?: ByteSpan) {
  const response = await patiently(() =>
    span ? client.getObjectRaw(key, false, span.first, span.last + 1) : client.getObjectRaw(key),
  ).catch(nullWhenMissing);
  if (!response) return null;
  if (span && response.status !== 206) {
    await response.body?.cancel();
    throw new Error(`expected a part of ${key}, but the store sent the whole`);
  }
  const totalSize = response.headers.get('content-range')?.split('/')[1] ?? response.headers.get('content-length');
  const stream = response.body ? Readable.fromWeb(response.body as ReadableStream) : Readable.from([]);
  return { stream, size: Number(totalSize ?? 0) };
}

/** @throws Error with code ENOENT if the file does not exist, as a local file has it */
async function fetchTo(client: S3mini, key: string, file: string): Promise<number> {
  const opened = await openObject(client, key);
  if (!opened) throw Object.assign(new Error(`${key} does not exist`), { code: 'ENOENT' });
  try {
    await pipeline(opened.stream, createWriteStream(file));
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
  return opened.size;
}

async function remove(client: S3mini, keys: string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += REMOVE_AT_ONCE) {
    const some = keys.slice(at, at + REMOVE_AT_ONCE);
    await patiently(() => client.deleteObjects(some));
  }
}

async function* listFiles(client: S3mini, prefix: string, folder: string): AsyncGenerator<StoredFile> {
  for await (const { Key, Size, LastModified } of pages(client, `${prefix}${folder}/`))
    yield { key: Key.slice(prefix.length), size: Number(Size), modifiedAt: new Date(LastModified) };
}

async function listFolders(client: S3mini, prefix: string, folder: string): Promise<string[]> {
  const below = `${prefix}${folder}/`;
  const names: string[] = [];
  for await (const { Key } of pages(client, below, { delimiter: '/' }))
    if (Key.endsWith('/')) names.push(Key.slice(below.length, -1));
  return names;
}

async function* pages(client: S3mini, below: string, options: Record<string, string> = {}) {
  let token: string | undefined;
  do {
    const page = await patiently(() => client.listObjectsPaged('/', below, LIST_AT_ONCE, token, options));
    yield* page?.objects ?? [];
    token = page?.nextContinuationToken;
  } while (token);
}

function nullWhenMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

/** Jobs that meet an outage longer than these wait for its end themselves. */
const TRIES = 4;
const WAITS = { firstMs: 100, factor: 3 };
/** Time until the response begins, in milliseconds, beside that of the body. */
const RESPONSE_MS = 15_000;
/** Slowest upload that is waited for, in bytes per millisecond. */
const SLOWEST_BYTES_PER_MS = 100;

/** The fields of an error of the S3 client or of `fetch`. */
interface Failure {
  status?: number;
  cause?: unknown;
  message?: string;
}

/** Sends a request with a time limit until the response begins; a streamed body needs `duplex`. */
const timedFetch: typeof fetch = async (input, init = {}) => {
  const length = Number((init.headers as Record<string, string> | undefined)?.['content-length'] ?? 0);
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new StoreAwayError('the store did not respond in time')),
    RESPONSE_MS + length / SLOWEST_BYTES_PER_MS,
  );
  try {
    return await fetch(input, { ...init, signal: limit.signal, duplex: 'half' } as RequestInit);
  } finally {
    clearTimeout(timer);
  }
};

/** Repeats a request that may be repeated. @throws StoreAwayError if the store does not respond; other refusals as they are */
async function patiently<T>(request: () => Promise<T>): Promise<T> {
  return await withRetries(request, (error, failures) => {
    if (!isTransient(error)) return undefined;
    if (failures < TRIES) return backOff(failures, WAITS);
    throw new StoreAwayError('the store of files does not respond', { cause: error });
  });
}

/** Returns true for the refusal of a file that does not exist. */
function isMissing(error: unknown): boolean {
  return statusOf(error) === 404;
}

/** A refusal has a status; without one the request failed on its way. */
function isTransient(error: unknown): boolean {
  const status = statusOf(error);
  if (status !== undefined) return status >= 500 || status === 429 || status === 408;
  // A disk that is full, or a source that is missing, is a failure of this server.
  return !hasErrno(error);
}

function statusOf(error: unknown): number | undefined {
  for (let at = error as Failure | undefined; at; at = at.cause as Failure | undefined)
    if (typeof at.status === 'number') return at.status;
  return undefined;
}

const OWN_ERRNO = new Set(['ENOENT', 'ENOSPC', 'EDQUOT', 'EACCES', 'EIO', 'EMFILE', 'EROFS']);

function hasErrno(error: unknown): boolean {
  for (let at = error as { code?: string; cause?: unknown } | undefined; at; at = at.cause as typeof at)
    if (OWN_ERRNO.has(at.code ?? '')) return true;
  return false;
}

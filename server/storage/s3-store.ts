import { createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { RefusedRemovalError, StoreAwayError } from '../errors.ts';
import type { S3Location } from './config.ts';
import { createLocalCopies } from './local-copies.ts';
import type { ByteSpan, ObjectStore, Scratch, StoredFile } from './object-store.ts';
import { createS3Client, createSender, MissingFileError, type Send } from './s3-client.ts';
import type { S3Credentials } from './s3-credentials.ts';
import { createTroubleLog, type StoreLogger } from './trouble-log.ts';
import { createVerifier, type FileState } from './verify-files.ts';

interface S3StoreDeps {
  s3: S3Location;
  credentials: S3Credentials;
  /** Headers of each file. */
  stored: Pick<PutObjectCommandInput, 'StorageClass' | 'ServerSideEncryption' | 'SSEKMSKeyId'>;
  scratch: Scratch;
  /** Most bytes of local copies that are not in use. */
  copiesBytes: number;
  logger: StoreLogger;
}

/** What the parts of the store work with. */
interface Context extends Pick<S3StoreDeps, 'stored'> {
  client: S3Client;
  send: Send;
  Bucket: string;
  /** With its slash; may be empty. */
  prefix: string;
  seen: { keepsVersions: boolean };
}

/** Validity of a URL at which clients fetch a file, in seconds. */
const URL_SECONDS = 300;
const LIST_AT_ONCE = 1000;
const REMOVE_AT_ONCE = 500;

/** Creates the store in an S3-compatible service. Repeats failed requests for a short time. */
export function createS3Store({ s3, credentials, stored, scratch, copiesBytes, logger }: S3StoreDeps): ObjectStore {
  const place = `s3://${s3.bucket}/${s3.prefix}${s3.endpoint === undefined ? '' : ` at ${s3.endpoint}`}`;
  const context: Context = {
    client: createS3Client(s3, credentials),
    send: createSender({ place, log: createTroubleLog(place, logger) }),
    stored,
    Bucket: s3.bucket,
    prefix: s3.prefix === '' ? '' : `${s3.prefix}/`,
    seen: { keepsVersions: false },
  };
  const verifier = createVerifier();
  const fetched = (key: string, file: string) => fetchTo(context, key, file);
  const copies = createLocalCopies({ scratch, mostBytes: copiesBytes, fetchTo: fetched });
  return {
    place,

    // A bucket is created by its owner.
    async prepare() {},

    async putFile(key, file, facts) {
      await put(context, key, file, facts);
      if (facts.isSource) await copies.adopt(key, file, facts.size);
      else await rm(file, { force: true });
    },

    open: (key, span) => openObject(context, key, span),

    withLocalFile: (key, use, told) => copies.use(key, verifier.before(key, use, told)),

    check: async (key, { size }) => stateOf(await sizeOf(context, key), size),

    async head(key) {
      const size = await sizeOf(context, key);
      return size === null ? null : { size };
    },

    removeMany: (keys) => remove(context, keys),

    removeBelow: (folder) => remove(context, keysOf(listFiles(context, folder))),

    list: (folder) => listFiles(context, folder),

    listFolders: (folder) => listFolders(context, folder),

    urlOf: (key, how) => signUrl(context, key, how),

    facts: () => ({ ...context.seen, clockOffsetMs: context.client.config.systemClockOffset }),
  };
}

async function put(
  { client, send, stored, Bucket, prefix, seen }: Context,
  key: string,
  file: string,
  { size, contentType, sha256 }: Parameters<ObjectStore['putFile']>[2],
): Promise<void> {
  const facts = {
    ...stored,
    Bucket,
    Key: prefix + key,
    ContentType: contentType,
    ContentLength: size,
    ...(sha256 === undefined ? {} : { ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64') }),
  };
  await send({ action: 'store', bytes: size }, async ({ abortSignal }) => {
    // Opened before it is sent: the client does not hear of a stream that cannot begin.
    const handle = await open(file);
    const failed = new AbortController();
    const body = handle.createReadStream().on('error', (error) => failed.abort(error));
    try {
      const signals = AbortSignal.any([abortSignal, failed.signal]);
      const answer = await client.send(new PutObjectCommand({ ...facts, Body: body }), { abortSignal: signals });
      seen.keepsVersions ||= (answer.VersionId ?? 'null') !== 'null';
    } catch (error) {
      throw failed.signal.aborted ? failed.signal.reason : error;
    } finally {
      body.destroy();
    }
  });
}

/** Compares sizes alone: the store got a checksum with the file, and compares it itself. */
function stateOf(found: number | null, size: number): FileState {
  if (found === null) return 'missing';
  return found === size ? 'unknown' : 'damaged';
}

async function sizeOf({ client, send, Bucket, prefix }: Context, key: string): Promise<number | null> {
  const command = () => new HeadObjectCommand({ Bucket, Key: prefix + key });
  const found = await send({ action: 'read' }, (options) => client.send(command(), options)).catch(nullWhenMissing);
  return found && (found.ContentLength ?? 0);
}

async function openObject({ client, send, Bucket, prefix }: Context, key: string, span?: ByteSpan) {
  const Range = span && `bytes=${span.first}-${span.last}`;
  const command = () => new GetObjectCommand({ Bucket, Key: prefix + key, Range });
  const found = await send({ action: 'read' }, (options) => client.send(command(), options)).catch(nullWhenMissing);
  if (!found) return null;
  const stream = found.Body as unknown as Readable;
  if (span && found.ContentRange === undefined) {
    stream.destroy();
    throw new Error(`expected a part of ${key}, but the store sent the whole`);
  }
  return { stream, size: Number(found.ContentRange?.split('/')[1] ?? found.ContentLength ?? 0) };
}

/** @throws Error with code ENOENT if the file does not exist, as a local file has it */
async function fetchTo(context: Context, key: string, file: string): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const opened = await openObject(context, key);
    if (!opened) throw Object.assign(new Error(`${key} does not exist`), { code: 'ENOENT' });
    try {
      await pipeline(opened.stream, createWriteStream(file));
      return opened.size;
    } catch (error) {
      await rm(file, { force: true });
      if (!isCut(error as NodeJS.ErrnoException)) throw error;
      if (tries >= FETCHES) throw new StoreAwayError('the store of files broke off an answer', { cause: error });
    }
  }
}

/** Times that a file is fetched while answers break off. */
const FETCHES = 3;

function isCut({ code = '', syscall = '' }: NodeJS.ErrnoException): boolean {
  return syscall === '' || (/^(read|write)$/.test(syscall) && /^E(CONN|PIPE)/.test(code));
}

/** Removes files; those that the store refuses do not keep the others. @throws RefusedRemovalError that names them */
async function remove(context: Context, keys: AsyncIterable<string> | string[]): Promise<true> {
  const refused: string[] = [];
  let cause: StoreAwayError | undefined;
  let some: string[] = [];
  const removeThese = async () => {
    const left = some;
    some = [];
    if (left.length === 0) return;
    await removeSome(context, left).catch((error: unknown) => {
      if (!(error instanceof StoreAwayError)) throw error;
      cause = error;
      refused.push(...left);
    });
  };
  for await (const key of keys) if (some.push(key) >= REMOVE_AT_ONCE) await removeThese();
  await removeThese();
  if (cause) throw new RefusedRemovalError(refused, cause);
  return true;
}

/** Removes files at once; what is left in `keys` was refused. The answer of the store is a success also then. */
async function removeSome({ client, send, Bucket, prefix }: Context, keys: string[]): Promise<void> {
  await send({ action: 'delete' }, async (options) => {
    const Delete = { Quiet: true, Objects: keys.map((key) => ({ Key: prefix + key })) };
    const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete }), options);
    const refused = Errors.filter(({ Code }) => Code !== 'NoSuchKey');
    keys.splice(0, keys.length, ...refused.map(({ Key = '' }) => Key.slice(prefix.length)));
    // Those that another try may remove come last, so that they do not hide a refusal.
    const [first] = refused.sort((a, b) => Number(isBusy(a.Code)) - Number(isBusy(b.Code)));
    if (first) throw asRefusal(first.Code);
  });
}

const isBusy = (code = '') => ['InternalError', 'SlowDown', 'ServiceUnavailable'].includes(code);

/** Returns the error that the client throws when the whole request is refused so. */
function asRefusal(code = 'Unknown'): Error {
  const httpStatusCode = isBusy(code) ? 503 : code === 'AccessDenied' ? 403 : 400;
  return Object.assign(new Error('a file was not deleted'), { name: code, $metadata: { httpStatusCode } });
}

async function* keysOf(files: AsyncIterable<StoredFile>): AsyncGenerator<string> {
  for await (const { key } of files) yield key;
}

async function* listFiles(context: Context, folder: string): AsyncGenerator<StoredFile> {
  for await (const { Contents = [] } of pages(context, folder))
    for (const { Key = '', Size = 0, LastModified = new Date(0) } of Contents)
      yield { key: Key.slice(context.prefix.length), size: Size, modifiedAt: LastModified };
}

async function listFolders(context: Context, folder: string): Promise<string[]> {
  const below = `${context.prefix}${folder}/`;
  const names: string[] = [];
  for await (const { CommonPrefixes = [] } of pages(context, folder, '/'))
    for (const { Prefix = '' } of CommonPrefixes) names.push(Prefix.slice(below.length, -1));
  return names;
}

async function* pages({ client, send, Bucket, prefix }: Context, folder: string, Delimiter?: string) {
  const wanted = { Bucket, Prefix: `${prefix}${folder}/`, MaxKeys: LIST_AT_ONCE, Delimiter };
  let token: string | undefined;
  do {
    const command = () => new ListObjectsV2Command({ ...wanted, ContinuationToken: token });
    const page = await send({ action: 'list' }, (options) => client.send(command(), options));
    yield page;
    token = page.NextContinuationToken;
  } while (token);
}

async function signUrl(
  { client, Bucket, prefix }: Context,
  key: string,
  { disposition, mimeType }: { disposition: string; mimeType: string },
): Promise<{ address: string; expiresAt: Date }> {
  const shown = { ResponseContentDisposition: disposition, ResponseContentType: mimeType };
  // By the clock of the store, as the client has met it.
  const signingDate = new Date(Date.now() + client.config.systemClockOffset);
  const command = new GetObjectCommand({ Bucket, Key: prefix + key, ...shown });
  const expiresAt = new Date(Date.now() + URL_SECONDS * 1000);
  return { address: await getSignedUrl(client, command, { expiresIn: URL_SECONDS, signingDate }), expiresAt };
}

function nullWhenMissing(error: unknown): null {
  if (error instanceof MissingFileError) return null;
  throw error;
}

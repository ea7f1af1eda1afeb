import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { type UploadMetadata, type UrlImport, uploadFieldsSchema, urlImportSchema } from '#contract';
import { AppError } from '../../errors.ts';
import { cleanOriginalFilename, filenameOfUrl, type Upload, type UploadedFile } from '../../sessions/index.ts';
import { inviteBody, slowBodySignal } from '../client-limits.ts';
import type { Services } from '../handlers.ts';
import { createJsonBody, validate } from '../read-request.ts';
import type { ArrivingUpload } from './arriving-bytes.ts';
import { keepYoung } from './keep-young.ts';
import { receiveMultipart } from './multipart.ts';

/** An upload on disk, in temporary files. */
export interface IncomingUpload {
  upload: Upload;
  /** Hash of the request's content, for `Idempotency-Key`. */
  fingerprint: string;
  /** Removes the temporary files that still exist. */
  discard(): Promise<void>;
}

const MEGABYTE = 1_000_000;

/** Reads the body of an upload: multipart files, or JSON with URLs to import. */
export async function receiveUpload(ctx: Context, services: Services): Promise<IncomingUpload> {
  const { account } = ctx.state as { account: { id: string } };
  const leave = services.openUploads.enter([
    { key: account.id, most: services.config.UPLOADS_PER_ACCOUNT, what: 'uploads of one account' },
  ]);
  let arriving: ArrivingUpload | undefined;
  const end = () => {
    arriving?.end();
    leave();
  };
  try {
    arriving = services.arrivingBytes.begin(account.id, await services.accounts.limits.storageOf(account.id));
    const { discard, ...received } = await receiveBody(ctx, services, arriving);
    return { ...received, discard: () => discard().finally(end) };
  } catch (error) {
    end();
    throw error;
  }
}

async function receiveBody(ctx: Context, services: Services, arriving: ArrivingUpload): Promise<IncomingUpload> {
  if (ctx.request.is('multipart/form-data')) return receiveFiles(ctx, services, arriving);
  if (ctx.request.is('application/json')) return importUrls(ctx, services, arriving);
  if (ctx.request.is() === null) throw new AppError('no_images', 'Expected image files, but the request has no body');
  throw new AppError(
    'unsupported_media_type',
    `Content-Type: expected multipart/form-data with the field "images", but received ${ctx.request.type || 'none'}`,
  );
}

async function receiveFiles(ctx: Context, services: Services, arriving: ArrivingUpload): Promise<IncomingUpload> {
  const { config, newTemporaryFile } = services;
  await refuseWhenDiskIsFull(ctx, services);
  const received = await receiveMultipart(ctx.req, {
    newTemporaryFile,
    invite: () => inviteBody(ctx.req, ctx.res),
    onBytes: arriving.add,
    signal: slowBodySignal(ctx.req),
    limits: {
      maxFileBytes: config.MAX_FILE_MB * MEGABYTE,
      maxFiles: config.MAX_FILES_PER_REQUEST,
      maxRequestBytes: config.MAX_REQUEST_MB * MEGABYTE,
      maxFields: 20,
      maxFieldBytes: 100_000,
    },
  });
  try {
    const metadata = readMetadata(received.fields);
    services.metrics.bytesReceived(received.files.reduce((sum, file) => sum + ('size' in file ? file.size : 0), 0));
    const { fingerprint } = received;
    return { upload: { files: received.files, metadata }, fingerprint, discard: () => received.discard() };
  } catch (error) {
    await received.discard();
    throw error;
  }
}

/** Requires free disk space of twice the request's size, since variants follow the upload. @throws insufficient_storage */
async function refuseWhenDiskIsFull(ctx: Context, { config, freeBytes }: Services): Promise<void> {
  const most = config.MAX_REQUEST_MB * MEGABYTE;
  // A chunked body may be as long as any.
  const expected = ctx.request.length ?? (ctx.get('Transfer-Encoding') === '' ? 0 : most);
  // Refused later with `request_too_large`.
  if (expected > most) return;
  if (expected > 0 && (await freeBytes()) < expected * 2) {
    throw diskIsFull();
  }
}

function diskIsFull(): AppError {
  return new AppError('insufficient_storage', 'The server has no disk space left for this upload');
}

/** @throws invalid_request, also if there are other fields */
function readMetadata({ metadata: text = '', ...others }: Record<string, string>): UploadMetadata | undefined {
  validate(uploadFieldsSchema, others, 'body');
  if (text === '') return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new AppError('invalid_request', 'metadata: expected a JSON array in file order', {
      details: { errors: { metadata: ['expected a JSON array in file order'] } },
    });
  }
  return validate(uploadFieldsSchema, { metadata: parsed }, 'body').metadata;
}

async function importUrls(ctx: Context, services: Services, arriving: ArrivingUpload): Promise<IncomingUpload> {
  const readJson = createJsonBody({ limitKb: services.config.JSON_LIMIT_KB });
  const body = validate(urlImportSchema, await readJson(ctx), 'body');
  const { urlImporter, newTemporaryFile } = services;
  if (!urlImporter) {
    throw new AppError(
      'url_import_disabled',
      'Import by URL is off on this server; send the files as multipart/form-data',
    );
  }
  const left = new AbortController();
  ctx.res.once('close', () => left.abort());
  const files: UploadedFile[] = [];
  const temporary: string[] = [];
  const stopKeeping = keepYoung(temporary);
  try {
    let received = 0;
    for (const image of body.images) {
      const target = newTemporaryFile();
      temporary.push(target);
      const file = await importOne(image, target, urlImporter, left.signal);
      files.push(file);
      const size = 'size' in file ? file.size : 0;
      received += size;
      arriving.add(size);
      await refuseTooMuch(received, services);
    }
  } catch (error) {
    await services.removeTemporaryFiles(temporary);
    // The client has disconnected; the error must not be logged as a failure of the server.
    if (left.signal.aborted)
      throw new AppError('url_import_failed', 'The client disconnected before the end', { cause: error });
    throw error;
  } finally {
    stopKeeping();
  }
  const metadata: UploadMetadata = body.images.map(({ clientRef, position }) => ({ clientRef, position }));
  const fingerprint = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  return { upload: { files, metadata }, fingerprint, discard: () => services.removeTemporaryFiles(temporary) };
}

/** Applies the limits of a multipart body to an import, as soon as the bytes have been received. */
async function refuseTooMuch(received: number, { config, freeBytes }: Services): Promise<void> {
  const limit = config.MAX_REQUEST_MB * MEGABYTE;
  if (received > limit) {
    const message = `Expected files of at most ${limit} bytes in one request`;
    throw new AppError('request_too_large', message, { details: { limit } });
  }
  // The files are on the disk already; their size must be free once more for the variants.
  if (received > 0 && (await freeBytes()) < received) throw diskIsFull();
}

async function importOne(
  { url, filename }: UrlImport['images'][number],
  file: string,
  importer: NonNullable<Services['urlImporter']>,
  signal: AbortSignal,
): Promise<UploadedFile> {
  const originalFilename = filename ? cleanOriginalFilename(filename) : filenameOfUrl(url);
  try {
    const { size, sha256 } = await importer.fetchToFile({ url, target: file, signal });
    return { originalFilename, size, sha256, file };
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return { originalFilename, refused: error };
    throw error;
  }
}

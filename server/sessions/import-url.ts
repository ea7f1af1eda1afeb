import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';
import { type Guard, refusalOfUrl, requestGuarded } from './guarded-request.ts';
import { cleanOriginalFilename } from './original-filename.ts';

/** Bounds of one import. */
export interface ImportLimits {
  maxFileBytes: number;
  /** For the whole import: names, redirects and body. @default 10000 */
  timeoutMs?: number;
  /** @default 3 */
  maxRedirects?: number;
}

/** What an import brought. */
export interface ImportedFile {
  /** From the URL's path. */
  originalFilename: string;
  /** Bytes. */
  size: number;
  /** Of the content, in hex. */
  sha256: string;
}

/** Fetches images by URL from the public internet, and from nowhere else. */
export interface UrlImporter {
  /**
   * Fetches `url` into the new file `target`, synced. On failure the file is gone again.
   * @throws AppError `url_import_failed`, `file_too_large`; or the disk's errno error; or the signal's reason
   */
  fetchToFile(job: { url: string; target: string; signal?: AbortSignal }): Promise<ImportedFile>;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const ACCEPTED_TYPES = /^(image\/|(application|binary)\/octet-stream)/i;
const HEADERS = { accept: 'image/*', 'accept-encoding': 'identity', 'user-agent': 'Imagewright' };

const REFUSALS = {
  scheme: 'expected an http or https URL',
  userinfo: 'expected a URL without user name and password',
  port: 'expected port 80 or 443',
  // The same words for a name that does not resolve: the answer must not tell what exists in our network.
  address: 'its host cannot be reached or is not allowed',
};

/** Makes an importer; `limits` hold for each import, the guard's options are for tests. */
export function createUrlImporter({ limits, ...guard }: Guard & { limits: ImportLimits }): UrlImporter {
  const { maxFileBytes, timeoutMs = 10_000, maxRedirects = 3 } = limits;
  return {
    async fetchToFile({ url, target, signal }) {
      const timeout = AbortSignal.timeout(timeoutMs);
      const stop = signal ? AbortSignal.any([signal, timeout]) : timeout;
      let response: IncomingMessage | undefined;
      try {
        signal?.throwIfAborted();
        response = await follow(parse(url), { guard, maxRedirects, stop });
        checkHead(response, maxFileBytes);
        const stored = await store(response, target, maxFileBytes);
        return { originalFilename: filenameOfUrl(url), ...stored };
      } catch (error) {
        signal?.throwIfAborted();
        if (timeout.aborted) throw failed(`it was not complete within ${timeoutMs / 1000} seconds`, error);
        throw error;
      } finally {
        response?.destroy();
      }
    },
  };
}

interface Trip {
  guard: Guard;
  maxRedirects: number;
  stop: AbortSignal;
}

async function follow(start: URL, { guard, maxRedirects, stop }: Trip): Promise<IncomingMessage> {
  let url = start;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const refusal = refusalOfUrl(url, guard);
    if (refusal) throw failed(REFUSALS[refusal]);
    let response: IncomingMessage;
    try {
      response = await requestGuarded(url, { guard, headers: HEADERS, signal: stop });
    } catch (cause) {
      throw failed(REFUSALS.address, cause);
    }
    if (!REDIRECTS.has(response.statusCode ?? 0)) return response;
    response.destroy();
    url = parse(response.headers.location ?? '', url);
  }
  throw failed(`it redirects more than ${maxRedirects} times`);
}

function checkHead({ statusCode, headers }: IncomingMessage, maxFileBytes: number): void {
  if (statusCode !== 200) throw failed(`expected status 200, but the server answered ${statusCode}`);
  if (!ACCEPTED_TYPES.test(headers['content-type'] ?? '')) throw failed('expected the Content-Type of an image');
  // Nothing is decompressed here, so what is counted is what arrives.
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw failed('expected a body without encoding');
  if (Number(headers['content-length'] ?? 0) > maxFileBytes) throw tooLarge(maxFileBytes);
}

async function store(body: AsyncIterable<Buffer>, target: string, maxFileBytes: number) {
  const hash = createHash('sha256');
  let size = 0;
  const handle = await open(target, 'wx');
  try {
    for await (const chunk of readable(body)) {
      size += chunk.length;
      if (size > maxFileBytes) throw tooLarge(maxFileBytes);
      hash.update(chunk);
      await handle.writeFile(chunk);
    }
    if (size === 0) throw failed('the answer is empty');
    await handle.datasync();
  } catch (error) {
    await discard(handle, target);
    throw error;
  }
  await handle.close();
  return { size, sha256: hash.digest('hex') };
}

/** Tells a connection that broke from a disk that failed: only the first is the URL's fault. */
async function* readable(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (cause) {
    throw failed('the connection broke off', cause);
  }
}

async function discard(handle: FileHandle, target: string): Promise<void> {
  await handle.close();
  await rm(target, { force: true });
}

function parse(url: string, base?: URL): URL {
  if (!URL.canParse(url, base?.href)) throw failed('expected an absolute http or https URL');
  return new URL(url, base?.href);
}

/** The file name in a URL's path, fit to be shown and stored; `image` when there is none. */
export function filenameOfUrl(url: string): string {
  const segment = URL.canParse(url) ? (new URL(url).pathname.split('/').at(-1) ?? '') : '';
  try {
    return cleanOriginalFilename(decodeURIComponent(segment));
  } catch {
    return cleanOriginalFilename(segment);
  }
}

function failed(why: string, cause?: unknown): AppError {
  return new AppError('url_import_failed', `The URL could not be imported: ${why}`, { cause });
}

function tooLarge(limit: number): AppError {
  const message = `The file behind the URL is too large: expected at most ${limit} bytes`;
  return new AppError('file_too_large', message, { details: { limit } });
}

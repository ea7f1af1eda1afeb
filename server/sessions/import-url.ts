import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';
import { type Guard, refusalOfUrl, requestGuarded } from './guarded-request.ts';

/** Limits of one import. */
export interface ImportLimits {
  maxFileBytes: number;
  /** Time limit of the whole import: lookup, redirects and body. @default 10000 */
  timeoutMs?: number;
  /** @default 3 */
  maxRedirects?: number;
}

/** A fetched file. */
export interface ImportedFile {
  /** From the URL's path. */
  originalFilename: string;
  /** Bytes. */
  size: number;
  /** Of the content, in hex. */
  sha256: string;
}

/** Fetches images by URL, from the public internet only. */
export interface UrlImporter {
  /**
   * Fetches `url` into the new file `target` and syncs it. Removes the file on failure.
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
  // The same text for a name that does not resolve: the response must not reveal the internal network.
  address: 'its host cannot be reached or is not allowed',
};

/** Creates an importer. `limits` apply to each import; the guard's options are for tests. */
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
  if (statusCode !== 200) throw failed(`expected status 200, but the server responded with ${statusCode}`);
  if (!ACCEPTED_TYPES.test(headers['content-type'] ?? '')) throw failed('expected the Content-Type of an image');
  // The body is not decompressed, so the size limit counts the received bytes.
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
    if (size === 0) throw failed('the response is empty');
    await handle.datasync();
  } catch (error) {
    await discard(handle, target);
    throw error;
  }
  await handle.close();
  return { size, sha256: hash.digest('hex') };
}

/** Reads the body. Distinguishes a broken connection, which is a failed import, from a disk error. */
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

/** Extracts the file name from a URL's path, cleaned; `image` if there is none. */
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

const LONGEST = 255;
// C0, DEL, C1, and the bidi controls that make "gpj.exe" read as "exe.jpg" in a list.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Cleans a client's file name: basename only, no control characters, at most 255 characters.
 * @returns `image` if nothing is left
 */
export function cleanOriginalFilename(given: string | undefined): string {
  const basename = (given ?? '').replace(UNPRINTABLE, '').split(/[\\/]/).at(-1) ?? '';
  const name = [...basename.trim()].slice(0, LONGEST).join('').trim();
  return name === '' || name === '.' || name === '..' ? 'image' : name;
}

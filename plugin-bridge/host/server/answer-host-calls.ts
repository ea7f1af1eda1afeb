import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { CmsHost, HostQuery, Replacement, ReplacementVariant } from '../cms-host.ts';
import { HostError, type HostErrorCode, toHostError } from '../host-error.ts';
import type { SentReplacement } from '../remote-host.ts';
import { answer, refuse } from './answers.ts';
import { imageIdOf, MalformedCall, readBody, sentReplacementOf, uploadedOf } from './call-body.ts';

/** Status of an error, by its code. */
const STATUSES: Partial<Record<HostErrorCode, number>> = {
  ...{ not_found: 404, forbidden: 403, changed: 409, locked: 423, no_space: 507, unsupported: 415, damaged: 502 },
};

/** Downloads a file of a replacement from the service and verifies it. */
export type Download = (variant: SentReplacement['variants'][number]) => Promise<Blob>;

/**
 * Answers a call of `createRemoteHost` by the method of the host.
 * @param path below the address of the host, with its query: `?limit=50`, `/17/original`, `/17/replace`
 */
export async function answerHostCall(
  { host, download }: { host: CmsHost; download: Download },
  { req, res, path }: { req: IncomingMessage; res: ServerResponse; path: string },
): Promise<void> {
  const { pathname, searchParams } = new URL(`http://host${path}`);
  const [, id = '', name = ''] = /^\/([^/]+)\/([a-z-]+)$/.exec(pathname) ?? [];
  const call = `${req.method} ${pathname === '/' ? 'list' : name}`;
  const signal = signalOf(res);
  try {
    if (call === 'GET list') return answer(res, 200, await host.list(queryOf(searchParams)));
    const image = imageIdOf(id);
    if (call === 'GET original') return await sendOriginal(await host.fetch(image, { signal }), res);
    if (req.method !== 'POST' || !['check', 'replace', 'no-gain', 'restore'].includes(name)) {
      return refuse(res, 404, 'failed', 'There is no such call.');
    }
    const body = await readBody(req);
    if (name === 'check') return answer(res, 200, (await host.check?.(image, { ...uploadedOf(body), signal })) ?? null);
    if (name === 'restore') return answer(res, 200, await host.restore(image, { signal }));
    const replacement = replacementOf(sentReplacementOf(body), download);
    if (name === 'replace') return answer(res, 200, await host.replace(image, replacement, { signal }));
    await host.noGain?.(image, replacement, { signal });
    answer(res, 200, {});
  } catch (error) {
    if (error instanceof MalformedCall) return refuse(res, error.status, 'failed', error.message);
    const { code, message } = toHostError(error);
    // Messages of other errors can tell paths of the server.
    const text = error instanceof HostError ? message : 'The server could not do it; its log says why.';
    if (!(error instanceof HostError)) console.error(error);
    refuse(res, STATUSES[code] ?? 500, code, text);
  }
}

function queryOf(search: URLSearchParams): HostQuery {
  const { id: _, limit, status, ...texts } = Object.fromEntries(search);
  const ids = search.getAll('id').filter(Boolean);
  return {
    ...texts,
    ...(limit && { limit: Math.min(Math.max(Number.parseInt(limit, 10) || 1, 1), 1000) }),
    ...((status === 'original' || status === 'replaced' || status === 'unavailable') && { status }),
    ...(search.has('id') && { ids }),
  };
}

async function sendOriginal(blob: Blob, res: ServerResponse): Promise<void> {
  const headers = { 'Content-Type': blob.type || 'application/octet-stream', 'Content-Length': blob.size };
  res.writeHead(200, { ...headers, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' });
  await pipeline(Readable.fromWeb(blob.stream() as ReadableStream), res).catch(() => res.destroy());
}

function replacementOf(sent: SentReplacement, download: Download): Replacement {
  const variants = sent.variants.map((variant): ReplacementVariant => {
    let downloaded: Promise<Blob> | null = null;
    return {
      ...variant,
      blob: () => {
        downloaded ??= download(variant);
        return downloaded;
      },
    };
  });
  return { ...sent, variants };
}

/** Returns a signal that aborts when the browser closes the connection before its answer. */
function signalOf(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => res.writableFinished || controller.abort());
  return controller.signal;
}

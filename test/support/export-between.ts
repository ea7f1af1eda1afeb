import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { ImageResult, Session } from '#contract';
import type { ApiClient } from './api-client.ts';
import { serveLocally } from './serve-locally.ts';

/** A proxy before the service that exports the images of a session again before their first file is fetched. */
export interface ExportBetween {
  url: string;
  /** Results of the second export; empty until a file was asked for. */
  second: ImageResult[];
  /** Paths of files that were asked for. */
  fetched: string[];
  close(): Promise<unknown>;
}

const SKIPPED = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'content-encoding',
  'keep-alive',
]);

/** Starts it. @param settings of the second export, whose files have other bytes and the same names */
export async function startExportBetween(
  target: string,
  { api, settings }: { api: ApiClient; settings: object },
): Promise<ExportBetween> {
  const [second, fetched]: [ImageResult[], string[]] = [[], []];
  let meeting: Promise<void> | undefined;

  async function meet(sessionId: string): Promise<void> {
    const { images } = await api.readJson<Session>(`/v1/sessions/${sessionId}`);
    const { last } = await api.run('export', { sessionId, images } as never, settings);
    second.push(...((last.data.results ?? []) as ImageResult[]));
  }

  const server = createServer(async (req, res) => {
    const path = req.url ?? '';
    const [, sessionId] = /^\/v1\/sessions\/(sess_\w+)\/download\?/.exec(path) ?? [];
    if (sessionId) {
      fetched.push(path);
      meeting ??= meet(sessionId);
      await meeting;
    }
    const body = req.method === 'GET' || req.method === 'HEAD' ? undefined : new Uint8Array(await buffer(req));
    const answer = await fetch(target + path, {
      method: req.method ?? 'GET',
      headers: headersOf(req),
      body: body ?? null,
    });
    res.writeHead(answer.status, Object.fromEntries([...answer.headers].filter(([name]) => !SKIPPED.has(name))));
    res.end(Buffer.from(await answer.arrayBuffer()));
  });
  return { ...(await serveLocally(server)), second, fetched };
}

function headersOf({ headers }: IncomingMessage): Headers {
  const kept = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && !SKIPPED.has(name)) kept.set(name, value);
  return kept;
}

/** Returns the SHA-256 of bytes, in hex. */
export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

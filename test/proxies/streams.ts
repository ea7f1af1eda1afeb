import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { expect } from 'vitest';
import type { UploadResult } from '#contract';
import { createClient } from '../../plugin-bridge/sdk/index.ts';
import { readEvents } from '../support/api-client.ts';
import type { FaultProxy } from '../support/fault-proxy.ts';
import { plainImages } from '../support/small-images.ts';

/** A way through a proxy to the service. */
export interface Way {
  /** Address before `/v1/…`. */
  endpoint: string;
  /** Sent with each request: a key, or the cookie of the CMS. */
  headers: Record<string, string>;
  fetch?: typeof globalThis.fetch;
  /** Between the proxy and the service. */
  faults: FaultProxy;
}

function clientOf({ endpoint, headers, fetch }: Way) {
  return createClient({ endpoint, headers, retryDelayMs: 20, ...(fetch && { fetch }) });
}

async function files(count: number) {
  const images = await plainImages(count);
  return images.map(({ name, bytes }) => ({ file: new Blob([bytes as Uint8Array<ArrayBuffer>]), name }));
}

let large: Promise<Buffer> | undefined;

/** Returns a PNG of 45 MB, the same at each call. */
export function largeImage(): Promise<Buffer> {
  const raw = { width: 4000, height: 3750, channels: 3 } as const;
  large ??= sharp(randomBytes(45_000_000), { raw }).png({ compressionLevel: 0 }).toBuffer();
  return large;
}

/** Uploads small images. */
export async function uploadThrough(way: Way, count = 2): Promise<UploadResult> {
  const client = clientOf(way);
  const [first, ...others] = await files(count);
  if (!first) throw new RangeError('expected at least one image');
  let uploaded = await client.createSession({ files: [first] });
  for (const file of others) {
    const { images } = await client.addImages(uploaded.sessionId, { files: [file] });
    uploaded = { ...uploaded, images: [...uploaded.images, ...images] };
  }
  return uploaded;
}

/** Checks that an event arrives while the stream behind the proxy is still open, unbuffered and uncompressed. */
export async function checkStreamed(way: Way): Promise<void> {
  const { endpoint, headers, faults, fetch: send = fetch } = way;
  const { sessionId, images } = await uploadThrough(way);
  // No further byte follows the first event, so a buffer would never be full.
  faults.inject({ kind: 'stall', afterEvents: 1 }, { path: /\/export$/ });
  const leaving = new AbortController();
  const response = await send(`${endpoint}/v1/sessions/${sessionId}/export`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', 'Accept-Encoding': 'gzip' },
    body: JSON.stringify({ images: images.map(({ id }) => ({ id })), settings: {} }),
    signal: leaving.signal,
  });
  expect(response.headers.get('Content-Type')).toMatch(/^text\/event-stream/);
  expect(response.headers.get('Content-Encoding')).toBeNull();
  expect(response.headers.get('X-Job-Id')).toMatch(/^job_/);
  const first = await readEvents(response).next();
  expect(first.value?.event).toBe('progress');
  leaving.abort();
}

/** Checks that a stream that is cut continues at its next event, by either kind of client, and is paid once. */
export async function checkCut(way: Way): Promise<void> {
  const { endpoint, headers, faults, fetch: send = fetch } = way;
  const client = clientOf(way);
  const { sessionId, images } = await uploadThrough(way);
  faults.inject({ kind: 'cut', afterEvents: 2 }, { path: /\/export$/ });
  const before = faults.seen.length;
  const what = { images: images.map(({ id }) => ({ id })), settings: { format: 'webp' } } as const;
  const { jobId, results, credits } = await client.exportImages(sessionId, what).result();
  expect(results.map(({ status }) => status)).toEqual(['completed', 'completed']);
  expect(credits.charged).toBe(2);
  const [started, resumed] = faults.seen.slice(before).filter(({ path }) => /\/(export|events)$/.test(path));
  expect(started?.headers['idempotency-key']).toMatch(/\w{16}/);
  expect(resumed).toMatchObject({
    method: 'GET',
    headers: { 'last-event-id': expect.stringMatching(/^job_\w+:\d+$/) },
  });

  // Clients of the standard send the POST again, with the id of the last event.
  const joined = await send(`${endpoint}/v1/sessions/${sessionId}/export`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', 'Last-Event-ID': `${jobId}:1` },
    body: JSON.stringify(what),
  });
  expect(joined.headers.get('X-Job-Id')).toBe(jobId);
  const events = [];
  for await (const event of readEvents(joined)) events.push(event);
  expect(events.at(-1)).toMatchObject({ event: 'complete', data: { jobId, credits: { balance: credits.balance } } });
}

/** Checks ETag, conditional requests and ranges of a download, byte by byte. */
export async function checkDownload(way: Way): Promise<void> {
  const { endpoint, headers, fetch: send = fetch } = way;
  const client = clientOf(way);
  const { sessionId, images } = await uploadThrough(way, 1);
  const { results } = await client
    .exportImages(sessionId, { images: images.map(({ id }) => ({ id })), settings: {} })
    .result();
  const filename = results[0]?.variants[0]?.filename ?? '';
  const get = (more: Record<string, string>) =>
    send(`${endpoint}/v1/sessions/${sessionId}/download?filename=${encodeURIComponent(filename)}`, {
      headers: { ...headers, ...more },
    });
  const full = await get({});
  expect(full.status).toBe(200);
  expect(full.headers.get('Content-Disposition')).toContain(filename);
  expect(full.headers.get('Content-Security-Policy')).toContain('sandbox');
  const bytes = Buffer.from(await full.arrayBuffer());
  expect(bytes.length).toBe(Number(full.headers.get('Content-Length')));
  const etag = full.headers.get('ETag') ?? '';
  expect(etag).toMatch(/^"[0-9a-f]{64}"$/);

  const part = await get({ Range: 'bytes=5-14', 'If-Range': etag });
  expect([part.status, part.headers.get('Content-Range')]).toEqual([206, `bytes 5-14/${bytes.length}`]);
  expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(5, 15));
  expect((await get({ Range: 'bytes=0-9', 'If-Range': '"another"' })).status).toBe(200);
  expect((await get({ 'If-None-Match': etag })).status).toBe(304);
  expect((await get({ Range: `bytes=${bytes.length}-` })).status).toBe(416);
}

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UploadResult } from '#contract';
import { collect, type Follower, faultsOf, hasEnded } from '../../crash/job-client.ts';
import { type ApiClient, formOf } from '../../support/api-client.ts';
import { noiseImage } from '../../support/small-images.ts';

/** Counts of all clients. */
export interface Tally {
  exports: number;
  images: number;
  files: number;
  /** Requests that were answered 503 with `Retry-After`, or broke off, and were repeated. */
  repeated: number;
  /** Streams that broke off and went on. */
  resumed: number;
  /** Longest time from a break to the next event, in milliseconds. */
  longestBreakMs: number;
  /** Violations of what a client may expect. */
  faults: string[];
}

/** Returns counts of nothing. */
export const newTally = (): Tally => ({
  exports: 0,
  images: 0,
  files: 0,
  repeated: 0,
  resumed: 0,
  longestBreakMs: 0,
  faults: [],
});

const RETRY_MS = 250;
/** Longest time for one request to be accepted, in milliseconds. */
const PATIENCE_MS = 90_000;

/** Creates a client that repeats what it may repeat. */
export function createPatientClient(api: ApiClient, tally: Tally) {
  /** Sends a request until it is accepted. */
  async function send(what: string, attempt: () => Promise<Response>): Promise<Response> {
    const givesUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      const response = await attempt().catch(() => null);
      if (response?.ok) return response;
      const last = response ? `${response.status} ${(await judge(what, response)).slice(0, 200)}` : 'no answer';
      if (performance.now() > givesUpAt)
        throw new Error(`${what}: not accepted within ${PATIENCE_MS / 1000} s, last: ${last}`);
      tally.repeated += 1;
      await sleep(RETRY_MS);
    }
  }

  /** Notes an answer that a client need not expect. @returns its text */
  async function judge(what: string, response: Response): Promise<string> {
    const text = await response.text().catch(() => '');
    const isExpected = response.status === 503 && response.headers.get('Retry-After') !== null;
    // An earlier attempt with the same key is still at work.
    const isAtWork = response.status === 409 && text.includes('idempotency_in_progress');
    if (!isExpected && !isAtWork) tally.faults.push(`${what}: ${response.status} ${text.slice(0, 200)}`);
    return text;
  }

  /** Follows an export to its end, over any number of connections. */
  async function follow(uploaded: UploadResult, key: string): Promise<Follower> {
    const follower: Follower = { jobId: null, events: [], clean: false };
    const json = api.exportBody(uploaded, { format: 'webp' });
    const path = `/v1/sessions/${uploaded.sessionId}/export`;
    let brokeAt: number | null = null;
    const onEvent = () => {
      if (brokeAt !== null) tally.longestBreakMs = Math.max(tally.longestBreakMs, performance.now() - brokeAt);
      brokeAt = null;
    };
    for (let first = true; !hasEnded(follower); first = false) {
      const last = follower.events.at(-1)?.id;
      const join: Record<string, string> = last ? { 'Last-Event-ID': last } : {};
      const response = await send('export', () =>
        follower.jobId === null
          ? api.request(path, { json, headers: { 'Idempotency-Key': key } })
          : api.request(`/v1/jobs/${follower.jobId}/events`, { headers: join }),
      );
      if (!first) tally.resumed += 1;
      await collect(response, follower, onEvent);
      brokeAt ??= performance.now();
    }
    return follower;
  }

  /** Fetches a file and compares it with its hash. */
  async function download(url: string, sha256: string): Promise<void> {
    for (let tries = 0; tries < 20; tries += 1) {
      const response = await send('download', () => api.request(url));
      const bytes = await response.arrayBuffer().catch(() => null);
      // The connection broke off.
      if (!bytes) continue;
      const found = createHash('sha256').update(Buffer.from(bytes)).digest('hex');
      if (found !== sha256) tally.faults.push(`${url}: expected ${sha256}, found ${found}`);
      tally.files += 1;
      return;
    }
    tally.faults.push(`${url}: broke off 20 times`);
  }

  /** Uploads, exports and downloads pictures, then deletes the session. */
  async function work(files: { name: string; bytes: Uint8Array }[], key: string): Promise<void> {
    const response = await send('upload', async () =>
      api.request('/v1/sessions', {
        method: 'POST',
        body: await formOf(files),
        headers: { 'Idempotency-Key': `upload-${key}` },
      }),
    );
    const uploaded = (await response.json()) as UploadResult;
    for (const { code, error } of uploaded.rejected)
      tally.faults.push(`upload: an image was refused: ${code} ${error}`);
    const follower = await follow(uploaded, `export-${key}`);
    tally.faults.push(...faultsOf(follower).map((fault) => `${follower.jobId}: ${fault}`));
    const last = follower.events.at(-1);
    if (last?.event !== 'complete') {
      tally.faults.push(`${follower.jobId} ended with ${JSON.stringify(last).slice(0, 300)}`);
      return;
    }
    const results = (last.data.results ?? []) as { status: string; error?: { code: string }; variants: Variant[] }[];
    for (const { status, error } of results) if (status !== 'completed') tally.faults.push(`an image: ${error?.code}`);
    for (const { variants } of results) for (const { url, sha256 } of variants) await download(url, sha256);
    tally.exports += 1;
    tally.images += results.filter(({ status }) => status === 'completed').length;
    await send('delete', async () => {
      const answer = await api.request(`/v1/sessions/${uploaded.sessionId}`, { method: 'DELETE' });
      // An earlier attempt whose answer was lost has deleted it.
      return answer.status === 404 ? new Response(null, { status: 204 }) : answer;
    });
  }

  return {
    /** Works with several hands at once, each with pictures of its own. */
    async workFor({ clients, lastsMs }: { clients: number; lastsMs: number }): Promise<void> {
      const endsAt = performance.now() + lastsMs;
      await Promise.all(
        Array.from({ length: clients }, async (_, client) => {
          for (let round = 0; performance.now() < endsAt; round += 1) {
            const seeds = [0, 1, 2].map((image) => 1 + image + 3 * (round + 1000 * client));
            const pictures = seeds.map((seed) => noiseImage(`${seed}.png`, { width: 500, height: 400, seed }));
            // A client that gives up is a fault, and begins anew.
            await work(await Promise.all(pictures), `${client}-${round}`).catch((error: Error) =>
              tally.faults.push(`client ${client}: ${error.message}`),
            );
          }
        }),
      );
    },
  };
}

interface Variant {
  url: string;
  sha256: string;
}

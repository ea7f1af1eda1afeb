import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Settings } from '#contract';
import { PRESETS } from '#contract/constants';
import { clientOf, createAccountIn, startServiceProcess } from '../crash/service-process.ts';
import { type ApiClient, FIXTURES } from '../support/api-client.ts';
import type { SmallImage } from '../support/small-images.ts';

/** A service with a paying account, and accounts that attack it. */
export interface AttackedService {
  victim: ApiClient;
  attackers: ApiClient[];
  close(): Promise<void>;
}

/** A free plan without limits, so that an attack meets the scheduling alone. */
const WITHOUT_LIMITS = JSON.stringify({ free: { keys: 1 } });

/** Starts the built service on a new folder, with its defaults but, unless `hasLimits`, without the limits of the free plan. */
export async function startAttackedService({
  attackers,
  hasLimits = false,
  settings = {},
}: {
  attackers: number;
  hasLimits?: boolean;
  settings?: Record<string, string>;
}): Promise<AttackedService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-attacked-'));
  const env = { DATA_DIR: dataDir, LOG_LEVEL: 'error', ...(hasLimits ? {} : { PLANS: WITHOUT_LIMITS }) };
  const keyOf = (name: string, credits: number) => createAccountIn(env, `${name}@example.com`, credits);
  const paying = await keyOf('victim', 1000);
  const free: string[] = [];
  for (let index = 0; index < attackers; index += 1) free.push(await keyOf(`attacker-${index}`, 25));
  const service = await startServiceProcess({ ...env, LOG_LEVEL: 'info', ...settings });
  return {
    victim: clientOf(service, paying),
    attackers: free.map((apiKey) => clientOf(service, apiKey)),
    async close() {
      await service.kill();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Makes a photograph of so many megapixels (3 to 2). */
export async function photographOf(megapixels: number): Promise<Buffer> {
  const width = Math.round(Math.sqrt(megapixels * 1e6 * 1.5));
  const height = Math.round(width / 1.5);
  return sharp(join(FIXTURES, 'photos/photo-mountains.jpg'))
    .resize({ width, height, fit: 'cover' })
    .jpeg({ quality: 90 })
    .toBuffer();
}

/** Returns the photograph with bytes behind its end that no file had before, so that no cache knows it. */
export function fresh(photograph: Buffer): SmallImage {
  return { name: 'photograph.jpg', bytes: Buffer.concat([photograph, randomBytes(16)]) };
}

/** Uploads a fresh photograph and exports it. Returns the seconds of the export. @throws Error if it is refused or fails */
export async function secondsOfExport(
  victim: ApiClient,
  photograph: Buffer,
  format: Settings['format'],
): Promise<number> {
  const uploaded = await victim.upload([fresh(photograph)]);
  const begun = performance.now();
  const { last } = await victim.run('export', uploaded, { format, preset: 'high' });
  if (last.event !== 'complete' || last.data.summary.completed !== 1) throw new Error(JSON.stringify(last));
  return (performance.now() - begun) / 1000;
}

const FORMATS = ['avif', 'webp', 'jpeg', 'png'];
/** 24 settings: no two samples of one picture share their encoding. */
const SETTINGS = FORMATS.flatMap((format) => PRESETS.map((preset) => ({ format, preset })));

/**
 * Asks for `requests` free samples of one picture each, taken in turns by the attackers. Returns a promise of the last answer, and what ends
 * the attack before it.
 */
export async function attackBySamples(
  attackers: ApiClient[],
  photograph: Buffer,
  { requests, images }: { requests: number; images: number },
): Promise<{ statuses: number[]; refusals: string[]; ended: Promise<unknown>; stop(): Promise<void> }> {
  const uploads = await Promise.all(
    attackers.map((api) => api.upload(Array.from({ length: images }, () => fresh(photograph)))),
  );
  const stopping = new AbortController();
  const statuses: number[] = [];
  const refusals: string[] = [];
  const requested = Array.from({ length: requests }, async (_, index) => {
    const api = attackers[index % attackers.length] as ApiClient;
    const uploaded = uploads[index % attackers.length];
    if (!uploaded) return;
    const settings = SETTINGS[index % SETTINGS.length] ?? {};
    const response = await api.request(`/v1/sessions/${uploaded.sessionId}/sample`, {
      json: api.exportBody(uploaded, settings),
      signal: stopping.signal,
    });
    statuses.push(response.status);
    const body = await response.text();
    if (!response.ok) refusals.push(JSON.parse(body).code);
  });
  const ended = Promise.allSettled(requested);
  return {
    statuses,
    refusals,
    ended,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

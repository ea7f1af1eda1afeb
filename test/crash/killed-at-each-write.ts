import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UploadResult } from '#contract';
import { startEmbedded } from '../../server/db/index.ts';
import { storedFiles } from '../support/aftermath.ts';
import { type ApiClient, formOf } from '../support/api-client.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { noiseImage, type SmallImage } from '../support/small-images.ts';
import { untilAnswered } from '../support/until-answered.ts';
import { type KillingProxy, type KillMoment, startKillingProxy } from './killing-proxy.ts';
import { auditOf, clientOf, createAccountIn, type ServiceProcess, startServiceProcess } from './service-process.ts';

const SHIFT_CLOCK = fileURLToPath(new URL('../support/shift-clock.mjs', import.meta.url));
/** The second service takes an interrupted request over after 30 s of its clock. */
const AHEAD_MS = 31_000;
const CREDITS = 100;

/** A call, its preparation, and the state that its repetition has to leave behind. */
interface Call {
  name: string;
  /** Makes what the call needs. */
  prepare(api: ApiClient): Promise<UploadResult>;
  send(api: ApiClient, prepared: UploadResult, headers: Record<string, string>): Promise<Response>;
  /** Files, images and credits afterwards. */
  leaves: { sessions: number; images: number; spent: number; jobs: number };
}

let files: SmallImage[];
const upload = async (api: ApiClient, path: string, headers: Record<string, string>) =>
  api.request(path, { method: 'POST', headers, body: await formOf(files.slice(0, 2)) });
const startJob = (kind: string) => async (api: ApiClient, uploaded: UploadResult, headers: Record<string, string>) => {
  const json = kind === 'analyze' ? {} : api.exportBody(uploaded, { format: 'webp' });
  return api.request(`/v1/sessions/${uploaded.sessionId}/${kind}`, { json, headers });
};
const withImages = (api: ApiClient) => api.upload(files.slice(2, 4));

/** Every call of the endpoint table that takes an `Idempotency-Key`, apart from those of operators. */
export const CALLS: Call[] = [
  {
    name: 'createSession',
    prepare: withImages,
    send: (api, _, headers) => upload(api, '/v1/sessions', headers),
    leaves: { sessions: 2, images: 4, spent: 0, jobs: 0 },
  },
  {
    name: 'addImages',
    prepare: withImages,
    send: (api, { sessionId }, headers) => upload(api, `/v1/sessions/${sessionId}/images`, headers),
    leaves: { sessions: 1, images: 4, spent: 0, jobs: 0 },
  },
  {
    name: 'exportImages',
    prepare: withImages,
    send: startJob('export'),
    leaves: { sessions: 1, images: 2, spent: 2, jobs: 1 },
  },
  {
    name: 'sampleImages',
    prepare: withImages,
    send: startJob('sample'),
    leaves: { sessions: 1, images: 2, spent: 0, jobs: 1 },
  },
  {
    name: 'analyzeImages',
    prepare: withImages,
    send: startJob('analyze'),
    leaves: { sessions: 1, images: 2, spent: 0, jobs: 1 },
  },
];

interface Round {
  dataDir: string;
  direct: Record<string, string>;
  second: ServiceProcess;
  proxy: KillingProxy;
}

/** Sends a call to a service that dies at a write, repeats it elsewhere, and returns what is there then; null: it did not die. */
async function killAt({ dataDir, direct, second, proxy }: Round, call: Call, number: number, moment: KillMoment) {
  const env = { ...direct, MONGODB_URI: proxy.uri };
  const starting = startServiceProcess(env);
  const key = await createAccountIn(direct, `${call.name}-${moment}-${number}@example.com`, CREDITS);
  const first = await starting;
  try {
    const elsewhere = clientOf(second, key);
    const prepared = await call.prepare(elsewhere);
    const headers = { 'Idempotency-Key': `${call.name} ${moment} ${number}` };
    let killed = false;
    proxy.arm(number, moment, () => {
      killed = true;
      first.child.kill('SIGKILL');
    });
    const told = await call.send(clientOf(first, key), prepared, headers).then(readWhole, () => null);
    if (!killed) return null;
    const write = proxy.writes.at(-1);
    const repeated = await readWhole(await untilAnswered(() => call.send(elsewhere, prepared, headers)));
    const again = await readWhole(await untilAnswered(() => call.send(elsewhere, prepared, headers)));
    return { write, told, repeated, again, ...(await lookAt(elsewhere, dataDir)) };
  } finally {
    await first.kill();
  }
}

async function readWhole(response: Response) {
  return { status: response.status, text: await response.text() };
}

/** Returns what an account has, after its jobs have ended. */
async function lookAt(api: ApiClient, dataDir: string) {
  const { sessions } = await api.readJson<{ sessions: { sessionId: string }[] }>('/v1/sessions?limit=20');
  let [images, jobs, isConsistent] = [0, 0, true];
  const stored = await storedFiles({ dataDir });
  for (const { sessionId } of sessions) {
    const path = `/v1/sessions/${sessionId}`;
    const session = () => api.readJson<{ images: { uploadPath: string }[]; jobs: { status: string }[] }>(path);
    const unfinished = async () => (await session()).jobs.filter(({ status }) => /created|processing/.test(status));
    await expect.poll(unfinished, { timeout: PATIENCE_MS }).toEqual([]);
    const seen = await session();
    images += seen.images.length;
    jobs += seen.jobs.length;
    const paths = seen.images.map(({ uploadPath }) => uploadPath).sort();
    const uploads = stored.filter((file) => file.startsWith(`sessions/${sessionId}/img_`)).sort();
    isConsistent &&= JSON.stringify(paths) === JSON.stringify(uploads);
  }
  return { left: { sessions: sessions.length, images, jobs, spent: CREDITS - (await api.balance()) }, isConsistent };
}

/** Defines tests that kill the service at each write of each call, or at every `step`-th one. */
export function testKilledAtEachWrite({ calls, step }: { calls: Call[]; step: number }): void {
  describe(`the process dies at a write of a call with an Idempotency-Key, every ${step}. write`, () => {
    let round: Round;
    let close: () => Promise<void>;
    beforeAll(async () => {
      files = await Promise.all([1, 2, 3, 4].map((seed) => noiseImage(`${seed}.png`, { width: 64, height: 48, seed })));
      const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-writes-'));
      const store = await startEmbedded({ directory: join(dataDir, 'shared-db'), logger: { warn() {} } });
      const clock = join(dataDir, 'clock.shift');
      await writeFile(clock, String(AHEAD_MS));
      const direct = { DATA_DIR: dataDir, MONGODB_URI: store.uri, LEASE_SECONDS: '3', WORKERS: '1' };
      const second = await startServiceProcess({ ...direct, CLOCK_SHIFT_FILE: clock }, ['--import', SHIFT_CLOCK]);
      const proxy = await startKillingProxy(store.uri);
      round = { dataDir, direct, second, proxy };
      close = async () => {
        await second.kill();
        await proxy.close();
        await store.close();
        await rm(dataDir, { recursive: true, force: true });
      };
    });
    afterAll(() => close?.());

    // A round takes 4 s on a quiet machine, and a job has 60 of them.
    it.each(calls)('$name is done once', { timeout: 3_600_000 }, async (call) => {
      const writes: string[] = [];
      for (let number = step, dies = true; dies; number += step) {
        for (const moment of ['before', 'after'] as const) {
          const outcome = await killAt(round, call, number, moment);
          dies = outcome !== null;
          if (!outcome) break;
          const { write, repeated, again, told, left, isConsistent } = outcome;
          const where = `${moment} write ${number}, ${write}`;
          writes.push(where);
          expect([200, 201], `${where}: ${repeated.text}`).toContain(repeated.status);
          if (repeated.status === 201) expect(again, where).toEqual(repeated);
          // What was told before the end stays true.
          if (told?.status === 201) expect(repeated, where).toEqual(told);
          expect({ left, isConsistent }, where).toEqual({ left: call.leaves, isConsistent: true });
        }
      }
      console.log(`${call.name}: ${writes.length} ends, at\n  ${writes.join('\n  ')}`);
      expect((await auditOf(round.direct)).broken).toEqual([]);
    });
  });
}

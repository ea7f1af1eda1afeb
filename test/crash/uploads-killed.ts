import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UploadResult } from '#contract';
import { storedFiles } from '../support/aftermath.ts';
import { type ApiClient, formOf } from '../support/api-client.ts';
import { onTestServer } from '../support/database.ts';
import { noiseImage } from '../support/small-images.ts';
import { untilAnswered } from '../support/until-answered.ts';
import { auditOf, clientOf, createAccountIn, type ServiceProcess, startServiceProcess } from './service-process.ts';

const SHIFT_CLOCK = fileURLToPath(new URL('../support/shift-clock.mjs', import.meta.url));
/** Uploads of one kill, all at once. */
const AT_ONCE = 45;
/** Uploads into one session. */
const PER_SESSION = 15;
/** An interrupted upload is taken over when its process has been silent for 30 s. */
const TAKEOVER_MS = 31_000;
/** Answers after which the service is killed, in turn. */
const KILLED_AFTER = [1, 12, 5, 20, 3, 8];

/** Longest time of the full form on a busy machine. */
const LONGEST_MS = 3_600_000;

type Sent = 'images' | 'session';

/** Defines a test that cuts `uploads` uploads by kill -9 and repeats each with its key: each is there once. */
export function testKilledUploads(uploads: number): void {
  describe(`kill -9 of the service during ${AT_ONCE} uploads at once`, () => {
    let directory: string;
    let env: Record<string, string>;
    let clock: string;
    let service: ServiceProcess;
    let apiKey: string;
    let shift = 0;
    const start = () => startServiceProcess(env, ['--import', SHIFT_CLOCK]);

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'imagewright-uploads-'));
      clock = join(directory, 'clock.shift');
      await writeFile(clock, '0');
      env = onTestServer({
        DATA_DIR: join(directory, 'data'),
        CLOCK_SHIFT_FILE: clock,
        UPLOADS_PER_ACCOUNT: String(AT_ONCE),
      });
      apiKey = await createAccountIn(env, 'uploads@example.com', 100);
      service = await start();
    });
    afterAll(async () => {
      await service?.kill();
      await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    });

    it(
      `${uploads} uploads that were cut are there once each when they were repeated`,
      async () => {
        let [cut, doubled, missing] = [0, 0, 0];
        for (let round = 0; cut < uploads; round += 1) {
          const outcome = await killAndRepeat(round);
          cut += outcome.cut;
          doubled += outcome.doubled;
          missing += outcome.missing;
          console.log(`round ${round + 1}: ${outcome.cut} cut, ${outcome.doubled} doubled, ${outcome.missing} missing`);
        }
        expect({ doubled, missing }).toEqual({ doubled: 0, missing: 0 });
        expect(await auditOf(env)).toEqual({ ok: true, broken: [], pending: 0 });
      },
      LONGEST_MS,
    );

    /** Kills the service after some answers to uploads, starts it, and repeats what had no answer. */
    async function killAndRepeat(round: number) {
      const sent: Sent = round % 3 === 2 ? 'session' : 'images';
      const first = clientOf(service, apiKey);
      const beside = await noiseImage('beside.png', { width: 20, height: 20, seed: 1 });
      const shared: string[] = [];
      for (let at = 0; sent === 'images' && at < AT_ONCE; at += PER_SESSION)
        shared.push((await first.upload([beside])).sessionId);
      const held = await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, index) => {
          const number = round * AT_ONCE + index;
          const image = await noiseImage(`${number}.png`, { width: 48, height: 40, seed: number + 1 });
          const sessionId = shared[Math.floor(index / PER_SESSION)] ?? '';
          const path = sent === 'images' ? `/v1/sessions/${sessionId}/images` : '/v1/sessions';
          return { image, sessionId, path, headers: { 'Idempotency-Key': `upload ${number}` } };
        }),
      );
      const before = new Set(await sessionsOf(first));
      const send = async (api: ApiClient, { image, path, headers }: (typeof held)[number]) =>
        api.request(path, { method: 'POST', headers, body: await formOf([image]) });
      let answers = 0;
      const told = await Promise.all(
        held.map(async (one) => {
          try {
            const response = await send(first, one);
            const body = (await response.json()) as UploadResult;
            answers += 1;
            if (answers === KILLED_AFTER[round % KILLED_AFTER.length]) await service.kill();
            return body;
          } catch {
            return null;
          }
        }),
      );
      await service.kill();
      shift += TAKEOVER_MS;
      await writeFile(clock, String(shift));
      service = await start();
      const api = clientOf(service, apiKey);
      const repeated: UploadResult[] = [];
      for (const one of held) {
        const response = await untilAnswered(() => send(api, one));
        expect(response.status).toBe(201);
        repeated.push((await response.json()) as UploadResult);
      }
      for (const [index, answer] of told.entries()) if (answer) expect(repeated[index]).toEqual(answer);
      const made = (await sessionsOf(api)).filter((id) => !before.has(id));
      let [doubled, missing] = [Math.max(0, made.length - (sent === 'session' ? AT_ONCE : 0)), 0];
      const files = await storedFiles({ dataDir: env.DATA_DIR ?? '' });
      for (const [index, { image, sessionId }] of held.entries()) {
        const id = sessionId || (repeated[index]?.sessionId ?? '');
        const { images } = await api.readJson<UploadResult>(`/v1/sessions/${id}`);
        const found = images.filter(({ originalFilename }) => originalFilename === image.name).length;
        doubled += Math.max(0, found - 1);
        missing += found === 0 ? 1 : 0;
        missing += images.filter(({ uploadPath }) => !files.includes(uploadPath)).length;
      }
      await Promise.all((await sessionsOf(api)).map((id) => api.request(`/v1/sessions/${id}`, { method: 'DELETE' })));
      return { cut: told.filter((answer) => answer === null).length, doubled, missing };
    }
  });
}

async function sessionsOf(api: ApiClient): Promise<string[]> {
  const { sessions } = await api.readJson<{ sessions: { sessionId: string }[] }>('/v1/sessions?limit=50');
  return sessions.map(({ sessionId }) => sessionId);
}

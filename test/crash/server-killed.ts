import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Job } from '#contract';
import { onTestServer } from '../support/database.ts';
import { faultyFiles } from './files-on-disk.ts';
import { collect, type Follower, faultsOf, resume } from './job-client.ts';
import { auditOf, clientOf, createAccountIn, type ServiceProcess, startServiceProcess } from './service-process.ts';
import { smallPhotographs } from './small-photographs.ts';

const SEED = Number(process.env.IMAGEWRIGHT_KILL_SEED ?? 20_261_121);
const IMAGES = 20;
/** Files that no variant can be smaller than. */
const TINY = ['full', '320w'].map((name) => ({ name, bytes: 1 }));

/** Deterministic, so that a failing round can be run again (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Defines tests that kill the service at `rounds` random moments of an export. */
export function testKilledServer(rounds: number): void {
  describe(`kill -9 of the service in mid-export (${rounds} rounds, seed ${SEED})`, () => {
    const random = randomNumbers(SEED);
    const delays = Array.from({ length: rounds }, () => Math.round(10 + random() * 890));
    let dataDir: string;
    let env: Record<string, string>;
    let service: ServiceProcess;
    let keys: string[];
    const sound = new Set<string>();
    let photographs: Awaited<ReturnType<typeof smallPhotographs>>;

    beforeAll(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'imagewright-kill-'));
      env = onTestServer({ DATA_DIR: dataDir });
      photographs = await smallPhotographs(IMAGES);
      // An account a round: accounts share no cache, so every round encodes.
      keys = [];
      for (const round of delays.keys()) keys.push(await createAccountIn(env, `round-${round}@example.com`, 100));
      service = await startServiceProcess(env);
    });
    afterAll(async () => {
      await service?.kill();
      await rm(dataDir, { recursive: true, force: true });
    });

    it.each(delays.map((ms, round) => ({ round: round + 1, ms })))(
      'round $round: killed after $ms ms, the export ends as if nothing had been',
      async ({ round, ms }) => {
        const before = clientOf(service, keys[round - 1] ?? '');
        const uploaded = await before.upload(photographs);
        const follower: Follower = { jobId: null, events: [], clean: false };
        // In every second round, every second image gains nothing, so that its credit has to be given back.
        const paid = round % 2 === 0 ? IMAGES / 2 : IMAGES;
        const settings = { format: 'webp', responsive: true, responsiveSizes: [320], onlySmaller: paid < IMAGES };
        const images = uploaded.images.map(({ id }, index) => ({ id, replaces: index % 2 === 0 ? TINY : [] }));
        const asking = before
          .request(`/v1/sessions/${uploaded.sessionId}/export`, { json: { images, settings } })
          .then((response) => collect(response, follower))
          .catch(() => {});
        await sleep(ms);
        await service.kill();
        await asking;
        const seen = follower.events.length;

        const startedAt = performance.now();
        service = await startServiceProcess(env);
        const api = clientOf(service, keys[round - 1] ?? '');
        const session = await api.readJson<{ jobs: Job[] }>(`/v1/sessions/${uploaded.sessionId}`);
        follower.jobId ??= session.jobs[0]?.jobId ?? null;
        if (follower.jobId) await resume(api, follower);
        const seconds = (performance.now() - startedAt) / 1000;
        console.log(
          `round ${round}: killed after ${ms} ms and ${seen} events, ended ${seconds.toFixed(1)} s after the start`,
        );

        expect(await faultyFiles(dataDir, sound)).toEqual([]);
        expect(await auditOf(env)).toEqual({ ok: true, broken: [], pending: 0 });
        const { jobs } = await api.readJson<{ jobs: Job[] }>(`/v1/sessions/${uploaded.sessionId}`);
        expect(jobs.filter(({ finishedAt }) => finishedAt === null)).toEqual([]);
        // Killed before anybody was told of the job: nothing was done, nothing was charged.
        if (!follower.jobId) return expect(await api.balance()).toBe(100);
        expect(faultsOf(follower)).toEqual([]);
        const last = follower.events.at(-1);
        expect(last).toMatchObject({ event: 'complete', data: { summary: { total: IMAGES, completed: IMAGES } } });
        expect(await api.balance()).toBe(100 - paid);
      },
    );
  });
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../plugin-bridge/sdk/index.ts';
import { auditOf, createAccountIn, type ServiceProcess, startServiceProcess } from '../crash/service-process.ts';
import { formOf } from '../support/api-client.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { sharedService } from '../support/shared-service.ts';
import { noiseImage, plainImages } from '../support/small-images.ts';
import { CMS_PROXIES, type CmsProxy, PROGRAMS } from './cms-proxies.ts';
import { freePort } from './programs.ts';

const IMAGES = 4;
/** The service is away for so long, and for its start. */
const AWAY_MS = 1000;
const JOB = `/v1/jobs/job_${'0'.repeat(22)}`;
const NAMES = Object.keys(CMS_PROXIES) as (keyof typeof CMS_PROXIES)[];

describe.each(NAMES.filter((name) => PROGRAMS[name]))('the %s proxy of a CMS', (name) => {
  const file = PROGRAMS[name];

  describe('before a service that is killed', () => {
    let dataDir: string;
    let service: ServiceProcess;
    let cms: CmsProxy;
    let env: Record<string, string>;
    beforeAll(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'imagewright-away-'));
      env = { DATA_DIR: dataDir, PORT: String(await freePort()), WORKERS: '1' };
      const apiKey = await createAccountIn(env, `${name}@example.com`, 100);
      service = await startServiceProcess(env);
      cms = await CMS_PROXIES[name]({ file, service: service.url, apiKey });
    });
    afterAll(async () => {
      await cms?.stop();
      await service?.kill();
      await rm(dataDir, { recursive: true, force: true });
    });

    it('and started again: a running export ends, and is charged once', async () => {
      const statuses: number[] = [];
      const client = createClient({
        endpoint: cms.endpoint,
        headers: await cms.logIn('ada'),
        async fetch(...args) {
          const response = await fetch(...args);
          statuses.push(response.status);
          return response;
        },
      });
      const made = Array.from({ length: IMAGES }, (_, seed) =>
        noiseImage(`${seed}.png`, { width: 800, height: 600, seed: seed + 1 }),
      );
      const [first, ...others] = (await Promise.all(made)).map(({ name: title, bytes }) => ({
        name: title,
        file: new Blob([bytes as Uint8Array<ArrayBuffer>]),
      }));
      const { sessionId } = await client.createSession({ files: [first as { name: string; file: Blob }] });
      for (const other of others) await client.addImages(sessionId, { files: [other] });
      const images = (await client.getSession(sessionId)).images.map(({ id }) => ({ id }));
      let restart: Promise<ServiceProcess> | undefined;
      const stream = client.exportImages(sessionId, { images, settings: { format: 'avif' } });
      for await (const { event, data } of stream) {
        if (restart || event !== 'progress' || data.step !== 'optimize') continue;
        await service.kill();
        restart = sleep(AWAY_MS).then(() => startServiceProcess(env));
      }
      service = (await restart) as ServiceProcess;
      const { summary, credits } = await stream.result();
      expect([summary.completed, credits.charged]).toEqual([IMAGES, IMAGES]);
      expect(statuses).toContain(502);
      expect(statuses).not.toContain(404);
      expect((await client.getBalance()).balance).toBe(100 - IMAGES);
      expect(await auditOf(env)).toEqual({ ok: true, broken: [], pending: 0 });
    });
  });

  describe('before a service that does not answer as it should', () => {
    let faults: FaultProxy;
    let cms: CmsProxy;
    let headers: Record<string, string>;
    beforeAll(async () => {
      const service = await sharedService();
      faults = await startFaultProxy(service.url);
      const { apiKey } = await service.createAccount({ credits: 10 });
      cms = await CMS_PROXIES[name]({ file, service: faults.url, apiKey });
      headers = await cms.logIn('ada');
    });
    afterAll(async () => {
      await cms?.stop();
      await faults?.close();
    });

    const get = async (path: string) => {
      const response = await fetch(cms.endpoint + path, { headers });
      return { status: response.status, after: response.headers.get('Retry-After'), text: await response.text() };
    };

    it.each([
      [403, 'account_suspended'],
      [429, 'rate_limited'],
      [500, 'internal_error'],
      [503, 'shutting_down'],
    ])('passes a %d on, with its code and its wait', async (status, code) => {
      for (const path of ['/v1/credits/balance', JOB, `${JOB}/events`]) {
        const json = { error: 'Not now', code, limit: 3 };
        faults.inject({ kind: 'answer', status, json, headers: { 'Retry-After': '7' } });
        const { text, ...answer } = await get(path);
        expect({ path, ...answer, ...JSON.parse(text) }).toEqual({ path, status, after: '7', ...json });
      }
    });

    it('passes the page of a gateway on, answers 502 for a lost answer and 424 for a wrong key', async () => {
      for (const path of ['/v1/credits/balance', JOB, `${JOB}/events`]) {
        faults.inject({ kind: 'answer', status: 404, html: '<h1>No such backend</h1>' });
        expect(await get(path)).toMatchObject({ status: 404, text: '<h1>No such backend</h1>' });
        faults.inject({ kind: 'lose-request' });
        expect(await get(path)).toMatchObject({ status: 502 });
        faults.inject({ kind: 'answer', status: 401, json: { error: 'No', code: 'invalid_api_key' } });
        const { status, text } = await get(path);
        expect([path, status, JSON.parse(text).code]).toEqual([path, 424, 'invalid_api_key']);
      }
      expect(await get(JOB)).toMatchObject({ status: 404, text: expect.stringContaining('"job_not_found"') });
    });

    // nginx passes on what it has of an answer, which clients see as broken.
    it.skipIf(name === 'nginx')(
      'answers 502 if the answer to an upload breaks off, so that it is repeated',
      async () => {
        faults.inject({ kind: 'cut', afterBytes: 20 }, { method: 'POST' });
        const body = await formOf(await plainImages(1));
        const response = await fetch(`${cms.endpoint}/v1/sessions`, { method: 'POST', headers, body });
        expect([response.status, await response.json()]).toEqual([
          502,
          { error: expect.any(String), code: 'bad_gateway' },
        ]);
      },
    );

    it.runIf(name === 'php')('answers 500 in the form of the service if the CMS throws', async () => {
      // `?user=&user[]=ada`: the user is no text, which `cms_user` must not return.
      const broken = await cms.logIn('&user[]=ada');
      const response = await fetch(`${cms.endpoint}/v1/credits/balance`, { headers: broken });
      expect([response.status, await response.json()]).toEqual([
        500,
        { error: expect.any(String), code: 'internal_error' },
      ]);
    });
  });
});

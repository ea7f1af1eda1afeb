import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Balance } from '#contract';
import { charged, connectShelf } from '../plugin-bridge/host/connect-shelf.ts';
import { photographs } from '../plugin-bridge/host/photographs.ts';
import { createShelf } from '../plugin-bridge/host/shelf.ts';
import { createApiClient, formOf } from '../support/api-client.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { createRawClient } from '../support/raw-request.ts';
import type { TestAccount } from '../support/service.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { CMS_PROXIES, type CmsProxy, PROGRAMS } from './cms-proxies.ts';
import { checkCut, checkDownload, checkStreamed, largeImage, uploadThrough, type Way } from './streams.ts';

/** Requests that no editor needs, and ways to write their paths so that a careless list lets them pass. */
const FOREIGN = [
  ...['GET /v1/keys', 'GET /v1/credits/transactions', 'POST /v1/tokens', 'GET /v1/openapi.json', 'GET /v1'],
  ...['GET /account/keys', 'POST /account/log-in', 'GET /account/operator/accounts', 'GET /metrics', 'GET /'],
  ...['POST /v1/export', 'POST /v1/analyze', 'DELETE /v1/credits/balance', 'PUT /v1/sessions', 'OPTIONS /v1/sessions'],
  ...['GET //account/keys', 'GET /v1//credits/transactions', 'GET /v1/credits/balance/', 'GET /V1/CREDITS/BALANCE'],
  ...['GET /v1/credits/balance/../transactions', 'GET /v1/credits/balance/%2e%2e/transactions'],
  ...['GET /v1/sessions/..%2f..%2faccount%2fkeys', 'GET /v1/credits/balance%2f..%2ftransactions'],
  ...['GET /v1/%63redits/transactions', 'GET /v1/credits/balance%00', 'GET /v1/credits/balance;/../../account/keys'],
  ...['GET /v1/credits/balance%3f/../transactions', 'GET /v1/credits/balance%0d%0aX-Injected:%20yes'],
  ...['GET /../v1/credits/transactions', 'GET /@203.0.113.9/', 'GET /v1/credits/transactions?/v1/credits/balance'],
].map((line) => line.split(' ') as [string, string]);

describe.each(Object.keys(CMS_PROXIES) as (keyof typeof CMS_PROXIES)[])('the %s proxy of a CMS', (name) => {
  const file = PROGRAMS[name];

  describe.skipIf(!file)('before the real service', () => {
    let test: SharedService;
    let faults: FaultProxy;
    let cms: CmsProxy;
    let account: TestAccount;
    let way: Way;

    beforeAll(async () => {
      test = await sharedService();
      faults = await startFaultProxy(test.url);
      account = await test.createAccount({ credits: 100 });
      cms = await CMS_PROXIES[name]({ file, service: faults.url, apiKey: account.apiKey });
      way = { endpoint: cms.endpoint, headers: await cms.logIn('ada'), faults };
    });

    afterAll(async () => {
      await cms?.stop();
      await faults?.close();
    });

    const get = (path: string, headers = way.headers) => fetch(cms.endpoint + path, { headers });

    it('passes each event on at once', () => checkStreamed(way));

    it('lets a client resume a stream that was cut', () => checkCut(way));

    it('passes downloads, their validators and ranges on', () => checkDownload(way));

    it('passes an upload of 45 MB on', async () => {
      const bytes = await largeImage();
      const body = await formOf([{ name: 'noise.png', bytes }]);
      const response = await fetch(`${cms.endpoint}/v1/sessions`, { method: 'POST', headers: way.headers, body });
      expect(response.status).toBe(201);
      expect(await response.json()).toMatchObject({ images: [{ size: bytes.length, originalFilename: 'noise.png' }] });
    });

    it('serves a CMS host: images are added, exported and replaced', async () => {
      const shelf = createShelf(await photographs(2), { headers: () => way.headers });
      const before = await charged(account);
      const { element, connection } = await connectShelf({ url: cms.endpoint, host: shelf });
      expect(await connection.add([...shelf.images.keys()])).toEqual([]);
      await element.upload();
      await element.export();
      expect((await connection.replaceAll()).map(({ status }) => status)).toEqual(['replaced', 'replaced']);
      expect((await charged(account)) - before).toBe(2);
      element.close();
    });

    it('refuses visitors who are not logged in, and requests without the CSRF token', async () => {
      const { Cookie = '', 'X-CSRF-Token': token = '' } = way.headers;
      const before = faults.seen.length;
      for (const headers of [{}, { Cookie }, { 'X-CSRF-Token': token }, { Cookie, 'X-CSRF-Token': 'none' }]) {
        const response = await get('/v1/credits/balance', headers as Record<string, string>);
        expect(response.status).toBe(401);
        expect(await response.json()).toMatchObject({ code: 'not_logged_in' });
      }
      expect(faults.seen).toHaveLength(before);
    });

    it('passes no other path or method on, however it is written', async () => {
      const client = createRawClient(cms.endpoint);
      const { pathname } = new URL(cms.endpoint);
      const before = faults.seen.length;
      for (const [method, path] of FOREIGN) {
        const { status } = await client.send(pathname + path, { method, headers: { Host: 'cms', ...way.headers } });
        expect([400, 404, 405], `${method} ${path}`).toContain(status);
      }
      client.close();
      expect(faults.seen.slice(before).map(({ path }) => path)).toEqual([]);
    });

    it('adds the key of the site and passes no cookie, key or login of the client on', async () => {
      const other = await test.createAccount({ credits: 7 });
      const own = { 'X-API-Key': other.apiKey, Authorization: 'Bearer mine', Origin: 'https://cms.example.com' };
      const response = await get('/v1/credits/balance', { ...way.headers, ...own });
      const { balance } = (await response.json()) as Balance;
      expect(balance).toBe(await account.api.balance());
      const { headers } = faults.seen.at(-1) ?? {};
      expect(headers?.['x-api-key']).toBe(account.apiKey);
      const passed = Object.keys(headers ?? {}).sort();
      expect(
        passed.filter((each) => !['accept', 'connection', 'host', 'user-agent', 'x-api-key'].includes(each)),
      ).toEqual([]);
    });

    it('returns no cookie and no policy of the service, and none of its 401', async () => {
      const headers = { 'Set-Cookie': 'login=service', 'Strict-Transport-Security': 'max-age=9' };
      faults.inject({ kind: 'answer', status: 200, json: {}, headers }, { path: /balance/ });
      const answered = await get('/v1/credits/balance');
      expect(answered.status).toBe(200);
      expect(answered.headers.getSetCookie().filter((each) => each.includes('service'))).toEqual([]);
      expect(answered.headers.get('Strict-Transport-Security')).toBeNull();
      faults.inject(
        { kind: 'answer', status: 401, json: { error: 'x', code: 'invalid_api_key' } },
        { path: /balance/ },
      );
      const refused = await get('/v1/credits/balance');
      expect([refused.status, await refused.json()]).toEqual([
        424,
        { error: expect.any(String), code: 'invalid_api_key' },
      ]);
      faults.inject({ kind: 'lose-request' }, { path: /balance/ });
      expect((await get('/v1/credits/balance')).status).toBe(502);
    });

    it('keeps the idempotency keys of users apart', async () => {
      const bytes = (await photographs(1))[0]?.bytes ?? new Uint8Array();
      const create = async (headers: Record<string, string>) => {
        const body = await formOf([{ name: 'same.jpg', bytes }]);
        const own = { ...headers, 'Idempotency-Key': 'the key of a page' };
        const response = await fetch(`${cms.endpoint}/v1/sessions`, { method: 'POST', headers: own, body });
        return [response.status, ((await response.json()) as { sessionId?: string }).sessionId] as const;
      };
      const [first, again, other] = [
        await create(way.headers),
        await create(way.headers),
        await create(await cms.logIn('bob')),
      ];
      expect([first[0], other[0]]).toEqual([201, 201]);
      expect(again[1]).toBe(first[1]);
      expect(other[1]).not.toBe(first[1]);
      expect(faults.seen.map(({ headers }) => headers['idempotency-key'])).not.toContain('the key of a page');
    });

    // nginx has no place to store who has created a session; the page says so.
    it.skipIf(name === 'nginx')('hides sessions and jobs of one user from another', async () => {
      const { sessionId, images } = await uploadThrough(way, 1);
      const api = createApiClient({ url: test.url, apiKey: account.apiKey });
      const { jobId } = await api.run('export', { sessionId, images } as never);
      const own = [`/v1/sessions/${sessionId}`, `/v1/jobs/${jobId}`, `/v1/jobs/${jobId}/events`];
      for (const path of own) expect([200, 204]).toContain((await get(path)).status);
      const other = await cms.logIn('bob');
      const foreign = [
        ...own,
        `/v1/sessions/${sessionId}-sample/download?filename=a.webp`,
        `/v1/jobs/job_${'0'.repeat(22)}`,
      ];
      for (const path of foreign) expect((await get(path, other)).status, path).toBe(404);
      const cancel = await fetch(`${cms.endpoint}/v1/jobs/${jobId}/cancel`, { method: 'POST', headers: other });
      expect([cancel.status, await cancel.json()]).toEqual([404, expect.objectContaining({ code: 'job_not_found' })]);
    });
  });
});

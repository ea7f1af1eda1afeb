import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccounts } from '../../server/accounts/index.ts';
import { toWireError } from '../../server/errors.ts';
import { createGateway, createSessionCookie, type GatewayState } from '../../server/gateway/index.ts';
import { CONFIG, PEPPER, useAccounts } from '../accounts/accounts-fixture.ts';

const fixture = useAccounts();
const UNKNOWN_KEY = 'iw_0000000000000000000000000000003PZPfk';

describe('authentication', () => {
  const queries: string[] = [];
  let server: ReturnType<Koa['listen']>;
  let bodiesRead = 0;

  beforeAll(() => {
    fixture.connection.set('debug', (collection: string, method: string) => queries.push(`${collection}.${method}`));
    const accounts = createAccounts({ repositories: fixture.repositories, pepper: PEPPER, config: CONFIG });
    const { authenticate } = createGateway({
      accounts,
      idempotencyRecords: fixture.repositories.idempotency,
      config: { ANALYSIS_CREDITS: 0 },
      browserSessions: fixture.signIn.browserSessions,
      shares: { check: async () => Promise.reject(new Error('no links here')) },
      cookie: createSessionCookie('secure'),
    });
    const app = new Koa<GatewayState>();
    app.use(async (ctx, next) => {
      await next().catch((error: unknown) => {
        const { status, body } = toWireError(error, 'req_test');
        Object.assign(ctx, { status, body });
      });
    });
    app.use(authenticate.key);
    app.use(async (ctx) => {
      for await (const _chunk of ctx.req) bodiesRead += 1;
      ctx.body = ctx.state;
    });
    server = app.listen(0);
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  /** Sends a POST of which the body begins and, unless `complete`, never ends. */
  function send(headers: Record<string, string | string[]>, { complete = false } = {}) {
    const { port } = server.address() as AddressInfo;
    return new Promise<{ status?: number; body: Record<string, unknown> }>((resolve, reject) => {
      const sent = request({ port, method: 'POST', path: '/', headers }, async (response) => {
        const chunks = await response.toArray();
        resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) });
        sent.destroy();
      });
      sent.on('error', reject);
      sent.write('{"begin":');
      if (complete) sent.end('1}');
    });
  }

  async function newKey() {
    const accountId = await fixture.newAccount();
    return { accountId, ...(await fixture.accounts.keys.create({ accountId, name: 'a' })) };
  }

  test('a key in Authorization is told where it is expected', async () => {
    const { apiKey } = await newKey();
    const { status, body } = await send({ authorization: `Bearer ${apiKey}` });
    expect(status).toBe(401);
    expect(body.error).toMatch(/an Authorization header: the key is expected in X-API-Key$/);
    expect(JSON.stringify(body)).not.toContain(apiKey);
  });

  test('a valid key lets the request in and names account and key', async () => {
    const { accountId, keyId, apiKey } = await newKey();
    const { status, body } = await send({ 'x-api-key': apiKey }, { complete: true });
    expect(status).toBe(200);
    expect(body).toEqual({ account: { id: accountId, plan: 'agency', email: expect.any(String) }, apiKeyId: keyId });
    expect(bodiesRead).toBeGreaterThan(0);
  });

  test('without a valid, active key the answer comes before the body is read', async () => {
    const inactive = await newKey();
    await fixture.accounts.keys.deactivate(inactive.accountId, inactive.keyId);
    const suspended = await newKey();
    await fixture.accounts.setSuspended(suspended.accountId, true);
    bodiesRead = 0;
    for (const [headers, status, code] of [
      [{}, 401, 'invalid_api_key'],
      [{ 'x-api-key': '' }, 401, 'invalid_api_key'],
      [{ 'x-api-key': 'wrong' }, 401, 'invalid_api_key'],
      [{ 'x-api-key': UNKNOWN_KEY }, 401, 'invalid_api_key'],
      [{ authorization: `Bearer ${UNKNOWN_KEY}` }, 401, 'invalid_api_key'],
      [{ 'x-api-key': inactive.apiKey }, 403, 'inactive_api_key'],
      [{ 'x-api-key': suspended.apiKey }, 403, 'account_suspended'],
    ] as const) {
      const answer = await send(headers);
      expect([answer.status, answer.body.code, typeof answer.body.error]).toEqual([status, code, 'string']);
    }
    expect(bodiesRead).toBe(0);
  });

  test('a deactivation counts from the very next request', async () => {
    const { accountId, keyId, apiKey } = await newKey();
    expect((await send({ 'x-api-key': apiKey }, { complete: true })).status).toBe(200);
    await fixture.accounts.keys.deactivate(accountId, keyId);
    expect((await send({ 'x-api-key': apiKey }, { complete: true })).status).toBe(403);
    await fixture.accounts.keys.activate(accountId, keyId);
    expect((await send({ 'x-api-key': apiKey }, { complete: true })).status).toBe(200);
  });

  test('junk causes no database query; two keys in one request are junk', async () => {
    const { apiKey } = await newKey();
    queries.length = 0;
    const wrongChecksum = UNKNOWN_KEY.replace(/k$/, 'l');
    for (const junk of ['x', '{"$gt":""}', '[object Object]', '../..', wrongChecksum, `${apiKey} x`, 'é'.repeat(39)]) {
      expect((await send({ 'x-api-key': Buffer.from(junk).toString('latin1') })).status).toBe(401);
    }
    expect((await send({ 'x-api-key': [apiKey, apiKey] })).status).toBe(401);
    expect(queries).toEqual([]);
    await send({ 'x-api-key': UNKNOWN_KEY });
    expect(queries).toEqual(['api_keys.findOne']);
  });
});

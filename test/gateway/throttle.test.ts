import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountsConfig } from '../../server/accounts/index.ts';
import { toWireError } from '../../server/errors.ts';
import { createGateway, createSessionCookie, type GatewayState } from '../../server/gateway/index.ts';
import { useAccounts } from '../accounts/accounts-fixture.ts';

const PLANS = { free: { keys: 1 }, agency: { keys: 20, rateLimit: { requests: 3, windowSeconds: 60 } } };
const fixture = useAccounts(accountsConfig.parse({ PLANS: JSON.stringify(PLANS) }));

describe('rate limit of a plan', () => {
  let server: ReturnType<Koa['listen']>;
  /** Time of the monotonic clock, in milliseconds. */
  let elapsedMs = 0;

  beforeAll(() => {
    const { authenticate, throttle } = createGateway({
      accounts: fixture.accounts,
      idempotencyRecords: fixture.repositories.idempotency,
      config: { ANALYSIS_CREDITS: 0 },
      browserSessions: fixture.signIn.browserSessions,
      shares: { check: async () => Promise.reject(new Error('no links here')) },
      cookie: createSessionCookie('secure'),
      now: () => new Date(fixture.clock.now),
      monotonicNow: () => elapsedMs,
    });
    const app = new Koa<GatewayState>();
    app.use(async (ctx, next) => {
      await next().catch((error: unknown) => {
        const { status, headers, body } = toWireError(error, 'req_test');
        Object.assign(ctx, { status, body });
        ctx.set(headers);
      });
    });
    app.use(authenticate.key).use(throttle);
    app.use((ctx) => {
      ctx.body = {};
    });
    server = app.listen(0);
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  async function newCaller(plan: string) {
    const accountId = await fixture.newAccount(plan);
    const { apiKey } = await fixture.accounts.keys.create({ accountId, name: 'a' });
    return async () => {
      const { port } = server.address() as AddressInfo;
      const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'X-API-Key': apiKey } });
      const header = (name: string) => response.headers.get(name);
      return {
        status: response.status,
        limit: header('ratelimit'),
        policy: header('ratelimit-policy'),
        retryAfter: header('retry-after'),
        body: (await response.json()) as Record<string, unknown>,
      };
    };
  }

  const wait = (seconds: number) => {
    elapsedMs += seconds * 1000;
  };

  test('is off for a plan without one', async () => {
    const call = await newCaller('free');
    for (let index = 0; index < 10; index += 1) {
      expect(await call()).toMatchObject({ status: 200, limit: null, policy: null });
    }
  });

  test('lets a window full of requests in, then answers 429 until the window ends', async () => {
    const call = await newCaller('agency');
    const policy = '"agency";q=3;w=60';
    expect(await call()).toMatchObject({ status: 200, policy, limit: '"agency";r=2;t=60', retryAfter: null });
    wait(20);
    expect(await call()).toMatchObject({ status: 200, policy, limit: '"agency";r=1;t=40' });
    expect(await call()).toMatchObject({ status: 200, policy, limit: '"agency";r=0;t=40' });
    expect(await call()).toMatchObject({
      status: 429,
      policy,
      limit: '"agency";r=0;t=40',
      retryAfter: '40',
      body: {
        code: 'rate_limited',
        limit: 3,
        error: 'At most 3 requests in 60 seconds on the plan agency; try again in 40 seconds',
      },
    });
    wait(39.5);
    expect(await call()).toMatchObject({ status: 429, retryAfter: '1' });
    wait(0.5);
    expect(await call()).toMatchObject({ status: 200, limit: '"agency";r=2;t=60' });
  });

  test('counts each account for itself', async () => {
    const [first, second] = [await newCaller('agency'), await newCaller('agency')];
    for (let index = 0; index < 4; index += 1) await first();
    expect((await first()).status).toBe(429);
    expect((await second()).status).toBe(200);
  });

  test.each([
    ['forwards', 86_400],
    ['backwards', -86_400],
  ])('a clock that is set %s neither ends a window nor prolongs it', async (_, seconds) => {
    const call = await newCaller('agency');
    for (let index = 0; index < 3; index += 1) await call();
    fixture.clock.now = new Date(fixture.clock.now.getTime() + seconds * 1000);
    expect(await call()).toMatchObject({ status: 429, retryAfter: '60' });
    wait(60);
    expect((await call()).status).toBe(200);
  });
});

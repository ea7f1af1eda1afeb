import { beforeAll, describe, expect, it } from 'vitest';
import { forEachLimit } from '#contract';
import packageJson from '../../package.json' with { type: 'json' };
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { plainImages } from '../support/small-images.ts';

let test: SharedService;
beforeAll(async () => {
  test = await sharedService();
});

describe('Credits', () => {
  it('a new account has 25', async () => {
    const account = await test.service.accounts.create({ email: 'new@example.com' });
    expect(account.balance).toBe(25);
  });

  it('the balance contains granted and used credits', async () => {
    const { api: owner } = await test.createAccount();
    await owner.run('export', await owner.upload(await plainImages(2)));
    expect(await owner.readJson('/v1/credits/balance')).toEqual({
      balance: 23,
      plan: 'free',
      used: 2,
      granted: 25,
      keys: { used: 1, limit: 1 },
      limits: {
        ...forEachLimit((_, { defaults }) => (defaults.free === undefined ? null : expect.anything())),
        samplesPerDay: { limit: 50, used: 0, resetsAt: expect.any(String) },
        analysesPerDay: { limit: 50, used: 0, resetsAt: expect.any(String) },
        storageMb: { limit: 2048, used: 0.1 },
        sessions: { limit: 100, used: 1 },
      },
      updatedAt: expect.any(String),
    });
  });

  it('a check accepts imageCount, a list or a number, is always 200 and charges nothing', async () => {
    const { api: owner } = await test.createAccount();
    const check = (json: object) => owner.readJson('/v1/credits/check', { json });
    const expected = {
      operation: 'export',
      imageCount: 12,
      costPerImage: 1,
      cost: 12,
      balance: 25,
      balanceAfter: 13,
      sufficient: true,
      shortfall: 0,
    };
    for (const body of [{ imageCount: 12 }, { images: 12 }, { images: Array(12).fill({}) }])
      expect(await check(body)).toEqual(expected);
    expect(await check({ imageCount: 30 })).toMatchObject({ sufficient: false, shortfall: 5, balanceAfter: -5 });
    for (const operation of ['sample', 'analyze']) {
      expect(await check({ imageCount: 30, operation })).toMatchObject({ operation, cost: 0, sufficient: true });
    }
    expect(await owner.balance()).toBe(25);
  });

  it('the transactions are the ledger, newest first, in pages', async () => {
    const { api: owner } = await test.createAccount();
    const { jobId } = await owner.run('export', await owner.upload(await plainImages(1)));
    type Page = { transactions: { kind: string; delta: number; ref: string }[]; nextCursor: string | null };
    const first = await owner.readJson<Page>('/v1/credits/transactions?limit=1');
    expect(first.transactions).toMatchObject([{ kind: 'charge', delta: -1, ref: jobId }]);
    const second = await owner.readJson<Page>(`/v1/credits/transactions?limit=1&cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ transactions: [{ kind: 'signup', delta: 25 }], nextCursor: null });

    const { api: other } = await test.createAccount();
    const unknown = first.nextCursor?.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    const wrong = [
      [owner, 'x'],
      [owner, ''],
      [owner, unknown],
      [other, first.nextCursor],
    ] as const;
    for (const [api, cursor] of wrong) {
      const refused = await api.request(`/v1/credits/transactions?cursor=${cursor}`);
      const fault = `expected the nextCursor of an earlier page, but received "${cursor}"`;
      expect([refused.status, await refused.json()]).toMatchObject([
        400,
        { code: 'invalid_request', error: `cursor: ${fault}`, errors: { cursor: [fault] } },
      ]);
    }
  });
});

describe('Health, metrics and documents', () => {
  it('need no key and are outside /v1', async () => {
    expect(await (await fetch(`${test.url}/healthz`)).json()).toEqual({
      status: 'ok',
      version: packageJson.version,
      analysis: { provider: 'none', status: 'none', reason: null },
    });
    expect(await (await fetch(`${test.url}/readyz`)).json()).toEqual({ status: 'ready' });
    const metrics = await fetch(`${test.url}/metrics`);
    expect(metrics.headers.get('Content-Type')).toMatch(/^text\/plain/);
    const text = await metrics.text();
    expect(text).toMatch(/^imagewright_http_requests_total\{route="\/v1\/sessions\/:sessionId\/export"/m);
    expect(text).toContain(`imagewright_build_info{version="${packageJson.version}"} 1`);
    expect((await fetch(`${test.url}/docs`)).headers.get('Content-Type')).toMatch(/^text\/html/);
    expect(await (await fetch(`${test.url}/v1/openapi.json`)).json()).toMatchObject({ openapi: '3.1.0' });
  });
});

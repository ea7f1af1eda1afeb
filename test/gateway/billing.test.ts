import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { balanceSchema, creditCheckRequestSchema, creditCheckSchema } from '#contract';
import { createGateway, createSessionCookie, type Gateway } from '../../server/gateway/index.ts';
import { rejection, useAccounts } from '../accounts/accounts-fixture.ts';

const fixture = useAccounts();

describe('billing', () => {
  let billing: Gateway['billing'];
  let account: { id: string };
  let jobId: string;

  beforeAll(() => {
    ({ billing } = createGateway({
      accounts: fixture.accounts,
      idempotencyRecords: fixture.repositories.idempotency,
      config: { ANALYSIS_CREDITS: 2 },
      browserSessions: fixture.signIn.browserSessions,
      shares: { check: async () => Promise.reject(new Error('no links here')) },
      cookie: createSessionCookie('secure'),
    }));
  });
  beforeEach(async () => {
    account = { id: await fixture.newAccount() };
    jobId = `job_${account.id}`;
  });

  test('an export costs 1 credit per image, a sample nothing, an analysis what is configured', async () => {
    expect(await billing.charge(account, jobId, 3, 'export')).toEqual({ charged: 3, refunded: 0, balance: 22 });
    expect(await billing.charge(account, `${jobId}-s`, 5, 'sample')).toEqual({ charged: 0, refunded: 0, balance: 22 });
    expect(await billing.charge(account, `${jobId}-a`, 4, 'analyze')).toEqual({ charged: 8, refunded: 0, balance: 14 });
    expect(await billing.isCharged(account.id, jobId)).toBe(true);
    expect(await billing.isCharged(account.id, `${jobId}-s`)).toBe(false);
  });

  test('too few credits: 402 with the numbers, and nothing is taken', async () => {
    expect(await rejection(billing.charge(account, jobId, 26, 'export'))).toMatchObject({
      code: 'insufficient_credits',
      message: 'Insufficient credits: balance is 25, 26 needed',
      details: { balance: 25, required: 26, shortfall: 1 },
    });
    expect(await billing.isCharged(account.id, jobId)).toBe(false);
  });

  test('settling gives back what was not delivered, once, also 20 times at once', async () => {
    await billing.charge(account, jobId, 10, 'export');
    const settled = await Promise.all(
      Array.from({ length: 20 }, () => billing.settle({ accountId: account.id, jobId, total: 10, completed: 7 })),
    );
    for (const credits of settled) expect(credits).toEqual({ charged: 10, refunded: 3, balance: 18 });
    expect((await fixture.accounts.audit()).broken).toEqual([]);
  });

  test('a complete job and a sample are settled without a refund', async () => {
    await billing.charge(account, jobId, 4, 'export');
    const job = { accountId: account.id, total: 4, completed: 4 };
    expect(await billing.settle({ ...job, jobId })).toEqual({ charged: 4, refunded: 0, balance: 21 });
    expect(await billing.settle({ ...job, jobId: `${jobId}-s`, completed: 0 })).toEqual({
      charged: 0,
      refunded: 0,
      balance: 21,
    });
  });

  test('a refund is in proportion to what was paid', async () => {
    await billing.charge(account, jobId, 4, 'analyze');
    expect(await billing.settle({ accountId: account.id, jobId, total: 4, completed: 1 })).toEqual({
      charged: 8,
      refunded: 6,
      balance: 23,
    });
  });

  test.each([
    [0, 0],
    [2, 3],
    [2, -1],
  ])('an outcome of %i images with %i completed is a mistake', async (total, completed) => {
    const outcome = billing.settle({ accountId: account.id, jobId, total, completed });
    expect(await rejection(outcome)).toBeInstanceOf(TypeError);
  });

  test('abandoned jobs are settled by what became of them', async () => {
    const [broken, gone, ended, running] = ['broken', 'gone', 'ended', 'running'].map((what) => `${jobId}-${what}`) as [
      string,
      string,
      string,
      string,
    ];
    for (const id of [broken, gone, ended, running]) await billing.charge(account, id, 5, 'export');
    const outcomes: Record<string, { total: number; completed: number } | 'running' | null> = {
      [gone]: null,
      [ended]: { total: 5, completed: 3 },
      [running]: 'running',
    };
    const outcomeOf = async (_: string, id: string) => {
      // The oldest one that fails keeps no other from its turn.
      if (id === broken) throw new Error('not to be found out');
      return outcomes[id] ?? null;
    };
    const failed: string[] = [];
    const onError = (_: unknown, ref: string) => failed.push(ref);
    expect(await billing.settleAbandoned({ outcomeOf, onError })).toBe(0);
    await billing.settleAbandoned({ outcomeOf, onError, minAgeMs: 0 });
    expect(await billing.balance(account.id)).toMatchObject({ balance: 12, used: 13 });
    expect(failed).toEqual([broken]);
    expect(await billing.settleAbandoned({ outcomeOf, onError, minAgeMs: 0 })).toBe(0);

    const again = await rejection(billing.charge(account, gone, 5, 'export'));
    expect(again).toMatchObject({ code: 'idempotency_in_progress', headers: { 'Retry-After': '1' } });
    expect((await fixture.accounts.audit()).broken).toEqual([]);
  });

  test('the balance has the form of the contract', async () => {
    await fixture.accounts.keys.create({ accountId: account.id, name: 'a' });
    await billing.charge(account, jobId, 2, 'export');
    const balance = await billing.balance(account.id);
    expect(balanceSchema.omit({ limits: true }).parse(balance)).toEqual(balance);
    expect(balance).toMatchObject({ balance: 23, plan: 'agency', used: 2, granted: 25, keys: { used: 1, limit: 20 } });
  });

  test.each([
    [
      { imageCount: 30 },
      {
        operation: 'export',
        imageCount: 30,
        costPerImage: 1,
        cost: 30,
        balanceAfter: -5,
        sufficient: false,
        shortfall: 5,
      },
    ],
    [{ images: 25 }, { imageCount: 25, cost: 25, balanceAfter: 0, sufficient: true, shortfall: 0 }],
    [{ images: [{}, {}] }, { imageCount: 2, cost: 2, balanceAfter: 23 }],
    [
      { imageCount: 100, operation: 'sample' },
      { costPerImage: 0, cost: 0, sufficient: true },
    ],
    [
      { imageCount: 3, operation: 'analyze' },
      { costPerImage: 2, cost: 6 },
    ],
  ])('a check of %j takes nothing', async (body, expected) => {
    const check = await billing.check(account, creditCheckRequestSchema.parse(body));
    expect(creditCheckSchema.parse(check)).toEqual(check);
    expect(check).toMatchObject({ balance: 25, ...expected });
    expect(await billing.balance(account.id)).toMatchObject({ balance: 25 });
  });
});

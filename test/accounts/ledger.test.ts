import { beforeEach, describe, expect, test } from 'vitest';
import { transactionPageSchema, transactionQuerySchema } from '#contract';
import { outlastOutage } from '../../server/concurrency.ts';
import { rejection, useAccounts } from './accounts-fixture.ts';

const fixture = useAccounts();

/** Returns the outcomes of `count` concurrent calls. On a busy machine, one that got no connection in time is repeated. */
async function race(
  count: number,
  call: (index: number) => Promise<unknown>,
): Promise<{ won: number; errors: Error[] }> {
  const results = await Promise.allSettled(
    Array.from({ length: count }, (_, index) => outlastOutage(() => call(index))),
  );
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
  return { won: count - errors.length, errors };
}

async function balanceOf(accountId: string): Promise<number | undefined> {
  return (await fixture.accounts.find(accountId))?.balance;
}

describe('ledger', () => {
  let accountId: string;
  beforeEach(async () => {
    accountId = await fixture.newAccount();
  });

  test('a charge reduces the balance and writes one entry', async () => {
    const result = await fixture.accounts.ledger.charge({ accountId, ref: `job-${accountId}`, amount: 12 });
    expect(result).toEqual({ balance: 13, applied: true });
    expect(await fixture.accounts.find(accountId)).toMatchObject({ balance: 13, used: 12, granted: 25 });
    const { transactions } = await fixture.accounts.transactions.page(accountId);
    expect(transactions.map(({ kind, delta }) => [kind, delta])).toEqual([
      ['charge', -12],
      ['signup', 25],
    ]);
    expect((await fixture.accounts.audit()).broken).toEqual([]);
  });

  test('a charge above the balance is refused with balance and required credits', async () => {
    const error = await rejection(fixture.accounts.ledger.charge({ accountId, ref: `job-${accountId}`, amount: 26 }));
    expect(error).toMatchObject({
      code: 'insufficient_credits',
      status: 402,
      message: 'Insufficient credits: balance is 25, 26 needed',
      details: { balance: 25, required: 26, shortfall: 1 },
    });
    expect(await balanceOf(accountId)).toBe(25);
  });

  test('of 200 concurrent charges of 1 on 25 credits exactly 25 succeed', async () => {
    const { won, errors } = await race(200, (index) =>
      fixture.accounts.ledger.charge({ accountId, ref: `${accountId}-${index}`, amount: 1 }),
    );
    expect(won).toBe(25);
    expect(errors.map((error) => error.message)).toEqual(
      Array(175).fill('Insufficient credits: balance is 0, 1 needed'),
    );
    expect(await balanceOf(accountId)).toBe(0);
    expect((await fixture.accounts.transactions.page(accountId, { limit: 200 })).transactions).toHaveLength(26);
    expect((await fixture.accounts.audit()).broken).toEqual([]);
  });

  test('of two concurrent charges of 20 on 25 credits one succeeds in full', async () => {
    const { won, errors } = await race(2, (index) =>
      fixture.accounts.ledger.charge({ accountId, ref: `${accountId}-${index}`, amount: 20 }),
    );
    expect([won, errors[0]?.message]).toEqual([1, 'Insufficient credits: balance is 5, 20 needed']);
    expect(await balanceOf(accountId)).toBe(5);
  });

  test('20 concurrent charges with the same ref are posted once', async () => {
    const { won } = await race(20, () => fixture.accounts.ledger.charge({ accountId, ref: accountId, amount: 2 }));
    expect(won).toBe(20);
    expect(await balanceOf(accountId)).toBe(23);
    expect((await fixture.accounts.audit()).broken).toEqual([]);
  });

  test('20 concurrent refunds with the same ref are posted once', async () => {
    await fixture.accounts.ledger.charge({ accountId, ref: accountId, amount: 10 });
    const { won } = await race(20, () => fixture.accounts.ledger.refund({ accountId, ref: accountId, amount: 4 }));
    expect(won).toBe(20);
    expect(await balanceOf(accountId)).toBe(19);
    expect(await fixture.accounts.find(accountId)).toMatchObject({ used: 6, granted: 25 });
    expect((await fixture.accounts.audit()).broken).toEqual([]);
  });

  test('a refund requires a charge of at least its amount', async () => {
    const { ledger } = fixture.accounts;
    await ledger.charge({ accountId, ref: accountId, amount: 3 });
    expect((await rejection(ledger.refund({ accountId, ref: accountId, amount: 4 }))).message).toContain(
      'cannot refund',
    );
    expect((await rejection(ledger.refund({ accountId, ref: 'none', amount: 1 }))).message).toContain('cannot refund');
    expect(await balanceOf(accountId)).toBe(22);
  });

  test('a ref of another account is refused', async () => {
    const other = await fixture.newAccount();
    const { ledger } = fixture.accounts;
    await ledger.charge({ accountId, ref: accountId, amount: 3 });
    await rejection(ledger.charge({ accountId: other, ref: accountId, amount: 3 }));
    await rejection(ledger.refund({ accountId: other, ref: accountId, amount: 3 }));
    await rejection(ledger.isCharged(other, accountId));
    expect(await balanceOf(other)).toBe(25);
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('an amount of %s is a mistake', async (amount) => {
    expect(await rejection(fixture.accounts.ledger.charge({ accountId, ref: 'x', amount }))).toBeInstanceOf(TypeError);
    expect(await rejection(fixture.accounts.ledger.grant({ accountId, amount }))).toBeInstanceOf(TypeError);
    expect(await balanceOf(accountId)).toBe(25);
  });

  test('grants without a ref are separate, with the same ref they are posted once', async () => {
    const { ledger } = fixture.accounts;
    await ledger.grant({ accountId, amount: 5 });
    await ledger.grant({ accountId, amount: 5, note: 'thanks' });
    await ledger.grant({ accountId, amount: 5, ref: `once-${accountId}` });
    expect(await ledger.grant({ accountId, amount: 5, ref: `once-${accountId}` })).toEqual({
      balance: 40,
      applied: false,
    });
    expect(await fixture.accounts.find(accountId)).toMatchObject({ balance: 40, used: 0, granted: 40 });
    const { transactions } = await fixture.accounts.transactions.page(accountId);
    expect(transactions.map(({ note }) => note)).toEqual([null, 'thanks', null, null]);
  });

  test('a charge is open until its job is settled', async () => {
    const { ledger } = fixture.accounts;
    await ledger.charge({ accountId, ref: accountId, amount: 2 });
    const open = async (minAgeMs: number) =>
      (await ledger.openCharges({ minAgeMs, limit: 1000 })).filter((charge) => charge.accountId === accountId);
    expect(await open(1)).toEqual([]);
    expect(await open(0)).toEqual([{ accountId, ref: accountId, amount: 2, at: fixture.clock.now }]);
    // Without the future entries, the charge would be settled a day late.
    const { now } = fixture.clock;
    fixture.clock.now = new Date(now.getTime() - 86_400_000);
    expect(await open(900_000)).toHaveLength(1);
    fixture.clock.now = now;
    await ledger.closeCharge(accountId, accountId);
    expect(await open(0)).toEqual([]);
  });

  test('pages are sorted newest first and not shifted by new entries', async () => {
    const { accounts } = fixture;
    for (let index = 1; index <= 7; index += 1) await accounts.ledger.grant({ accountId, amount: index });
    const deltas: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await accounts.transactions.page(accountId, { cursor, limit: 3 });
      expect(transactionPageSchema.parse(page)).toEqual(page);
      if (page.nextCursor)
        expect(transactionQuerySchema.parse({ cursor: page.nextCursor }).cursor).toBe(page.nextCursor);
      deltas.push(...page.transactions.map(({ delta }) => delta));
      cursor = page.nextCursor ?? undefined;
      await accounts.ledger.grant({ accountId, amount: 100 });
    } while (cursor);
    expect(deltas).toEqual([7, 6, 5, 4, 3, 2, 1, 25]);
  });
});

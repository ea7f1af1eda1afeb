import { beforeEach, describe, expect, test } from 'vitest';
import type { BrokenInvariant } from '../../server/accounts/index.ts';
import { useAccounts } from './accounts-fixture.ts';

const fixture = useAccounts();

describe('audit', () => {
  let accountId: string;
  let ref: string;
  beforeEach(async () => {
    await fixture.connection.model('Account').deleteMany({});
    await fixture.connection.model('LedgerLine').deleteMany({});
    accountId = await fixture.newAccount();
    ref = `job-${accountId}`;
    await fixture.accounts.ledger.charge({ accountId, ref, amount: 10 });
    await fixture.accounts.ledger.refund({ accountId, ref, amount: 4 });
  });

  const changeAccount = (change: object) => fixture.connection.model('Account').updateOne({ _id: accountId }, change);
  const changeLine = (kind: string, change: object) =>
    fixture.connection.model('LedgerLine').updateOne({ kind, accountId }, change);

  async function rules(): Promise<BrokenInvariant['rule'][]> {
    const report = await fixture.accounts.audit();
    expect(report.ok).toBe(report.broken.length === 0);
    for (const fault of report.broken) expect(fault.message).not.toBe('');
    return report.broken.map(({ rule }) => rule);
  }

  test('reports no fault in a consistent ledger, and its sums', async () => {
    expect(await fixture.accounts.audit()).toEqual({
      ok: true,
      broken: [],
      figures: { accounts: 1, lines: 3, pending: 0, balance: 19, used: 6, granted: 25 },
    });
  });

  test('finds a changed balance', async () => {
    await changeAccount({ $inc: { balance: 1 } });
    expect(await rules()).toEqual(['balance_differs']);
  });

  test('finds a negative balance', async () => {
    await changeAccount({ $set: { balance: -1 } });
    expect(await rules()).toEqual(['negative_balance', 'balance_differs']);
  });

  test('finds changed counters', async () => {
    await changeAccount({ $inc: { used: 1 } });
    expect(await rules()).toEqual(['counters_differ']);
    await changeAccount({ $inc: { used: -1, granted: 1 } });
    expect(await rules()).toEqual(['counters_differ']);
  });

  test('finds a removed entry', async () => {
    await fixture.connection.model('LedgerLine').deleteOne({ kind: 'signup', accountId });
    expect(await rules()).toEqual(['balance_differs', 'counters_differ']);
  });

  test('finds a refund without a charge', async () => {
    await fixture.connection.model('LedgerLine').deleteOne({ kind: 'charge', accountId });
    await changeAccount({ $inc: { balance: 10, used: -10 } });
    expect(await rules()).toEqual(['refund_without_charge']);
  });

  test('finds a refund above the charge', async () => {
    await changeLine('refund', { $set: { delta: 11 } });
    await changeAccount({ $inc: { balance: 7, used: -7 } });
    expect(await rules()).toEqual(['refund_exceeds_charge']);
  });

  test('finds a charge that adds credits', async () => {
    await changeLine('refund', { $set: { kind: 'grant' } });
    await changeLine('charge', { $set: { delta: 10 } });
    await changeAccount({ $inc: { balance: 20, used: -16, granted: 4 } });
    expect(await rules()).toEqual(['wrong_sign']);
  });

  test('finds two entries of a kind for one ref', async () => {
    await fixture.connection.model('LedgerLine').collection.dropIndex('kind_1_ref_1');
    const line = { accountId, kind: 'charge' as const, ref, delta: -1, note: null, at: fixture.clock.now };
    await fixture.repositories.ledger.insert({ _id: 'line_second', ...line });
    await changeAccount({ $inc: { balance: -1, used: 1 } });
    expect(await rules()).toEqual(['duplicate_line']);
    await fixture.repositories.accounts.find(accountId);
    await fixture.connection.model('LedgerLine').deleteOne({ _id: 'line_second' });
    await fixture.connection.model('LedgerLine').createIndexes();
  });

  test('finds an entry of an account that does not exist', async () => {
    const line = { kind: 'grant' as const, ref: 'lost', delta: 5, note: null, at: fixture.clock.now };
    await fixture.repositories.ledger.insert({ _id: 'line_lost', accountId: 'acct_none', ...line });
    expect(await rules()).toEqual(['orphan_line']);
  });

  test('counts a pending entry once, and not as a fault', async () => {
    const hold = { kind: 'grant' as const, ref: 'held', delta: 5, note: null, at: fixture.clock.now };
    await changeAccount({
      $push: { holds: { lineId: 'line_held', ...hold } },
      $inc: { balance: 5, granted: 5 },
    });
    expect(await fixture.accounts.audit()).toMatchObject({ ok: true, figures: { pending: 1, balance: 24 } });
    await fixture.repositories.ledger.insert({ _id: 'line_held', accountId, ...hold });
    expect(await fixture.accounts.audit()).toMatchObject({ ok: true, figures: { pending: 0, balance: 24 } });
  });

  test('finds no fault while entries are being posted', async () => {
    let running = true;
    const traffic = (async () => {
      for (let index = 0; running; index += 1) {
        await fixture.accounts.ledger.charge({ accountId, ref: `busy-${index}`, amount: 2 });
        await fixture.accounts.ledger.refund({ accountId, ref: `busy-${index}`, amount: 2 });
      }
    })();
    for (let round = 0; round < 15; round += 1) {
      const { broken } = await fixture.accounts.audit();
      // Accounts that keep changing may be reported; duplicate refs never are.
      expect(broken.filter(({ rule }) => rule !== 'balance_differs' && rule !== 'counters_differ')).toEqual([]);
    }
    running = false;
    await traffic;
    expect((await fixture.accounts.audit()).broken).toEqual([]);
  });
});

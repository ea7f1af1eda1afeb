import { describe, expect, test } from 'vitest';
import { spendingDays } from '../../server/db/migrations/spending-days.ts';
import { useAccounts } from './accounts-fixture.ts';

const fixture = useAccounts();
const FROM = '2025-06-01';

async function spend(accountId: string, day: string, amount: number, refunded = 0) {
  fixture.clock.now = new Date(`${day}T12:00:00Z`);
  const { charge, refund } = fixture.accounts.ledger;
  await charge({ accountId, ref: `${accountId}-${day}`, amount });
  if (refunded > 0) await refund({ accountId, ref: `${accountId}-${day}`, amount: refunded });
}

describe('spending by day', () => {
  test('is counted with each entry: charges less refunds, once each', async () => {
    const accountId = await fixture.newAccount();
    await spend(accountId, '2025-12-31', 3);
    await spend(accountId, '2026-03-01', 10, 4);
    await fixture.accounts.ledger.charge({ accountId, ref: `${accountId}-2026-03-01`, amount: 10 });
    await fixture.accounts.ledger.grant({ accountId, amount: 100 });
    const days = await fixture.accounts.transactions.spending(accountId, FROM);
    expect([...days]).toEqual([
      ['2025-12-31', 3],
      ['2026-03-01', 6],
    ]);
    expect([...(await fixture.accounts.transactions.spending(accountId, '2026-01-01')).keys()]).toEqual(['2026-03-01']);
  });

  test('forgets years that no report reaches', async () => {
    const accountId = await fixture.newAccount();
    await spend(accountId, '2023-05-05', 1);
    await spend(accountId, '2026-03-01', 1);
    expect([...(await fixture.accounts.transactions.spending(accountId, '2020-01-01')).keys()]).toEqual(['2026-03-01']);
  });

  test('is counted for accounts of older data, with pending entries, also when that is repeated', async () => {
    const accountId = await fixture.newAccount();
    const year = new Date().getUTCFullYear();
    await spend(accountId, `${year}-01-02`, 5, 2);
    await spend(accountId, `${year}-01-03`, 1);
    const accounts = fixture.connection.model('Account');
    const at = new Date(`${year}-01-03T13:00:00Z`);
    const hold = { lineId: 'line_pending', kind: 'charge', ref: 'pending', delta: -2, note: null, at };
    await accounts.updateOne({ _id: accountId }, { $unset: { days: 1 }, $push: { holds: hold } });
    for (let round = 0; round < 2; round += 1) await spendingDays.apply(fixture.connection, () => {});
    const days = await fixture.accounts.transactions.spending(accountId, `${year}-01-01`);
    expect([...days].sort()).toEqual([
      [`${year}-01-02`, 3],
      [`${year}-01-03`, 3],
    ]);
    await accounts.updateOne({ _id: accountId }, { $pull: { holds: { lineId: 'line_pending' } } });
  });
});

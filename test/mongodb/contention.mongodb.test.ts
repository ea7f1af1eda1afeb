import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { useAccounts } from '../accounts/accounts-fixture.ts';
import { inParallel } from '../support/raw-request.ts';

const CHARGES = 2000;
const AT_ONCE = 50;
const fixture = useAccounts();

it('500 charges a second of one account conflict without a lost or doubled credit', async () => {
  const accountId = await fixture.newAccount();
  const { ledger } = fixture.accounts;
  await ledger.grant({ accountId, amount: 3_000_000_000 });
  const { balance: before = 0 } = (await fixture.repositories.accounts.find(accountId)) ?? {};
  const startedAt = performance.now();
  const refs = Array.from({ length: CHARGES }, () => `job_${randomUUID()}`);
  await inParallel(refs, AT_ONCE, async (ref) => {
    // A client that repeats its request at the same moment.
    await Promise.all([1, 2].map(() => ledger.charge({ accountId, ref, amount: 1 })));
  });
  const perSecond = (2 * CHARGES) / ((performance.now() - startedAt) / 1000);
  console.log(`${perSecond.toFixed(0)} charges a second of one account`);
  // The balance is above 32 bits, so it is a long or a double in the database.
  expect((await fixture.repositories.accounts.find(accountId))?.balance).toBe(before - CHARGES);
  expect((await fixture.accounts.audit()).broken).toEqual([]);
});

it('concurrent upserts of one key count each of them once', async () => {
  const { counters } = fixture.repositories;
  const [now, until] = [fixture.clock.now, new Date(fixture.clock.now.getTime() + 3_600_000)];
  for (let round = 0; round < 20; round += 1) {
    const id = `race:${round}`;
    const taken = await Promise.all(
      Array.from({ length: 50 }, () => counters.take({ id, amount: 1, limit: 30, now, until })),
    );
    expect(taken.filter(({ isTaken }) => isTaken)).toHaveLength(30);
  }
});

it('a document above 16 MB is refused and leaves nothing', async () => {
  const collection = fixture.connection.collection<{ _id: string; text: string }>('large');
  const large = { _id: 'large', text: 'x'.repeat(17_000_000) };
  await expect(collection.insertOne(large)).rejects.toThrow(/larger than|too large|maximum|exceeds/i);
  expect(await collection.countDocuments()).toBe(0);
});

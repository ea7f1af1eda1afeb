import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Accounts } from '../../server/accounts/index.ts';
import { useAccounts } from './accounts-fixture.ts';

const fixture = useAccounts();

const step = fc.record({
  kind: fc.constantFrom('charge', 'refund', 'grant', 'sweep'),
  ref: fc.integer({ min: 0, max: 4 }),
  amount: fc.integer({ min: 1, max: 15 }),
  /** Number of the database call at which the process dies; beyond the last call it survives. */
  diesAt: fc.option(fc.integer({ min: 1, max: 5 }), { nil: null, freq: 4 }),
});

/** Creates accounts whose process dies before or after its n-th database call. */
function dyingAt(call: number | null): Accounts {
  if (call === null) return fixture.accounts;
  let calls = 0;
  const mortal = <T extends object>(repository: T): T =>
    new Proxy(repository, {
      get(target, name) {
        const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          calls += 1;
          if (calls > call || (calls === call && call % 2 === 0)) throw new Error('crash');
          const result = await method(...args);
          if (calls >= call) throw new Error('crash');
          return result;
        };
      },
    });
  const { accounts, ledger } = fixture.repositories;
  return fixture.createWith({ accounts: mortal(accounts), ledger: mortal(ledger) });
}

test('charges, refunds and grants keep the ledger consistent in any interleaving and with crashes anywhere', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { maxLength: 4 }), async (rounds) => {
      const accountId = await fixture.newAccount();
      for (const round of rounds) {
        await Promise.allSettled(
          round.map(({ kind, ref, amount, diesAt }) => {
            const { ledger } = dyingAt(diesAt);
            if (kind === 'sweep') return ledger.settlePending({ minAgeMs: 0 });
            return ledger[kind as 'charge' | 'refund' | 'grant']({ accountId, ref: `${accountId}-${ref}`, amount });
          }),
        );
        const { broken } = await fixture.accounts.audit();
        expect(broken).toEqual([]);
      }
      await fixture.accounts.ledger.settlePending({ minAgeMs: 0 });
      const { broken, figures } = await fixture.accounts.audit();
      expect([broken, figures.pending]).toEqual([[], 0]);

      const { transactions } = await fixture.accounts.transactions.page(accountId, { limit: 200 });
      const account = await fixture.accounts.find(accountId);
      expect(account?.balance).toBe(transactions.reduce((sum, { delta }) => sum + delta, 0));
      expect(new Set(transactions.map(({ kind, ref }) => `${kind} ${ref}`)).size).toBe(transactions.length);
    }),
    { numRuns: 60, endOnFailure: true },
  );
});

import { describe, expect, test } from 'vitest';
import { createAccountRemoval } from '../../server/accounts/index.ts';
import { createLogger } from '../../server/observability/index.ts';
import { rejection, useAccounts } from './accounts-fixture.ts';

const fixture = useAccounts();

function remove(accountId: string): Promise<void> {
  const removal = createAccountRemoval({
    repositories: fixture.repositories,
    forgetBrowserSessions: async () => {},
    removeData: async () => true,
    logger: createLogger({ level: 'silent', format: 'json' }),
  });
  return removal.remove(accountId);
}

async function expectNothingLeft(accountId: string): Promise<void> {
  expect(await fixture.repositories.accounts.find(accountId)).toBeNull();
  expect(await fixture.repositories.ledger.page(accountId, 10)).toEqual([]);
  expect((await fixture.accounts.audit()).broken).toEqual([]);
}

describe('a grant concurrent with the deletion of its account leaves no entry', () => {
  test('if the whole deletion happens between balance update and entry', async () => {
    const accountId = await fixture.newAccount();
    const { ledger } = fixture.repositories;
    const slow = fixture.createWith({
      ledger: { ...ledger, insert: (line) => remove(accountId).then(() => ledger.insert(line)) },
    });
    await slow.ledger.grant({ accountId, amount: 5 });
    await expectNothingLeft(accountId);
  });

  test('if the entry is written between the removal of entries and of the account', async () => {
    const accountId = await fixture.newAccount();
    const { accounts, ledger } = fixture.repositories;
    let resume = () => {};
    const moved = new Promise<void>((resolve) => {
      resume = resolve;
    });
    let begun = () => {};
    const holding = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const slow = fixture.createWith({
      ledger: {
        ...ledger,
        async insert(line) {
          begun();
          await moved;
          return ledger.insert(line);
        },
      },
    });
    const granted = slow.ledger.grant({ accountId, amount: 5 });
    await holding;
    const removal = createAccountRemoval({
      repositories: {
        ...fixture.repositories,
        accounts: {
          ...accounts,
          async removeDeleted(id) {
            resume();
            await granted;
            expect(await ledger.page(id, 10)).toHaveLength(1);
            await accounts.removeDeleted(id);
          },
        },
      },
      forgetBrowserSessions: async () => {},
      removeData: async () => true,
      logger: createLogger({ level: 'silent', format: 'json' }),
    });
    await removal.remove(accountId);
    await expectNothingLeft(accountId);
  });

  test('if the account is marked already; only refunds are still posted', async () => {
    const accountId = await fixture.newAccount();
    const { ledger } = fixture.accounts;
    await ledger.charge({ accountId, ref: accountId, amount: 7 });
    const { accounts } = fixture.repositories;
    const marking = fixture.createWith({
      accounts: {
        ...accounts,
        async move(movement) {
          await accounts.markDeleted(accountId, new Date());
          return accounts.move(movement);
        },
      },
    });
    expect(await rejection(marking.ledger.grant({ accountId, amount: 5 }))).toMatchObject({ code: 'not_found' });
    expect(await rejection(ledger.charge({ accountId, ref: 'other', amount: 5 }))).toMatchObject({ code: 'not_found' });
    expect(await ledger.refund({ accountId, ref: accountId, amount: 3 })).toEqual({ balance: 21, applied: true });
  });
});

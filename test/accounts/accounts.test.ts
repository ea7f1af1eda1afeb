import { describe, expect, test } from 'vitest';
import { rejection, useAccounts } from './accounts-fixture.ts';

const fixture = useAccounts();

describe('accounts', () => {
  test('a new account has its sign-up credits in balance and ledger', async () => {
    const account = await fixture.accounts.create({ email: 'First@Example.org' });
    expect(account).toMatchObject({
      email: 'first@example.org',
      plan: 'free',
      suspended: false,
      balance: 25,
      used: 0,
      granted: 25,
      keys: { used: 0, limit: 1 },
    });
    expect(account.id).toMatch(/^acct_[0-9A-Za-z]{22}$/);
    expect(await fixture.accounts.find(account.id)).toEqual(account);
    const { transactions } = await fixture.accounts.transactions.page(account.id);
    expect(transactions).toMatchObject([{ kind: 'signup', delta: 25, ref: account.id, note: null }]);
  });

  test('of 20 concurrent creations with one email in any case one succeeds', async () => {
    const attempts = Array.from({ length: 20 }, (_, index) =>
      fixture.accounts.create({ email: index % 2 ? 'race@example.org' : ' RACE@example.org ' }),
    );
    const results = await Promise.allSettled(attempts);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await fixture.accounts.findByEmail('Race@Example.ORG'))?.email).toBe('race@example.org');
    expect((await fixture.accounts.audit()).broken).toEqual([]);
  });

  test.each(['a@b.c', 'me@imagewright.local', 'x.y+z@mail.example.xn--p1ai', "o'neil@a-b.co.uk"])(
    '%j is an email address',
    async (email) => {
      expect(await fixture.accounts.create({ email })).toMatchObject({ email });
    },
  );

  test.each(['', 'nobody', 'a@b', 'a@b.', 'a@.c', 'a@b.-c', 'a@b.1', 'a.@b.c', 'a b@example.org'])(
    '%j is no email address',
    async (email) => {
      expect(await rejection(fixture.accounts.create({ email }))).toMatchObject({ code: 'invalid_request' });
    },
  );

  test('an unknown plan is refused', async () => {
    const error = await rejection(fixture.accounts.create({ email: 'plan@example.org', plan: 'constructor' }));
    expect(error.message).toBe('expected plan to be one of free, agency, but received "constructor"');
    const accountId = await fixture.newAccount();
    expect(await rejection(fixture.accounts.setPlan(accountId, 'gold'))).toMatchObject({ code: 'invalid_request' });
  });

  test('plan and suspension can be changed', async () => {
    const accountId = await fixture.newAccount('free');
    expect(await fixture.accounts.setPlan(accountId, 'agency')).toMatchObject({ plan: 'agency', keys: { limit: 20 } });
    expect(await fixture.accounts.setSuspended(accountId, true)).toMatchObject({ suspended: true });
    expect(await fixture.accounts.setSuspended(accountId, false)).toMatchObject({ suspended: false });
    expect(await rejection(fixture.accounts.setSuspended('acct_none', true))).toMatchObject({ code: 'not_found' });
  });

  test('the list contains each account once', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => fixture.newAccount()));
    const ids: string[] = [];
    for await (const account of fixture.accounts.list()) ids.push(account.id);
    expect(ids).toEqual(expect.arrayContaining(made));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

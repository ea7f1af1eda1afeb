import { describe, expect, test } from 'vitest';
import type { Accounts } from '../../server/accounts/index.ts';
import { rejection, useAccounts } from './accounts-fixture.ts';

const fixture = useAccounts();

const crash = async (): Promise<never> => {
  throw new Error('crash');
};

/** Creates accounts whose process dies before the step. */
function dyingBefore(step: 'move' | 'insert' | 'clearHold'): Accounts {
  const { accounts, ledger } = fixture.repositories;
  return fixture.createWith({
    accounts: { ...accounts, ...(step === 'insert' ? {} : { [step]: crash }) },
    ledger: { ...ledger, ...(step === 'insert' ? { insert: crash } : {}) },
  });
}

/** Creates accounts whose process dies after the step, before it receives the result. */
function dyingAfter(step: 'move' | 'insert' | 'clearHold'): Accounts {
  const { accounts, ledger } = fixture.repositories;
  return fixture.createWith({
    accounts: {
      ...accounts,
      ...(step === 'move' ? { move: (change) => accounts.move(change).then(crash) } : {}),
      ...(step === 'clearHold' ? { clearHold: (id, lineId) => accounts.clearHold(id, lineId).then(crash) } : {}),
    },
    ledger: { ...ledger, ...(step === 'insert' ? { insert: (line) => ledger.insert(line).then(crash) } : {}) },
  });
}

async function stateOf(accountId: string) {
  const { accounts } = fixture;
  const account = await accounts.find(accountId);
  const { transactions } = await accounts.transactions.page(accountId);
  return { balance: account?.balance, lines: transactions.map(({ kind, delta }) => `${kind} ${delta}`) };
}

const CHARGED = { balance: 18, lines: ['charge -7', 'signup 25'] };
const UNTOUCHED = { balance: 25, lines: ['signup 25'] };
const CRASHES = [
  ['before the balance changes', () => dyingBefore('move'), UNTOUCHED],
  ['after the balance has changed', () => dyingAfter('move'), CHARGED],
  ['before the ledger entry is written', () => dyingBefore('insert'), CHARGED],
  ['after the ledger entry is written', () => dyingAfter('insert'), CHARGED],
  ['before the pending entry is removed', () => dyingBefore('clearHold'), CHARGED],
  ['after the pending entry is removed', () => dyingAfter('clearHold'), CHARGED],
] as const;

describe.each(CRASHES)('a process that dies %s', (_, dying, expected) => {
  test('leaves either no charge or one that the sweeper completes', async () => {
    const accountId = await fixture.newAccount();
    const charge = { accountId, ref: accountId, amount: 7 };
    expect((await rejection(dying().ledger.charge(charge))).message).toBe('crash');
    expect((await fixture.accounts.audit()).broken).toEqual([]);
    expect(await fixture.accounts.ledger.isCharged(accountId, accountId)).toBe(expected === CHARGED);

    await fixture.accounts.ledger.settlePending({ minAgeMs: 0 });
    expect(await stateOf(accountId)).toEqual(expected);
    expect(await fixture.accounts.audit()).toMatchObject({ broken: [], figures: { pending: 0 } });
    expect((await fixture.repositories.accounts.find(accountId))?.holds).toEqual([]);
  });

  test('a repeated charge is posted once, with and without the sweeper', async () => {
    const accountId = await fixture.newAccount();
    const charge = { accountId, ref: accountId, amount: 7 };
    await rejection(dying().ledger.charge(charge));
    await Promise.all([
      fixture.accounts.ledger.charge(charge),
      fixture.accounts.ledger.charge(charge),
      fixture.accounts.ledger.settlePending({ minAgeMs: 0 }),
    ]);
    expect(await stateOf(accountId)).toEqual(CHARGED);
    expect((await fixture.accounts.audit()).broken).toEqual([]);
  });

  test('a repeated refund is posted once', async () => {
    const accountId = await fixture.newAccount();
    await fixture.accounts.ledger.charge({ accountId, ref: accountId, amount: 7 });
    const refund = { accountId, ref: accountId, amount: 3 };
    await rejection(dying().ledger.refund(refund));
    await fixture.accounts.ledger.refund(refund);
    expect(await stateOf(accountId)).toEqual({ balance: 21, lines: ['refund 3', 'charge -7', 'signup 25'] });
    expect((await fixture.accounts.audit()).broken).toEqual([]);
  });
});

describe('an entry with a concurrent duplicate', () => {
  test('is not posted again if the duplicate was completed between search and update', async () => {
    const accountId = await fixture.newAccount();
    const { ledger } = fixture.repositories;
    const charge = { accountId, ref: accountId, amount: 7 };
    let overtaken = false;
    const slow = fixture.createWith({
      ledger: {
        ...ledger,
        async findByRef(kind, ref) {
          const found = await ledger.findByRef(kind, ref);
          if (!overtaken) {
            overtaken = true;
            await fixture.accounts.ledger.charge(charge);
          }
          return found;
        },
      },
    });
    expect(await slow.ledger.charge(charge)).toEqual({ balance: 18, applied: false });
    expect(await stateOf(accountId)).toEqual(CHARGED);
  });
});

describe('the sweeper', () => {
  test('skips recent entries', async () => {
    const accountId = await fixture.newAccount();
    await rejection(dyingBefore('insert').ledger.charge({ accountId, ref: accountId, amount: 1 }));
    expect(await fixture.accounts.ledger.settlePending()).toEqual({ finished: 0, stuck: [] });
    fixture.clock.now = new Date(fixture.clock.now.getTime() + 10_000);
    expect(await fixture.accounts.ledger.settlePending()).toEqual({ finished: 1, stuck: [] });
    expect(await fixture.accounts.ledger.settlePending()).toEqual({ finished: 0, stuck: [] });
  });

  test('completes entries of the future after the clock was set back', async () => {
    const accountId = await fixture.newAccount();
    await rejection(dyingBefore('insert').ledger.charge({ accountId, ref: accountId, amount: 1 }));
    fixture.clock.now = new Date(fixture.clock.now.getTime() - 86_400_000);
    expect(await fixture.accounts.ledger.settlePending()).toEqual({ finished: 1, stuck: [] });
    expect((await fixture.repositories.accounts.find(accountId))?.holds).toEqual([]);
  });

  test('completes the sign-up entry of an account whose creation was interrupted', async () => {
    const email = 'cut-off@example.org';
    await rejection(dyingBefore('insert').create({ email }));
    await fixture.accounts.ledger.settlePending({ minAgeMs: 0 });
    const account = await fixture.accounts.findByEmail(email);
    expect(await stateOf(account?.id ?? '')).toEqual(UNTOUCHED);
  });

  test('rejects if the database fails', async () => {
    const accountId = await fixture.newAccount();
    await rejection(dyingBefore('insert').ledger.charge({ accountId, ref: accountId, amount: 1 }));
    const { message } = await rejection(dyingBefore('insert').ledger.settlePending({ minAgeMs: 0 }));
    expect(message).toBe('crash');
    expect(await fixture.accounts.ledger.settlePending({ minAgeMs: 0 })).toEqual({ finished: 1, stuck: [] });
  });

  test('reports an entry that contradicts the ledger and completes the others', async () => {
    const [broken, healthy] = [await fixture.newAccount(), await fixture.newAccount()];
    for (const accountId of [broken, healthy]) {
      await rejection(dyingBefore('insert').ledger.charge({ accountId, ref: accountId, amount: 1 }));
    }
    await fixture.repositories.ledger.insert({
      _id: `line_foreign${broken}`,
      accountId: broken,
      kind: 'charge',
      ref: broken,
      delta: -1,
      note: null,
      at: fixture.clock.now,
    });
    expect(await fixture.accounts.ledger.settlePending({ minAgeMs: 0 })).toEqual({
      finished: 1,
      stuck: [`the ledger has another charge for ${broken}`],
    });
    expect((await fixture.repositories.accounts.find(healthy))?.holds).toEqual([]);
    expect((await fixture.accounts.audit()).broken.map(({ accountId }) => accountId)).toContain(broken);
  });
});

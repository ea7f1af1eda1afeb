import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { createBudget } from '../../server/budgets/index.ts';
import { AppError } from '../../server/errors.ts';
import type { SignInDeps } from '../../server/sign-in/index.ts';
import { createPasswordSignIn } from '../../server/sign-in/sign-in.ts';
import { rejection, useAccounts } from '../accounts/accounts-fixture.ts';
import { cheapPasswords, outdatedPasswords } from '../support/cheap-passwords.ts';
import { type Gate, newGate } from '../support/gate.ts';
import { tokenIn } from '../support/mail-server.ts';

const fixture = useAccounts();
// The database removes expired records by the real clock.
beforeAll(() => {
  fixture.clock.now = new Date();
});

const OLD = 'old correct horse 77';
const NEW = 'new battery staple 88';
const OTHER = 'a third sentence 99';

let people = 0;
async function newPerson() {
  people += 1;
  const passwordHash = await outdatedPasswords.hash(OLD);
  const { id, email } = await fixture.accounts.create({ email: `${randomUUID()}@example.org`, passwordHash });
  return { id, email, visitor: { address: `192.0.2.${people}`, userAgent: '' } };
}
type Person = Awaited<ReturnType<typeof newPerson>>;

type Gated = Partial<SignInDeps>;

/** Creates sign-in as in another process that is slow at one step. */
function slowProcess(parts: (pass: Gate['pass']) => Gated) {
  const gate = newGate();
  return { signIn: fixture.newSignIn(parts(gate.pass)), gate };
}

/** Wraps a function so that it waits at a gate first. */
const before =
  <A extends unknown[], R>(pass: Gate['pass'], work: (...args: A) => Promise<R>) =>
  async (...args: A): Promise<R> => {
    await pass();
    return work(...args);
  };

const atHash = (pass: Gate['pass']): Gated => ({
  accounts: {
    ...fixture.accounts,
    async passwordHashOf(accountId) {
      const hash = await fixture.accounts.passwordHashOf(accountId);
      await pass();
      return hash;
    },
  },
});
const atLogin = (pass: Gate['pass']): Gated => {
  const { browserSessions } = fixture.repositories;
  return {
    repositories: {
      ...fixture.repositories,
      browserSessions: { ...browserSessions, insert: before(pass, browserSessions.insert) },
    },
  };
};
const atNotice = (pass: Gate['pass']): Gated => {
  const { mails } = fixture.repositories;
  return { repositories: { ...fixture.repositories, mails: { ...mails, put: before(pass, mails.put) } } };
};
const atWrite = (pass: Gate['pass']): Gated => {
  const { accounts } = fixture.repositories;
  const slow = {
    ...accounts,
    setPassword: before(pass, accounts.setPassword),
    renewHash: before(pass, accounts.renewHash),
    setPendingEmail: before(pass, accounts.setPendingEmail),
  };
  return { accounts: fixture.createWith({ accounts: slow }) };
};

/** Sets a new password with a mailed link. */
async function reset({ id, email, visitor }: Person) {
  await fixture.signIn.passwords.requestReset(email, visitor);
  await fixture.signIn.deliver();
  const printed = fixture.printed.findLast((text) => text.includes(email) && text.includes('/reset#')) ?? '';
  const { loginId } = await fixture.signIn.passwords.reset({ token: tokenIn(printed), password: NEW }, visitor);
  return { loginId, hash: await fixture.accounts.passwordHashOf(id) };
}

const loginsOf = async ({ id }: Person) =>
  (await fixture.repositories.browserSessions.list(id, fixture.clock.now)).map(({ _id }) => _id);

/** Expects the state after any reset: one session, the new password and the same address. */
async function expectOwned(person: Person, { loginId, hash }: Awaited<ReturnType<typeof reset>>) {
  expect(await loginsOf(person)).toEqual([loginId]);
  expect(await fixture.accounts.passwordHashOf(person.id)).toBe(hash);
  expect(await fixture.accounts.find(person.id)).toMatchObject({ email: person.email });
}

describe('an operation begun with the old password and overtaken by a reset', () => {
  test.each([
    ['while the password is checked', atHash],
    ['after the password was verified', atLogin],
  ])('lets nobody in: a log-in, %s', async (_title, where) => {
    const person = await newPerson();
    const { signIn, gate } = slowProcess(where);
    const attempt = rejection(signIn.signIn({ email: person.email, password: OLD }, person.visitor));
    await gate.reached;
    const owner = await reset(person);
    gate.open();
    expect(await attempt).toMatchObject({ code: 'wrong_credentials' });
    await expectOwned(person, owner);
  });

  test.each([
    ['while the password is checked', atHash],
    ['before the new one is stored', atWrite],
    ['after the new one was stored', atNotice],
  ])('lets nobody in: a change of password, %s', async (_title, where) => {
    const person = await newPerson();
    const { signIn, gate } = slowProcess(where);
    const change = { currentPassword: OLD, newPassword: OTHER };
    const attempt = rejection(signIn.passwords.change(person, change, person.visitor));
    await gate.reached;
    const owner = await reset(person);
    gate.open();
    expect(await attempt).toMatchObject({ code: 'wrong_password' });
    await expectOwned(person, owner);
  });

  test.each([
    ['while the password is checked', atHash],
    ['before it is stored', atWrite],
  ])('moves no account: a change of address, %s', async (_title, where) => {
    const person = await newPerson();
    const { signIn, gate } = slowProcess(where);
    const email = `mallory-${people}@example.org`;
    const attempt = rejection(signIn.emailChange.request(person, { email, password: OLD }));
    await gate.reached;
    const owner = await reset(person);
    gate.open();
    expect(await attempt).toMatchObject({ code: 'wrong_password' });
    await Promise.all([signIn.deliver(), fixture.signIn.deliver()]);
    expect(await fixture.connection.model('Notice').countDocuments({ email })).toBe(0);
    expect(await fixture.accounts.find(person.id)).toMatchObject({ pendingEmail: null });
    await expectOwned(person, owner);
  });

  test('does not confirm the old password', async () => {
    const person = await newPerson();
    const { signIn, gate } = slowProcess(atHash);
    const attempt = rejection(signIn.confirmPassword(person.id, OLD));
    await gate.reached;
    await reset(person);
    gate.open();
    expect(await attempt).toMatchObject({ code: 'wrong_password' });
  });

  test('does not restore the old hash by renewing it', async () => {
    const person = await newPerson();
    const { signIn, gate } = slowProcess(atWrite);
    const attempt = signIn.signIn({ email: person.email, password: OLD }, person.visitor);
    await gate.reached;
    const owner = await reset(person);
    gate.open();
    const { token } = await attempt;
    expect(await fixture.signIn.browserSessions.check(token)).toEqual({ outcome: 'unknown' });
    await expectOwned(person, owner);
  });
});

test('all concurrent sign-ins that renew one hash succeed', async () => {
  const { id, email, visitor } = await newPerson();
  const opened = await Promise.all([1, 2, 3].map(() => fixture.signIn.signIn({ email, password: OLD }, visitor)));
  for (const { token } of opened)
    expect(await fixture.signIn.browserSessions.check(token)).toMatchObject({ outcome: 'valid' });
  expect(cheapPasswords.isOutdated(await fixture.accounts.passwordHashOf(id))).toBe(false);
});

test('a password that was not checked because of overload does not count as a guess', async () => {
  const { email, visitor } = await newPerson();
  let busy = true;
  const verify: typeof outdatedPasswords.verify = async (...given) => {
    if (busy) throw new AppError('overloaded', 'Too many people log in at this moment');
    return outdatedPasswords.verify(...given);
  };
  const passwords = { ...outdatedPasswords, verify };
  const guesses = createBudget({ name: 'guesses' }, { monotonicNow: () => fixture.clock.now.getTime() });
  const { accounts, signIn } = fixture;
  const { signIn: enter } = createPasswordSignIn({
    accounts,
    browserSessions: signIn.browserSessions,
    passwords,
    guesses,
  } as never);
  for (let attempt = 0; attempt < 6; attempt += 1) {
    expect(await rejection(enter({ email, password: OLD }, visitor))).toMatchObject({ code: 'overloaded' });
  }
  busy = false;
  expect(await enter({ email, password: OLD }, visitor)).toMatchObject({ accountId: expect.any(String) });
});

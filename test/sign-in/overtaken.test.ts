import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../server/errors.ts';
import { createAttempts } from '../../server/sign-in/attempts.ts';
import type { SignInDeps } from '../../server/sign-in/index.ts';
import { createPasswordHash } from '../../server/sign-in/password-hash.ts';
import { createPasswordSignIn } from '../../server/sign-in/sign-in.ts';
import { rejection, useAccounts } from '../accounts/accounts-fixture.ts';
import { type Gate, newGate } from '../support/gate.ts';
import { tokenIn } from '../support/mail-server.ts';

const fixture = useAccounts();
// The database removes what has expired by the real clock.
beforeAll(() => {
  fixture.clock.now = new Date();
});

const OLD = 'old correct horse 77';
const NEW = 'new battery staple 88';
const OTHER = 'a third sentence 99';
/** Of another cost than new ones, and quick to check. */
const cheap = createPasswordHash({ cost: { ln: 4, r: 8, p: 1 } });

let people = 0;
async function newPerson() {
  people += 1;
  const passwordHash = await cheap.hash(OLD);
  const { id, email } = await fixture.accounts.create({ email: `${randomUUID()}@example.org`, passwordHash });
  return { id, email, visitor: { address: `192.0.2.${people}`, userAgent: '' } };
}
type Person = Awaited<ReturnType<typeof newPerson>>;

type Gated = Partial<SignInDeps>;

/** The ways in of a process of its own, which is slow at one place. */
function slowProcess(parts: (pass: Gate['pass']) => Gated) {
  const gate = newGate();
  return { signIn: fixture.newSignIn(parts(gate.pass)), gate };
}

/** A function that waits at a gate before it does its work. */
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
  const { notices } = fixture.repositories;
  return { repositories: { ...fixture.repositories, notices: { ...notices, put: before(pass, notices.put) } } };
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

/** The owner sets a new password with a mailed link. */
async function reset({ id, email, visitor }: Person) {
  await fixture.signIn.passwords.requestReset(email, visitor);
  await fixture.signIn.deliver();
  const printed = fixture.printed.findLast((text) => text.includes(email) && text.includes('/reset#')) ?? '';
  const { loginId } = await fixture.signIn.passwords.reset({ token: tokenIn(printed), password: NEW }, visitor);
  return { loginId, hash: await fixture.accounts.passwordHashOf(id) };
}

const loginsOf = async ({ id }: Person) =>
  (await fixture.repositories.browserSessions.list(id, fixture.clock.now)).map(({ _id }) => _id);

/** What holds after every reset, whatever was under way: the owner's log-in alone, password and address. */
async function expectOwned(person: Person, { loginId, hash }: Awaited<ReturnType<typeof reset>>) {
  expect(await loginsOf(person)).toEqual([loginId]);
  expect(await fixture.accounts.passwordHashOf(person.id)).toBe(hash);
  expect(await fixture.accounts.find(person.id)).toMatchObject({ email: person.email });
}

describe('what was begun with the old password and is overtaken by a reset', () => {
  test.each([
    ['while it checks', atHash],
    ['when the password was found right', atLogin],
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
    ['while it checks', atHash],
    ['before the new one is written', atWrite],
    ['after the new one was written', atNotice],
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
    ['while it checks', atHash],
    ['before it is noted', atWrite],
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

  test('deletes nothing: a confirmation', async () => {
    const person = await newPerson();
    const { signIn, gate } = slowProcess(atHash);
    const attempt = rejection(signIn.confirmPassword(person.id, OLD));
    await gate.reached;
    await reset(person);
    gate.open();
    expect(await attempt).toMatchObject({ code: 'wrong_password' });
  });

  test('does not come back: the hash that a log-in renews', async () => {
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

test('of log-ins that renew one hash at once, each counts', async () => {
  const { id, email, visitor } = await newPerson();
  const opened = await Promise.all([1, 2, 3].map(() => fixture.signIn.signIn({ email, password: OLD }, visitor)));
  for (const { token } of opened)
    expect(await fixture.signIn.browserSessions.check(token)).toMatchObject({ outcome: 'valid' });
  expect(createPasswordHash().isOutdated(await fixture.accounts.passwordHashOf(id))).toBe(false);
});

test('a password that could not be checked, since too many wait, is no guess', async () => {
  const { email, visitor } = await newPerson();
  let busy = true;
  const verify: typeof cheap.verify = async (...given) => {
    if (busy) throw new AppError('overloaded', 'Too many people log in at this moment');
    return cheap.verify(...given);
  };
  const passwords = { ...cheap, verify };
  const guesses = createAttempts({ windowMs: 900_000, monotonicNow: () => fixture.clock.now.getTime() });
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

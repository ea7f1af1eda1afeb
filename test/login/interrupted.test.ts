import { beforeAll, expect, test } from 'vitest';
import type { Login } from '../../server/login/index.ts';
import { createPasswordHash } from '../../server/login/password-hash.ts';
import { rejection, useAccounts } from '../accounts/accounts-fixture.ts';
import { tokenIn } from '../support/mail-server.ts';

const fixture = useAccounts();
// The database removes what has expired by the real clock.
beforeAll(() => {
  fixture.clock.now = new Date();
});

const OLD = 'old correct horse 77';
const NEW = 'new battery staple 88';
const VISITOR = { address: '192.0.2.1', userAgent: '' };
/** Quick to check, since how much work that is has nothing to do with what is tested here. */
const cheap = createPasswordHash({ cost: { ln: 4, r: 8, p: 1 } });

/** The ways in of a process that dies as soon as it ends log-ins. */
function dyingProcess() {
  const { repositories } = fixture;
  const removeOfAccount = () => Promise.reject(new Error('killed'));
  return fixture.newLogin({
    repositories: { ...repositories, logins: { ...repositories.logins, removeOfAccount } },
  });
}

/** Somebody with a log-in, who has a link to set a new password and one for the account. */
async function newPerson(email: string) {
  const { login, printed } = fixture;
  const { id } = await fixture.accounts.create({ email, passwordHash: await cheap.hash(OLD) });
  const { token } = await login.logIn({ email, password: OLD }, VISITOR);
  await login.passwords.requestReset(email, VISITOR);
  await login.deliver();
  const reset = tokenIn(printed.findLast((text) => text.includes(email)) ?? '');
  const claim = tokenIn(await login.claims.createLink(id));
  return { account: { id, email }, token, reset, claim };
}
type Person = Awaited<ReturnType<typeof newPerson>>;

const outcome = async (token: string) => (await fixture.login.logins.check(token)).outcome;

test.each<[string, (login: Login, person: Person) => Promise<unknown>]>([
  [
    'a change',
    ({ passwords }, { account }) => passwords.change(account, { currentPassword: OLD, newPassword: NEW }, VISITOR),
  ],
  ['a reset', ({ passwords }, { reset }) => passwords.reset({ token: reset, password: NEW }, VISITOR)],
  ['a claim', ({ claims }, { claim }) => claims.claim({ token: claim, password: NEW }, VISITOR)],
])('a new password ends every log-in, also when the process dies right after %s', async (title, setPassword) => {
  const person = await newPerson(`${title.slice(2)}@example.org`);
  const { id, email } = person.account;
  expect(await outcome(person.token)).toBe('valid');
  expect(await rejection(setPassword(dyingProcess(), person))).toMatchObject({ message: 'killed' });
  expect(await outcome(person.token)).toBe('unknown');
  expect(await fixture.login.logins.list(id, '')).toEqual([]);

  // The new password is there, and good for a log-in of its own.
  const { token, loginId } = await fixture.login.logIn({ email, password: NEW }, VISITOR);
  expect(await outcome(token)).toBe('valid');
  expect(await fixture.login.logins.list(id, '')).toMatchObject([{ id: loginId }]);
});

test('another hash of the same password ends no log-in', async () => {
  const { account, token } = await newPerson('renewed@example.org');
  const hash = await fixture.accounts.passwordHashOf(account.id);
  expect(createPasswordHash().isOutdated(hash)).toBe(false);
  await fixture.accounts.renewPasswordHash(account.id, hash ?? '', await cheap.hash(OLD));
  expect(await outcome(token)).toBe('valid');
});

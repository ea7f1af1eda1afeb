import { beforeAll, describe, expect, test } from 'vitest';
import { PLACEHOLDER_EMAIL } from '../../server/accounts/index.ts';
import type { Repositories } from '../../server/db/index.ts';
import type { SignIn } from '../../server/sign-in/index.ts';
import { rejection, useAccounts } from '../accounts/accounts-fixture.ts';
import { cheapPasswords, outdatedPasswords } from '../support/cheap-passwords.ts';
import { tokenIn } from '../support/mail-server.ts';

const fixture = useAccounts();
// The database removes expired records by the real clock.
beforeAll(() => {
  fixture.clock.now = new Date();
});

const OLD = 'old correct horse 77';
const NEW = 'new battery staple 88';
const VISITOR = { address: '192.0.2.1', userAgent: '' };

/** Creates sign-in in a process that dies when it ends browser sessions. */
function dyingProcess() {
  const { repositories } = fixture;
  const removeOfAccount = () => Promise.reject(new Error('killed'));
  return fixture.newSignIn({
    repositories: { ...repositories, browserSessions: { ...repositories.browserSessions, removeOfAccount } },
  });
}

/** Creates an account with a browser session, a reset link and a claim link. */
async function newPerson(email: string) {
  const { signIn, printed } = fixture;
  const { id } = await fixture.accounts.create({ email, passwordHash: await outdatedPasswords.hash(OLD) });
  const { token } = await signIn.signIn({ email, password: OLD }, VISITOR);
  await signIn.passwords.requestReset(email, VISITOR);
  await signIn.deliver();
  const reset = tokenIn(printed.findLast((text) => text.includes(email)) ?? '');
  const claim = tokenIn(await signIn.claims.createLink(id));
  return { account: { id, email }, token, reset, claim };
}
type Person = Awaited<ReturnType<typeof newPerson>>;

const outcome = async (token: string) => (await fixture.signIn.browserSessions.check(token)).outcome;

test.each<[string, (signIn: SignIn, person: Person) => Promise<unknown>]>([
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
  expect(await fixture.signIn.browserSessions.list(id, '')).toEqual([]);

  // The new password is set and opens a session.
  const { token, loginId } = await fixture.signIn.signIn({ email, password: NEW }, VISITOR);
  expect(await outcome(token)).toBe('valid');
  expect(await fixture.signIn.browserSessions.list(id, '')).toMatchObject([{ id: loginId }]);
});

test('another hash of the same password ends no session', async () => {
  const { account, token } = await newPerson('renewed@example.org');
  const hash = await fixture.accounts.passwordHashOf(account.id);
  expect(cheapPasswords.isOutdated(hash)).toBe(false);
  await fixture.accounts.renewPasswordHash(account.id, hash ?? '', await outdatedPasswords.hash(OLD));
  expect(await outcome(token)).toBe('valid');
});

/**
 * Creates sign-in in a process whose database call number `last` fails. `dead`: this call and all later ones are not made.
 * `lost`: the call is made, but its result is lost.
 */
function troubledProcess(last: number, trouble: 'dead' | 'lost') {
  let calls = 0;
  const mortal = <T extends object>(repository: T): T =>
    new Proxy(repository, {
      get: (target, name) => {
        const call = Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>;
        return async (...given: unknown[]) => {
          const number = ++calls;
          if (trouble === 'dead' && number >= last) throw new Error('dead');
          const answer = await call(...given);
          if (number === last) throw new Error('lost');
          return answer;
        };
      },
    });
  const { accounts, browserSessions, oneTimeLinks, mails } = fixture.repositories;
  const repositories: Repositories = {
    ...fixture.repositories,
    browserSessions: mortal(browserSessions),
    oneTimeLinks: mortal(oneTimeLinks),
    mails: mortal(mails),
  };
  return fixture.newSignIn({ repositories, accounts: fixture.createWith({ accounts: mortal(accounts) }) });
}

describe.each(['dead', 'lost'] as const)('a call of the database that is %s', (trouble) => {
  test('leaves the first account either unclaimed or claimed with its role', async () => {
    const { accounts, signIn } = fixture;
    const states = new Set<string>();
    for (let last = 1; ; last++) {
      const { id } = await accounts.create({ email: PLACEHOLDER_EMAIL });
      const token = tokenIn(await signIn.claims.createLink(id));
      const other = tokenIn(await signIn.claims.createLink(id));
      const email = `${trouble}-${last}@example.org`;
      const claim = { token, password: NEW, email };
      const end = await troubledProcess(last, trouble)
        .claims.claim(claim, VISITOR)
        .catch(({ message }: Error) => message);
      const account = await accounts.find(id);
      states.add(`${account?.email === email} ${account?.state} ${account?.role}`);
      if (account?.email === PLACEHOLDER_EMAIL) {
        // A remaining link, or a new one, still works.
        const again = tokenIn(await signIn.claims.createLink(id));
        await signIn.claims.claim({ ...claim, token: again }, VISITOR);
      } else {
        // Remaining links are void.
        for (const left of [token, other]) {
          const taken = signIn.claims.claim({ token: left, password: OLD, email }, VISITOR);
          expect(await rejection(taken)).toMatchObject({ code: 'invalid_link' });
        }
      }
      expect(await accounts.find(id)).toMatchObject({ email, state: 'active', role: 'operator' });
      if (end !== trouble) break;
      expect(last).toBeLessThan(50);
    }
    expect([...states]).toEqual(['false unclaimed user', 'true active operator']);
  });
});

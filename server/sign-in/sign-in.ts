import { AppError } from '../errors.ts';
import type { OpenedBrowserSession } from './browser-sessions.ts';
import type { SignInParts } from './parts.ts';
import { networkOf, type Visitor } from './visitor.ts';

/** What somebody logs in with. */
export interface Credentials {
  email: string;
  password: string;
}

/** Wrong passwords in 15 minutes: for one account from one address, from one address, for one account from everywhere. */
const GUESSES = { pair: 5, address: 30, account: 100 };
/** Wrong passwords of somebody who is logged in already. */
const CONFIRMATIONS = 5;

/**
 * Makes what checks passwords, with a limit on guessing. A check waits for its turn, and the password may be replaced
 * meanwhile: what it found counts only as long as the account has the hash that it was made with.
 */
export function createPasswordSignIn({ accounts, browserSessions, passwords, guesses }: SignInParts) {
  /** What could not be checked was no guess. */
  async function verify(password: string, hash: string | null, takeBack: () => void): Promise<boolean> {
    try {
      return await passwords.verify(password, hash);
    } catch (error) {
      takeBack();
      throw error;
    }
  }

  async function signIn({ email, password }: Credentials, visitor: Visitor): Promise<OpenedBrowserSession> {
    const network = networkOf(visitor.address);
    const pair = `${email} ${network}`;
    const takeBack = guesses.take([
      { key: pair, limit: GUESSES.pair },
      { key: network, limit: GUESSES.address },
      { key: email, limit: GUESSES.account },
    ]);
    const account = await accounts.findByEmail(email);
    const hash = await accounts.passwordHashOf(account?.id ?? '');
    if (!(await verify(password, hash, takeBack)) || !account || hash === null) {
      throw new AppError('wrong_credentials', 'The mail address or the password is wrong');
    }
    takeBack();
    guesses.forget(pair);
    const opened = await browserSessions.openWith(account.id, hash, visitor);
    // There is another password now, or another hash of this one: that decides.
    if (!opened) return signIn({ email, password }, visitor);
    if (passwords.isOutdated(hash)) {
      await accounts.renewPasswordHash(account.id, hash, await passwords.hash(password));
    }
    return opened;
  }

  async function confirm(accountId: string, password: string): Promise<string> {
    const takeBack = guesses.take([{ key: accountId, limit: CONFIRMATIONS }]);
    const hash = await accounts.passwordHashOf(accountId);
    if (!(await verify(password, hash, takeBack)) || hash === null) {
      throw new AppError('wrong_password', 'The password is wrong');
    }
    takeBack();
    if ((await accounts.passwordHashOf(accountId)) !== hash) return confirm(accountId, password);
    return hash;
  }

  return {
    /**
     * Logs somebody in. Whether the account does not exist, has no password or another one, takes the same time and
     * gets the same answer; so does the limit, which knows only what was typed.
     * @throws AppError wrong_credentials, too_many_attempts, account_suspended, overloaded
     */
    signIn,

    /**
     * Checks the password of somebody who is logged in, before something that a stolen cookie must not be able to do.
     * @returns the hash that the password was checked against
     * @throws AppError wrong_password, too_many_attempts, overloaded
     */
    confirm,
  };
}

/** What checks passwords. */
export type PasswordSignIn = ReturnType<typeof createPasswordSignIn>;

import { AppError } from '../errors.ts';
import type { OpenedLogin } from './logins.ts';
import type { LoginParts } from './parts.ts';
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

/** Makes what checks passwords, with a limit on guessing. */
export function createLogIn({ accounts, logins, passwords, guesses }: LoginParts) {
  return {
    /**
     * Logs somebody in. Whether the account does not exist, has no password or another one, takes the same time and
     * gets the same answer; so does the limit, which knows only what was typed.
     * @throws AppError wrong_credentials, too_many_attempts, account_suspended, overloaded
     */
    async logIn({ email, password }: Credentials, visitor: Visitor): Promise<OpenedLogin> {
      const network = networkOf(visitor.address);
      const pair = `${email} ${network}`;
      const takeBack = guesses.take([
        { key: pair, limit: GUESSES.pair },
        { key: network, limit: GUESSES.address },
        { key: email, limit: GUESSES.account },
      ]);
      const account = await accounts.findByEmail(email);
      const hash = await accounts.passwordHashOf(account?.id ?? '');
      if (!(await passwords.verify(password, hash)) || !account) {
        throw new AppError('wrong_credentials', 'The mail address or the password is wrong');
      }
      takeBack();
      guesses.forget(pair);
      const opened = await logins.open(account.id, visitor);
      if (passwords.isOutdated(hash)) await accounts.setPasswordHash(account.id, await passwords.hash(password));
      return opened;
    },

    /**
     * Checks the password of somebody who is logged in, before something that a stolen cookie must not be able to do.
     * @throws AppError wrong_password, too_many_attempts, overloaded
     */
    async confirm(accountId: string, password: string): Promise<void> {
      const takeBack = guesses.take([{ key: accountId, limit: CONFIRMATIONS }]);
      if (!(await passwords.verify(password, await accounts.passwordHashOf(accountId)))) {
        throw new AppError('wrong_password', 'The password is wrong');
      }
      takeBack();
    },
  };
}

/** What checks passwords. */
export type LogIn = ReturnType<typeof createLogIn>;

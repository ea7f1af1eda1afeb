import type { ErrorCode } from '#contract';
import type { Limit, Taken } from '../budgets/index.ts';
import { AppError } from '../errors.ts';
import type { OpenedBrowserSession } from './browser-sessions.ts';
import type { SignInParts } from './parts.ts';
import type { PasswordHash } from './password-rules.ts';
import { describeVisitor, GUESS_WINDOW_MS, networkOf, takeAttempt, type Visitor } from './visitor.ts';

/** Credentials of a sign-in. */
export interface Credentials {
  email: string;
  password: string;
}

/** Wrong passwords in 15 minutes: per account and address, per address, per account. */
const GUESSES = { pair: 5, address: 30, account: 100 };
/** Wrong passwords in 15 minutes of a signed-in user. */
const CONFIRMATIONS = 5;

/**
 * Creates the sign-in by password, with a limit on guessing. The password may be replaced while a check is queued, so a
 * result is valid only while the account still has the checked hash.
 */
export function createPasswordSignIn(parts: SignInParts) {
  return {
    /**
     * Signs a user in. An unknown account, a missing password and a wrong password take the same time and give the same
     * error. The limits count what was entered, so they do not reveal accounts either.
     * @throws AppError wrong_credentials, too_many_attempts, account_suspended, overloaded
     */
    signIn: (credentials: Credentials, visitor: Visitor): Promise<OpenedBrowserSession> =>
      signIn(parts, credentials, visitor),

    /**
     * Checks the password of a signed-in user before an operation that a stolen cookie must not allow.
     * @returns the hash that the password matched
     * @throws AppError wrong_password, too_many_attempts, overloaded
     */
    confirm: (accountId: string, password: string, visitor?: Visitor): Promise<string> =>
      confirm(parts, accountId, password, visitor),
  };
}

/** Sign-in by password. */
export type PasswordSignIn = ReturnType<typeof createPasswordSignIn>;

async function signIn(
  parts: SignInParts,
  { email, password }: Credentials,
  visitor: Visitor,
): Promise<OpenedBrowserSession> {
  const { accounts, browserSessions, passwords, guesses } = parts;
  const network = networkOf(visitor.address);
  const pair = `${email} ${network}`;
  const limits = [
    wrongPasswords(pair, GUESSES.pair),
    wrongPasswords(network, GUESSES.address),
    wrongPasswords(email, GUESSES.account),
  ];
  const taken = await take(parts, limits, { visitor });
  const account = await accounts.findByEmail(email);
  // The look-up and the check run without an account too, so that the time does not reveal accounts.
  const hash = await accounts.passwordHashOf(account?.id ?? '');
  if (!(await verify(passwords, { password, hash, taken })) || !account || hash === null) {
    logFailure(parts, 'wrong_credentials', { visitor, accountId: account?.id });
    throw new AppError('wrong_credentials', 'The email address or the password is wrong');
  }
  await taken.giveBack();
  await guesses.forget(pair);
  const opened = await browserSessions.openWith(account.id, hash, visitor);
  // The password or its hash was replaced meanwhile: check against the new one.
  if (!opened) return signIn(parts, { email, password }, visitor);
  if (passwords.isOutdated(hash)) {
    await accounts.renewPasswordHash(account.id, hash, await passwords.hash(password));
  }
  return opened;
}

async function confirm(parts: SignInParts, accountId: string, password: string, visitor?: Visitor): Promise<string> {
  const { accounts, passwords } = parts;
  const taken = await take(parts, [wrongPasswords(accountId, CONFIRMATIONS)], { visitor, accountId });
  const hash = await accounts.passwordHashOf(accountId);
  if (!(await verify(passwords, { password, hash, taken })) || hash === null) {
    logFailure(parts, 'wrong_password', { visitor, accountId });
    throw new AppError('wrong_password', 'The password is wrong');
  }
  await taken.giveBack();
  if ((await accounts.passwordHashOf(accountId)) !== hash) return confirm(parts, accountId, password, visitor);
  return hash;
}

function wrongPasswords(key: string, limit: number): Limit {
  return { key, limit, windowMs: GUESS_WINDOW_MS };
}

/** Originator of an attempt, as logged: the account if it exists, never what was typed. */
interface Attempt {
  visitor: Visitor | undefined;
  accountId?: string | undefined;
}

/** Counts an attempt, and logs one above the limits. @throws AppError too_many_attempts */
async function take(parts: SignInParts, limits: Limit[], attempt: Attempt): Promise<Taken> {
  try {
    return await takeAttempt(parts.guesses, limits);
  } catch (error) {
    if (error instanceof AppError && error.code === 'too_many_attempts') logFailure(parts, error.code, attempt);
    throw error;
  }
}

function logFailure({ logger }: SignInParts, code: ErrorCode, { visitor, accountId }: Attempt): void {
  const address = visitor && describeVisitor(visitor).address;
  logger.warn({ code, address, accountId }, 'a password was refused');
}

interface Guess {
  password: string;
  hash: string | null;
  /** The attempt as it was counted. */
  taken: Taken;
}

/** Checks a password. Takes the attempt back if the check itself fails. */
async function verify(passwords: PasswordHash, { password, hash, taken }: Guess): Promise<boolean> {
  try {
    return await passwords.verify(password, hash);
  } catch (error) {
    await taken.giveBack();
    throw error;
  }
}

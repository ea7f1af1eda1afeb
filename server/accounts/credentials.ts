import type { AccountRepository, ClaimedFields } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { type Account, cleanEmail } from './accounts.ts';

interface CredentialsDeps {
  accounts: AccountRepository;
  now: () => Date;
}

type AccountAddress = Pick<Account, 'id' | 'email'>;

/** Lifetime of a pending address: one day to deliver the mail and one day to use its link. */
const PENDING_EMAIL_MS = 48 * 3_600_000;

/** Creates the store of addresses and password hashes. Each change is one conditional update of the account. */
export function createCredentials({ accounts, now }: CredentialsDeps) {
  return {
    /**
     * Sets the claimed fields in one step. Returns false if the account is gone or has another address.
     * @throws AppError email_taken
     */
    async claim({ id, email }: AccountAddress, claimed: ClaimedFields): Promise<boolean> {
      const fields = { ...claimed, email: cleanEmail(claimed.email) };
      return isChanged(await accounts.claim(id, email, fields, now()), claimed.email);
    },

    /**
     * Stores the pending address of an account; null removes it. A new password removes it too.
     * @param passwordHash hash of the password that confirmed the request
     * @returns false if the account has another hash
     */
    async setPendingEmail(accountId: string, email: string | null, passwordHash: string): Promise<boolean> {
      const pending = email === null ? null : { email, endsAt: new Date(now().getTime() + PENDING_EMAIL_MS) };
      return (await accounts.setPendingEmail(accountId, pending, passwordHash)) !== null;
    },

    /** Sets the pending address. Returns false if it is not or no longer pending. @throws AppError email_taken */
    confirmEmail: async (accountId: string, email: string): Promise<boolean> =>
      isChanged(await accounts.confirmEmail(accountId, email, now()), email),

    /** Sets the password hash. Returns false if the account is gone or has another address. */
    setPasswordHash: async ({ id, email }: AccountAddress, passwordHash: string): Promise<boolean> =>
      (await accounts.setPassword(id, passwordHash, now(), { email })) !== null,

    /** Replaces the password hash `before`. Returns false if the account has another hash. */
    changePasswordHash: async (accountId: string, before: string, passwordHash: string): Promise<boolean> =>
      (await accounts.setPassword(accountId, passwordHash, now(), { passwordHash: before })) !== null,

    /** Replaces `before` by another hash of the same password, if the account still has it. */
    renewPasswordHash: (accountId: string, before: string, passwordHash: string): Promise<void> =>
      accounts.renewHash(accountId, before, passwordHash),

    /** Returns the password hash; null if the account does not exist or has no password. */
    async passwordHashOf(accountId: string): Promise<string | null> {
      const record = await accounts.find(accountId);
      return record && !record.deletedAt ? (record.passwordHash ?? null) : null;
    },
  };
}

/** Interprets the result of an update. @throws AppError email_taken */
function isChanged(result: object | 'taken' | null, email: string): boolean {
  if (result === 'taken') throw new AppError('email_taken', `The email ${email} has an account already`);
  return result !== null;
}

import type { AccountRole, LinkPurpose } from '#contract';
import type { Account, Accounts } from '../accounts/index.ts';
import type { MailKind, MailRepository, OneTimeLinkRecord, OneTimeLinkRepository } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { hashSecret, makeSecret, secretHasForm } from '../ids.ts';

interface LinksDeps {
  links: OneTimeLinkRepository;
  mails: MailRepository;
  pepper: Buffer;
  /** Base URL under which browsers reach the service. If empty, links are paths. */
  publicUrl: () => string;
  now: () => Date;
}

/** A link to create. */
export interface NewLink {
  purpose: LinkPurpose;
  accountId: string | null;
  email: string;
  role?: AccountRole;
  /** Lifetime in hours. @default by purpose */
  hours?: number;
}

/** Dashboard page, lifetime in hours and mail of each purpose. */
const KINDS: Record<LinkPurpose, { page: string; hours: number; mail: MailKind }> = {
  claim: { page: 'claim', hours: 24, mail: 'invitation' },
  'sign-up': { page: 'confirm', hours: 24, mail: 'sign-up' },
  reset: { page: 'reset', hours: 1, mail: 'reset' },
  email: { page: 'email', hours: 24, mail: 'email-change' },
};

/** Purposes of the links that belong to an account. */
const OF_ACCOUNTS: LinkPurpose[] = ['claim', 'reset', 'email'];

/** Creates the one-time links. The token is in the URL fragment, which browsers do not send, so no access log has it. */
export function createLinks(deps: LinksDeps) {
  const { links, mails, pepper, now } = deps;
  return {
    /** Creates a link and returns its URL, which cannot be read again. */
    create: (link: NewLink): Promise<string> => createLink(deps, link),

    /** Reads a link without using it. @throws AppError invalid_link */
    read: (token: string, purposes: LinkPurpose[]): Promise<OneTimeLinkRecord> => readLink(deps, token, purposes),

    /** Uses a link. Of simultaneous calls one succeeds. @throws AppError invalid_link */
    async take(token: string, purposes: LinkPurpose[]): Promise<OneTimeLinkRecord> {
      await readLink(deps, token, purposes);
      return requirePurpose(await links.take(hashOf(token, pepper), now()), purposes);
    },

    /** Makes a taken link usable again. */
    async giveBack(link: OneTimeLinkRecord): Promise<void> {
      await links.insert(link);
    },

    /**
     * Invalidates links of an account, by default all. Their mails are withdrawn first: a queued one would create a new
     * link, and a sent one would suppress the next request.
     */
    async forget({ id, email }: { id: string; email: string }, purposes = OF_ACCOUNTS): Promise<void> {
      await mails.withdraw(
        { accountId: id, email },
        purposes.map((purpose) => KINDS[purpose].mail),
      );
      await links.removeOfAccount(id, purposes);
    },

    /** Invalidates the sign-up links of an address and withdraws their mails. */
    async forgetSignUps(email: string): Promise<void> {
      await mails.withdraw({ accountId: null, email }, ['sign-up']);
      await links.removeSignUps(email);
    },

    /** Invalidates one link by its URL. */
    async withdraw(url: string): Promise<void> {
      await links.take(hashOf(new URL(url).hash.replace('#token=', ''), pepper), now());
    },
  };
}

/** One-time links. */
export type Links = ReturnType<typeof createLinks>;

async function createLink({ links, pepper, publicUrl, now }: LinksDeps, link: NewLink): Promise<string> {
  const { purpose, accountId, email, role, hours = KINDS[purpose].hours } = link;
  const token = makeSecret('iwl');
  const createdAt = now();
  await links.insert({
    _id: hashSecret(token, pepper),
    purpose,
    accountId,
    email,
    role: role ?? null,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + hours * 3_600_000),
  });
  return `${publicUrl().replace(/\/+$/, '')}/dashboard/${KINDS[purpose].page}#token=${token}`;
}

async function readLink(
  { links, pepper, now }: LinksDeps,
  token: string,
  purposes: LinkPurpose[],
): Promise<OneTimeLinkRecord> {
  return requirePurpose(await links.find(hashOf(token, pepper), now()), purposes);
}

/** @throws AppError invalid_link */
function requirePurpose(link: OneTimeLinkRecord | null, purposes: LinkPurpose[]): OneTimeLinkRecord {
  if (!link || !purposes.includes(link.purpose)) throw invalidLink();
  return link;
}

/** Hashes a token for the search. @throws AppError invalid_link if it is malformed */
function hashOf(token: string, pepper: Buffer): string {
  if (!secretHasForm('iwl', token)) throw invalidLink();
  return hashSecret(token, pepper);
}

/** Creates the error of an unusable link; it is the same for every reason. */
export function invalidLink(): AppError {
  return new AppError('invalid_link', 'This link is unknown, was used already, or has expired; ask for a new one');
}

type AccountLink = Pick<OneTimeLinkRecord, 'accountId' | 'purpose' | 'email' | 'role'>;

/**
 * Finds the account of a link and checks that the link still applies: a reset link must be for the account's current
 * address, and a link to a new address for the one that is pending.
 * @throws AppError invalid_link
 */
export async function ownerOfLink(accounts: Accounts, link: AccountLink): Promise<Account> {
  const { accountId, purpose, email, role } = link;
  const account = await accounts.find(accountId ?? '');
  if (!account) throw invalidLink();
  // Only the link of the first account sets a role. It is void once that account has a real address.
  if ((purpose === 'reset' || role) && email !== account.email) throw invalidLink();
  if (purpose === 'email' && email !== account.pendingEmail) throw invalidLink();
  return account;
}

/** Same as {@link ownerOfLink}, but rejects suspended accounts. @throws AppError invalid_link, account_suspended */
export async function accountOfLink(accounts: Accounts, link: AccountLink): Promise<Account> {
  const account = await ownerOfLink(accounts, link);
  if (account.suspended) throw new AppError('account_suspended', 'This account is suspended');
  return account;
}

import type { AccountRole, LinkPurpose } from '#contract';
import { hashSecret, makeSecret, secretHasForm } from '../accounts/index.ts';
import type { OneTimeLinkRecord, OneTimeLinkRepository } from '../db/index.ts';
import { AppError } from '../errors.ts';

/** What {@link createLinks} works with. */
export interface LinksDeps {
  links: OneTimeLinkRepository;
  pepper: Buffer;
  /** Base URL under which browsers reach the service. */
  publicUrl: () => string;
  now: () => Date;
}

/** What a link is to be made for. */
export interface NewLink {
  purpose: LinkPurpose;
  accountId: string | null;
  email: string;
  role?: AccountRole;
  /** Hours that it can be used. @default by purpose */
  hours?: number;
}

/** The page of the dashboard that a link leads to, and for how many hours. */
const KINDS: Record<LinkPurpose, { page: string; hours: number }> = {
  claim: { page: 'claim', hours: 24 },
  'sign-up': { page: 'confirm', hours: 24 },
  reset: { page: 'reset', hours: 1 },
  email: { page: 'email', hours: 24 },
};

/** Makes the one-time links. The token stands behind `#`, which browsers keep to themselves: it is in no access log. */
export function createLinks({ links, pepper, publicUrl, now }: LinksDeps) {
  const hashOf = (token: string) => {
    if (!secretHasForm('iwl', token)) throw invalidLink();
    return hashSecret(token, pepper);
  };

  function fitting(link: OneTimeLinkRecord | null, purposes: LinkPurpose[]): OneTimeLinkRecord {
    if (!link || !purposes.includes(link.purpose)) throw invalidLink();
    return link;
  }

  return {
    /** Makes a link and returns its URL, the one time that it is seen. */
    async create({ purpose, accountId, email, role, hours = KINDS[purpose].hours }: NewLink): Promise<string> {
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
    },

    /** What a link is good for, without using it up. @throws AppError invalid_link */
    async read(token: string, purposes: LinkPurpose[]): Promise<OneTimeLinkRecord> {
      return fitting(await links.find(hashOf(token), now()), purposes);
    },

    /** Uses a link up. Of those who try at once, one gets it. @throws AppError invalid_link */
    async take(token: string, purposes: LinkPurpose[]): Promise<OneTimeLinkRecord> {
      await this.read(token, purposes);
      return fitting(await links.take(hashOf(token), now()), purposes);
    },

    /** Makes a link usable again that could not be made use of. */
    async giveBack(link: OneTimeLinkRecord): Promise<void> {
      await links.insert(link);
    },

    /** The address that an account is to get once its link is opened; null when there is none. */
    async pendingEmail(accountId: string): Promise<string | null> {
      return (await links.findOfAccount(accountId, 'email', now()))?.email ?? null;
    },

    /** Makes links of an account useless; without purposes all of them. */
    forget: (accountId: string, purposes?: LinkPurpose[]): Promise<void> => links.removeOfAccount(accountId, purposes),

    /** Makes links useless that were for making an account of an email. */
    forgetSignUps: (email: string): Promise<void> => links.removeSignUps(email),
  };
}

/** The one-time links. */
export type Links = ReturnType<typeof createLinks>;

function invalidLink(): AppError {
  return new AppError('invalid_link', 'This link is unknown, was used already, or has expired; ask for a new one');
}

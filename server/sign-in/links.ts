import type { AccountRole, LinkPurpose } from '#contract';
import { hashSecret, makeSecret, secretHasForm } from '../accounts/index.ts';
import type { NoticeKind, NoticeRepository, OneTimeLinkRecord, OneTimeLinkRepository } from '../db/index.ts';
import { AppError } from '../errors.ts';

/** What {@link createLinks} works with. */
export interface LinksDeps {
  links: OneTimeLinkRepository;
  notices: NoticeRepository;
  pepper: Buffer;
  /** Base URL under which browsers reach the service; empty: unknown, and links are paths. */
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

/** The page of the dashboard that a link leads to, for how many hours, and the mail that brings it. */
const KINDS: Record<LinkPurpose, { page: string; hours: number; notice: NoticeKind }> = {
  claim: { page: 'claim', hours: 24, notice: 'invitation' },
  'sign-up': { page: 'confirm', hours: 24, notice: 'sign-up' },
  reset: { page: 'reset', hours: 1, notice: 'reset' },
  email: { page: 'email', hours: 24, notice: 'email-change' },
};

/** What the links of an account are for. */
const OF_ACCOUNTS: LinkPurpose[] = ['claim', 'reset', 'email'];

/** Makes the one-time links. The token stands behind `#`, which browsers keep to themselves: it is in no access log. */
export function createLinks({ links, notices, pepper, publicUrl, now }: LinksDeps) {
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

    /**
     * Makes links of an account useless; without purposes all of them. The mails that bring them go first: one that waits
     * would get a new link, and one that was sent would keep the next request from being answered.
     */
    async forget({ id, email }: { id: string; email: string }, purposes = OF_ACCOUNTS): Promise<void> {
      await notices.withdraw(
        { accountId: id, email },
        purposes.map((purpose) => KINDS[purpose].notice),
      );
      await links.removeOfAccount(id, purposes);
    },

    /** Makes links useless that were for making an account of an email, and the mails that bring them. */
    async forgetSignUps(email: string): Promise<void> {
      await notices.withdraw({ accountId: null, email }, ['sign-up']);
      await links.removeSignUps(email);
    },

    /** Makes one link useless, by its URL. */
    async withdraw(url: string): Promise<void> {
      await links.take(hashOf(new URL(url).hash.replace('#token=', '')), now());
    },
  };
}

/** The one-time links. */
export type Links = ReturnType<typeof createLinks>;

/** Why a link is refused: whatever is wrong with it, the same. */
export function invalidLink(): AppError {
  return new AppError('invalid_link', 'This link is unknown, was used already, or has expired; ask for a new one');
}

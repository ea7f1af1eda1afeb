import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Accounts } from '../accounts/index.ts';
import type { NoticeKind, NoticeRecord, NoticeRepository } from '../db/index.ts';
import type { Mail, Mailer } from '../mail/index.ts';
import type { Logger } from '../observability/index.ts';
import type { Links, NewLink } from './links.ts';
import { MAIL_TEXTS } from './mail-texts.ts';

/** What {@link createNotices} works with. */
export interface NoticesDeps {
  notices: NoticeRepository;
  accounts: Accounts;
  links: Links;
  mailer: Mailer;
  publicUrl: () => string;
  logger: Logger;
  now: () => Date;
}

const MINUTE_MS = 60_000;
/**
 * A request that is repeated within this time makes no second mail: the first is still good. For what anybody can ask
 * for, who needs nothing but the address; of what needs a password or an operator, each makes a mail.
 */
const REPEAT_MS = 5 * MINUTE_MS;
const ASKED_BY_ANYBODY = new Set<NoticeKind>(['sign-up', 'reset']);
/** Longer than any mail server is waited for. */
const LEASE_MS = 2 * MINUTE_MS;
const FIRST_RETRY_MS = 10_000;
const LONGEST_RETRY_MS = 30 * MINUTE_MS;
/** How long it is tried; a link that comes a day late helps nobody. */
const KEPT_MS = 24 * 60 * MINUTE_MS;
const CLOSE_MS = 3000;

const INVITATION_HOURS = 72;

/**
 * Makes the queue of mails. Ordering one writes a line that holds neither text nor secret, and takes the same time for
 * every address; who it is about is looked up later, and links are made when the mail is. What a stop or a mail server
 * that is away prevented is tried again, for a day.
 */
export function createNotices({ notices, accounts, links, mailer, publicUrl, logger, now }: NoticesDeps) {
  let delivering: Promise<void> | undefined;
  let again = false;
  let closed = false;

  const base = () => publicUrl().replace(/\/+$/, '');

  /** The mail that brings a link; null when the notice was withdrawn meanwhile, since that also withdraws the link. */
  async function bring(notice: NoticeRecord, link: NewLink, text: (to: string, link: string) => Mail) {
    const url = await links.create(link);
    if (await notices.isWanted(notice)) return text(notice.email, url);
    await links.withdraw(url);
    return null;
  }

  /** The mail of a notice; null when there is nothing to say. */
  async function write(notice: NoticeRecord): Promise<Mail | null> {
    const { kind, email, accountId } = notice;
    const account = accountId === null ? await accounts.findByEmail(email) : await accounts.find(accountId);
    switch (kind) {
      case 'sign-up': {
        if (account) return MAIL_TEXTS.signUpAgain(email, base());
        return bring(notice, { purpose: 'sign-up', accountId: null, email }, MAIL_TEXTS.signUp);
      }
      case 'reset': {
        if (!account || account.suspended) return null;
        return bring(notice, { purpose: 'reset', accountId: account.id, email }, MAIL_TEXTS.reset);
      }
      case 'invitation': {
        if (!account) return null;
        const hours = INVITATION_HOURS;
        return bring(notice, { purpose: 'claim', accountId, email, hours }, MAIL_TEXTS.invitation);
      }
      case 'email-change': {
        if (account?.pendingEmail !== email) return null;
        if (await accounts.findByEmail(email)) return MAIL_TEXTS.emailChangeRefused(email);
        return bring(notice, { purpose: 'email', accountId, email }, MAIL_TEXTS.emailChange);
      }
      // News that nobody has to act on are not printed for the operator.
      case 'password-changed':
        return mailer.sends ? MAIL_TEXTS.passwordChanged(email, base()) : null;
      case 'email-changed':
        return mailer.sends ? MAIL_TEXTS.emailChanged(email) : null;
    }
  }

  async function deliverOne(notice: NoticeRecord): Promise<void> {
    const { kind, attempts } = notice;
    try {
      const mail = await write(notice);
      if (mail) await mailer.send(mail);
    } catch (error) {
      logger.warn({ err: error, kind, attempts }, 'a mail could not be sent; it will be tried again');
      const waitMs = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS);
      await notices.postpone(notice, new Date(now().getTime() + waitMs));
      return;
    }
    // Remembered for a moment, so that the next request does not make a second mail.
    await notices.finish(notice, now(), new Date(now().getTime() + REPEAT_MS));
  }

  async function deliverAll(): Promise<void> {
    do {
      again = false;
      for (;;) {
        const notice = closed ? null : await notices.claim(now(), LEASE_MS, LONGEST_RETRY_MS);
        if (!notice) break;
        if (notice.expiresAt <= now()) await notices.remove(notice);
        else await deliverOne(notice);
      }
    } while (again && !closed);
  }

  /** Sends what is due. One turn at a time; who comes meanwhile makes it look again. */
  function deliver(): Promise<void> {
    again = true;
    delivering ??= deliverAll().finally(() => {
      delivering = undefined;
    });
    return delivering;
  }

  return {
    deliver,

    /** Orders a mail and returns before anything about it was looked up. */
    async order(kind: NoticeKind, email: string, accountId: string | null = null): Promise<void> {
      const at = now();
      const notice: NoticeRecord = {
        _id: [kind, accountId, email].filter((part) => part !== null).join(':'),
        kind,
        email,
        accountId,
        token: randomUUID(),
        dueAt: at,
        attempts: 0,
        sentAt: null,
        expiresAt: new Date(at.getTime() + KEPT_MS),
      };
      await notices.put(notice, new Date(at.getTime() - (ASKED_BY_ANYBODY.has(kind) ? REPEAT_MS : 0)), at);
      deliver().catch((error: unknown) => logger.warn({ err: error }, 'mails could not be looked for'));
    },

    /** Forgets what was or is to be written to an email or about an account. */
    forget: (email: string, accountId: string): Promise<void> => notices.removeOf(email, accountId),

    /** Starts no further mail and waits a moment for the one that is being sent; if it was not, it is sent again later. */
    async close(): Promise<void> {
      closed = true;
      await Promise.race([delivering?.catch(() => {}), sleep(CLOSE_MS, undefined, { ref: false })]);
      mailer.close();
    },
  };
}

/** The queue of mails. */
export type Notices = ReturnType<typeof createNotices>;

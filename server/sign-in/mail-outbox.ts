import { randomUUID } from 'node:crypto';
import type { Accounts } from '../accounts/index.ts';
import { waitAtMost } from '../concurrency.ts';
import type { MailKind, MailRecord, MailRepository, OperatorChange } from '../db/index.ts';
import type { Mail, Mailer } from '../mail/index.ts';
import type { Logger } from '../observability/index.ts';
import type { Links, NewLink } from './links.ts';
import { MAIL_TEXTS, operatorChangeMail } from './mail-texts.ts';

interface MailOutboxDeps {
  mails: MailRepository;
  accounts: Accounts;
  links: Links;
  mailer: Mailer;
  publicUrl: () => string;
  logger: Logger;
  now: () => Date;
}

/** Dependencies and state of an outbox. */
interface Outbox extends MailOutboxDeps {
  /** Current run. */
  delivering: Promise<void> | undefined;
  /** Requested during the run: check for due mails again. */
  again: boolean;
  closed: boolean;
}

const MINUTE_MS = 60_000;
/** Repeated requests within this time send one mail. Applies to mails that can be requested without authentication. */
const REPEAT_MS = 5 * MINUTE_MS;
const UNAUTHENTICATED = new Set<MailKind>(['sign-up', 'reset']);
/** Longer than the longest delivery. */
const LEASE_MS = 2 * MINUTE_MS;
const FIRST_RETRY_MS = 10_000;
const LONGEST_RETRY_MS = 30 * MINUTE_MS;
/** Undelivered mails are dropped after this time, since their links would have expired. */
const RETENTION_MS = 24 * 60 * MINUTE_MS;
const CLOSE_MS = 3000;

/** Hours for which the link of an invitation is valid. */
export const INVITATION_HOURS = 72;

/**
 * Creates the mail outbox. Queued records contain neither text nor secrets, and queueing takes the same time for every
 * address. The account is looked up and the link created on delivery. Failed deliveries are retried for a day.
 */
export function createMailOutbox(deps: MailOutboxDeps) {
  const outbox: Outbox = { ...deps, delivering: undefined, again: false, closed: false };
  return {
    /** Sends the mails that are due, one run at a time. A call during a run makes it check again. */
    deliver: (): Promise<void> => deliver(outbox),

    /** Queues a mail and returns before the account is looked up. */
    queue: (
      kind: MailKind,
      email: string,
      accountId: string | null = null,
      operatorChange?: OperatorChange,
    ): Promise<void> => queue(outbox, { kind, email, accountId, ...(operatorChange && { operatorChange }) }),

    /** Counts the mails that were not sent yet. */
    unsent: () => deps.mails.unsent(deps.now()),

    /** Removes all queued and sent mails of an address or an account. */
    forget: (email: string, accountId: string): Promise<void> => deps.mails.removeOf(email, accountId),

    /** Starts no further delivery and waits briefly for the current one; if that fails, the mail is sent again later. */
    close: (): Promise<void> => close(outbox),
  };
}

/** The mail outbox. */
export type MailOutbox = ReturnType<typeof createMailOutbox>;

async function queue(
  outbox: Outbox,
  order: Pick<MailRecord, 'kind' | 'email' | 'accountId' | 'operatorChange'>,
): Promise<void> {
  const { mails, logger, now } = outbox;
  const { kind, email, accountId, operatorChange } = order;
  const at = now();
  const token = randomUUID();
  const queued: MailRecord = {
    // Each change of an operator has a mail of its own.
    _id: [kind, accountId, email, operatorChange ? token : null].filter((part) => part !== null).join(':'),
    ...order,
    token,
    dueAt: at,
    attempts: 0,
    sentAt: null,
    expiresAt: new Date(at.getTime() + RETENTION_MS),
  };
  await mails.put(queued, new Date(at.getTime() - (UNAUTHENTICATED.has(kind) ? REPEAT_MS : 0)), at);
  deliver(outbox).catch((error: unknown) => logger.warn({ err: error }, 'queued mails could not be read'));
}

function deliver(outbox: Outbox): Promise<void> {
  outbox.again = true;
  outbox.delivering ??= deliverAll(outbox).finally(() => {
    outbox.delivering = undefined;
  });
  return outbox.delivering;
}

async function deliverAll(outbox: Outbox): Promise<void> {
  const { mails, now } = outbox;
  do {
    outbox.again = false;
    for (;;) {
      const queued = outbox.closed ? null : await mails.claim(now(), LEASE_MS, LONGEST_RETRY_MS);
      if (!queued) break;
      if (queued.expiresAt <= now()) await mails.remove(queued);
      else await deliverOne(outbox, queued);
    }
  } while (outbox.again && !outbox.closed);
}

async function deliverOne(outbox: Outbox, queued: MailRecord): Promise<void> {
  const { mails, mailer, logger, now } = outbox;
  const { kind, attempts } = queued;
  try {
    const mail = await writeMail(outbox, queued);
    if (mail) await mailer.send(mail);
  } catch (error) {
    logger.warn({ err: error, kind, attempts }, 'a mail could not be sent; it will be retried');
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS);
    await mails.postpone(queued, new Date(now().getTime() + waitMs));
    return;
  }
  // Kept for a while, so that a repeated request sends no second mail.
  await mails.finish(queued, now(), new Date(now().getTime() + REPEAT_MS));
}

/** Writes a queued mail; null if there is nothing to send. */
async function writeMail(outbox: Outbox, queued: MailRecord): Promise<Mail | null> {
  const { accounts, mailer, publicUrl } = outbox;
  const { kind, email, accountId } = queued;
  const account = accountId === null ? await accounts.findByEmail(email) : await accounts.find(accountId);
  const base = () => publicUrl().replace(/\/+$/, '');
  switch (kind) {
    case 'sign-up': {
      if (account) return MAIL_TEXTS.signUpAgain(email, base());
      return withLink(outbox, queued, { purpose: 'sign-up', accountId: null, email }, MAIL_TEXTS.signUp);
    }
    case 'reset': {
      if (!account || account.suspended) return null;
      return withLink(outbox, queued, { purpose: 'reset', accountId: account.id, email }, MAIL_TEXTS.reset);
    }
    case 'invitation': {
      if (!account) return null;
      const hours = INVITATION_HOURS;
      return withLink(outbox, queued, { purpose: 'claim', accountId, email, hours }, MAIL_TEXTS.invitation);
    }
    case 'email-change': {
      if (account?.pendingEmail !== email) return null;
      if (await accounts.findByEmail(email)) return MAIL_TEXTS.emailChangeRefused(email);
      return withLink(outbox, queued, { purpose: 'email', accountId, email }, MAIL_TEXTS.emailChange);
    }
    // Needs no action, so it is not printed for the operator.
    case 'password-changed':
      return mailer.sends ? MAIL_TEXTS.passwordChanged(email, base()) : null;
    case 'email-changed':
      return mailer.sends ? MAIL_TEXTS.emailChanged(email) : null;
    case 'operator-change':
      return mailer.sends && queued.operatorChange ? operatorChangeMail(email, queued.operatorChange) : null;
  }
}

/** Writes a mail with a new link; null if the mail was withdrawn meanwhile, and then the link is withdrawn too. */
async function withLink(
  { links, mails }: Outbox,
  queued: MailRecord,
  link: NewLink,
  text: (to: string, link: string) => Mail,
): Promise<Mail | null> {
  const url = await links.create(link);
  if (await mails.isWanted(queued)) return text(queued.email, url);
  await links.withdraw(url);
  return null;
}

async function close(outbox: Outbox): Promise<void> {
  outbox.closed = true;
  await waitAtMost(
    CLOSE_MS,
    outbox.delivering?.catch(() => {}),
  );
  outbox.mailer.close();
}

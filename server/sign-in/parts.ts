import type { Accounts } from '../accounts/index.ts';
import type { Budget } from '../budgets/index.ts';
import type { Logger } from '../observability/index.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import type { Links } from './links.ts';
import type { MailOutbox } from './mail-outbox.ts';
import type { PasswordHash } from './password-rules.ts';

/** Shared parts of the sign-in module. */
export interface SignInParts {
  accounts: Accounts;
  browserSessions: BrowserSessions;
  links: Links;
  outbox: MailOutbox;
  logger: Logger;
  passwords: PasswordHash;
  /** Counts wrong passwords. */
  guesses: Budget;
  /** Counts requested mails. */
  requests: Budget;
}

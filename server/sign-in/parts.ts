import type { Accounts } from '../accounts/index.ts';
import type { Attempts } from './attempts.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import type { Links } from './links.ts';
import type { Notices } from './notices.ts';
import type { PasswordHash } from './password-hash.ts';

/** What the ways in are put together from. */
export interface SignInParts {
  accounts: Accounts;
  browserSessions: BrowserSessions;
  links: Links;
  notices: Notices;
  passwords: PasswordHash;
  /** Wrong passwords. */
  guesses: Attempts;
  /** Mails that were asked for. */
  requests: Attempts;
}

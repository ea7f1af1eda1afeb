import type { LogAction, LogChange } from '#contract';
import type { OperatorChange } from '../db/index.ts';
import type { Mail } from '../mail/index.ts';

/** Texts of all mails: plain text, at most one link, no tracking. */
export const MAIL_TEXTS = {
  signUp: (to: string, link: string): Mail => ({
    to,
    subject: 'Your Imagewright account',
    text: `Somebody, most likely you, wants to create an Imagewright account with this email address.

Open this link within 24 hours to choose a password:

${link}

If it was not you, do nothing: without the link no account is made.
`,
  }),

  signUpAgain: (to: string, base: string): Mail => ({
    to,
    subject: 'You have an Imagewright account already',
    text: `Somebody, most likely you, wants to create an Imagewright account with this email address. It has one already.

Log in, or ask for a new password, at

${base}/dashboard

If it was not you, do nothing: nothing was changed.
`,
  }),

  reset: (to: string, link: string): Mail => ({
    to,
    subject: 'A new password for Imagewright',
    text: `Somebody, most likely you, wants to set a new password for the Imagewright account of this email address.

Open this link within one hour to choose one:

${link}

If it was not you, do nothing: the password stays as it is.
`,
  }),

  invitation: (to: string, link: string): Mail => ({
    to,
    subject: 'Your Imagewright account is ready',
    text: `An Imagewright account was made for you. Open this link within three days to choose a password:

${link}
`,
  }),

  emailChange: (to: string, link: string): Mail => ({
    to,
    subject: 'Confirm your new email address for Imagewright',
    text: `An Imagewright account is to have this email address from now on. Open this link within 24 hours to confirm it:

${link}

If it was not you, do nothing: the account keeps its old address.
`,
  }),

  emailChangeRefused: (to: string): Mail => ({
    to,
    subject: 'Your email address and Imagewright',
    text: `Somebody wanted to give another Imagewright account your email address. Your account has it, and keeps it.

There is nothing to do.
`,
  }),

  passwordChanged: (to: string, base: string): Mail => ({
    to,
    subject: 'Your Imagewright password was changed',
    text: `The password of your Imagewright account was changed, and every other browser was logged out.

If it was not you, set a new password at once:

${base}/dashboard
`,
  }),

  emailChanged: (to: string): Mail => ({
    to,
    subject: 'The email address of your Imagewright account was changed',
    text: `Your Imagewright account has another email address now; this one does not belong to it any more.

If it was not you, tell the operator of the service.
`,
  }),
};

/** Sentences for the actions that a mail reports. */
const SENTENCES: Partial<Record<LogAction, (change: LogChange) => string>> = {
  'account.role': ({ to }) =>
    to === 'operator'
      ? 'Your account has the role of an operator now: it can manage all accounts of the service.'
      : 'Your account does not have the role of an operator any more.',
  'account.plan': ({ to }) => `The plan of your account is ${to} now.`,
  'account.suspend': () => 'Your account is suspended: its API keys and log-ins do not work.',
  'account.resume': () => 'Your account is not suspended any more: its API keys and log-ins work again.',
  'account.logout': () => 'All browsers were logged out of your account.',
  'credits.grant': ({ amount, note }) =>
    `Your account has received ${amount} ${amount === 1 ? 'credit' : 'credits'}.${note ? `\n\nNote: ${note}` : ''}`,
  'credits.withdraw': ({ amount, note }) =>
    `${amount} ${amount === 1 ? 'credit was' : 'credits were'} taken back from your account.${note ? `\n\nNote: ${note}` : ''}`,
  'key.create': ({ name }) => `An API key was made for your account, with the name "${name}".`,
  'key.activate': ({ name }) => `The API key "${name}" of your account was activated.`,
  'key.deactivate': ({ name }) => `The API key "${name}" of your account was deactivated.`,
  'key.delete': ({ name }) => `The API key "${name}" of your account was deleted.`,
};

/** Writes the mail about an operator's action; null if it concerns only the operator. */
export function operatorChangeMail(to: string, { action, change }: OperatorChange): Mail | null {
  const sentence = SENTENCES[action]?.(change);
  if (!sentence) return null;
  return {
    to,
    subject: 'Your Imagewright account was changed',
    text: `${sentence}

An operator of the service did this. If you did not expect it, ask them.
`,
  };
}

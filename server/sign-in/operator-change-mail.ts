import type { LogAction, LogChange } from '#contract';
import type { OperatorChange } from '../db/index.ts';
import type { Mail } from '../mail/index.ts';

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

/** Writes the mail about an operator's action; null if it concerns nobody else. */
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

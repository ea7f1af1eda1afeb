import type { Messages } from '../../i18n/index.ts';

/** English texts that scripts of the demo page write. The others are in its HTML. */
export const en: Messages = {
  'place-folder': 'Folder',
  'not-connected': 'Not connected',
  credits: '{count} credit|{count} credits',
  plan: 'plan {plan}',
  'unknown-key': 'The service does not know this key.',
  'inactive-key': 'This key is not active.',
  unreachable: 'The service cannot be reached.',
  suspended: 'This account is suspended.',
};

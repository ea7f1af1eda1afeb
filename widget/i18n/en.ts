import type { Messages } from './messages.ts';

/** English: built in, and the list of keys for all other languages. Plural forms are those of `Intl.PluralRules`. */
export const en = {
  'add.count': { one: '{count} image added', other: '{count} images added' },
} as const satisfies Messages;

import type { en } from './en.ts';
import type { Messages, PluralForms } from './messages.ts';

/** Key of a text. */
export type MessageKey = keyof typeof en;

/** Values of placeholders; `count` also selects the plural form. Numbers are formatted by the language. */
export type MessageParams = { readonly [name: string]: string | number };

/** Texts, numbers and direction of one language. */
export interface I18n {
  /** BCP 47 tag of the texts. */
  readonly locale: string;
  readonly dir: 'ltr' | 'rtl';
  /** Returns the text of a key; the key itself if it is unknown. */
  t(key: MessageKey | (string & {}), params?: MessageParams): string;
  /** Formats bytes, e.g. `1.2 MB`. */
  formatBytes(bytes: number): string;
  formatNumber(value: number): string;
  /** Joins names, e.g. `place, dates and camera`. */
  formatList(names: readonly string[]): string;
  /** Formats a share of 0-1, e.g. `45 %`. */
  formatPercent(share: number): string;
}

/** Plural forms of a text by their number. A missing one is the last. */
const FORMS: { readonly [count: number]: readonly string[] } = {
  2: ['one', 'other'],
  4: ['one', 'two', 'few', 'other'],
  5: ['one', 'two', 'few', 'many', 'other'],
  6: ['zero', 'one', 'two', 'few', 'many', 'other'],
};
/** Browsers disagree about the digits of Arabic. Sizes in pixels and inputs have these ones in each language. */
export const DIGITS = { numberingSystem: 'latn' } as const;
const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** Texts of one language. */
export interface I18nTexts {
  locale: string;
  messages: Messages;
  /** Texts that replace single messages; may have other keys. */
  strings?: Messages;
  /** Texts for keys that are missing elsewhere: English. */
  fallback?: Messages;
}

/** Creates the texts and formats of a language. */
export function createI18n({ locale, messages, strings = {}, fallback }: I18nTexts): I18n {
  const plural = new Intl.PluralRules(locale);
  const number = new Intl.NumberFormat(locale, DIGITS);
  const list = new Intl.ListFormat(locale);
  const percent = new Intl.NumberFormat(locale, { ...DIGITS, style: 'percent', maximumFractionDigits: 0 });
  return {
    locale,
    dir: /^(ar|dv|fa|he|ku-Arab|ps|sd|ug|ur|yi)\b/i.test(locale) ? 'rtl' : 'ltr',
    t(key, params = {}) {
      const message = strings[key] ?? messages[key] ?? fallback?.[key];
      if (message === undefined) return key;
      const { count } = params;
      const text = count === undefined && typeof message === 'string' ? message : formOf(message, count, plural);
      return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
        const value = params[name];
        if (value === undefined) return whole;
        return typeof value === 'number' ? number.format(value) : value;
      });
    },
    formatBytes: (bytes) => formatBytes(bytes, locale),
    formatNumber: (value) => number.format(value),
    formatList: (names) => list.format(names),
    formatPercent: (share) => percent.format(share),
  };
}

/** Returns the plural form of a message. Forms in one text are separated by `|`. */
function formOf(message: string | PluralForms, count: string | number = 0, plural: Intl.PluralRules): string {
  const form = plural.select(Number(count));
  if (typeof message !== 'string') return message[form] ?? message.other;
  const forms = message.split('|');
  return forms[FORMS[forms.length]?.indexOf(form) ?? -1] ?? forms.at(-1) ?? '';
}

function formatBytes(bytes: number, locale: string): string {
  let value = bytes;
  let unit = 0;
  // 999.5 would be written as 1,000.
  while (Math.abs(value) >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const maximumFractionDigits = unit > 0 && Math.abs(value) < 9.95 ? 1 : 0;
  const style = {
    ...DIGITS,
    style: 'unit',
    unit: UNITS[unit],
    unitDisplay: unit ? 'short' : 'long',
    maximumFractionDigits,
  } as const;
  return new Intl.NumberFormat(locale, style).format(value);
}

import { describe, expect, test } from 'vitest';
import { LOCALES, loadLocale, matchLocale, type PluralForms } from '../../../widget/i18n/index.ts';

const en = await loadLocale('en');
const others = LOCALES.filter((name) => name !== 'en');
const keys = Object.keys(en).sort();

/** Returns all forms of a text. */
const formsOf = (message: string | PluralForms): string[] =>
  typeof message === 'string' ? message.split('|') : Object.values(message);
const placeholdersOf = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
const isCounted = (message: string | PluralForms | undefined) =>
  message !== undefined && (typeof message !== 'string' || message.includes('|'));

test('English, German, French, Spanish, Japanese and Arabic come with the widget', () => {
  expect(LOCALES).toEqual(['en', 'de', 'fr', 'es', 'ja', 'ar']);
});

describe.each(others)('%s', (name) => {
  test('has every text that English has, and no other', async () => {
    expect(Object.keys(await loadLocale(name)).sort()).toEqual(keys);
  });

  test('has the placeholders of English, and no others', async () => {
    const messages = await loadLocale(name);
    for (const [key, message] of Object.entries(en)) {
      const wanted = placeholdersOf(formsOf(message).at(-1) ?? '');
      const translated = formsOf(messages[key] ?? '');
      expect({ key, in: placeholdersOf(translated.at(-1) ?? '') }).toEqual({ key, in: wanted });
      // `one` and `two` may be written in words.
      for (const form of translated) expect(wanted, key).toEqual(expect.arrayContaining(placeholdersOf(form)));
    }
  });

  test('has the plural forms of its language if English has plural forms', async () => {
    const messages = await loadLocale(name);
    // Arabic: `one|two|few|many|other`, without `many` where it equals `other`.
    const counts = { de: [2], fr: [2], es: [2], ja: [1], ar: [4, 5] }[name as string];
    for (const [key, message] of Object.entries(en)) {
      if (isCounted(message)) expect(counts, key).toContain(formsOf(messages[key] ?? '').length);
    }
  });

  test('is translated: few texts equal the English ones', async () => {
    const messages = await loadLocale(name);
    const same = Object.entries(en).filter(
      ([key, message]) => messages[key] === message && /[a-z]{4}/.test(`${message}`),
    );
    expect(same.length).toBeLessThan(8);
  });

  test('has no empty text and no surrounding blanks', async () => {
    for (const [key, message] of Object.entries(await loadLocale(name))) {
      for (const form of formsOf(message)) expect({ key, form }).toEqual({ key, form: form.trim() || 'a text' });
    }
  });
});

test('a tag selects its language, or English', () => {
  expect(['de-AT', 'DE', 'fr_CA', 'ar-EG', 'pt-BR', '', null].map(matchLocale)).toEqual([
    'de',
    'de',
    'fr',
    'ar',
    'en',
    'en',
    'en',
  ]);
});

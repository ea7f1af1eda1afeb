import { describe, expect, it } from 'vitest';
import { loadTexts } from '../../widget/dashboard/texts/load-texts.ts';
import { flattenTexts } from '../../widget/dashboard/texts/text-tree.ts';
import { createI18n, LOCALES } from '../../widget/i18n/index.ts';

const english = flattenTexts(await loadTexts('en'));
const placeholdersOf = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
const FORMS = { en: 2, de: 2, fr: 2, es: 2, ja: 1, ar: 6 };

describe.each(LOCALES)('the dashboard in %s', (name) => {
  it('has every text, none of its own, none empty', async () => {
    const texts = flattenTexts(await loadTexts(name));
    expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort());
    for (const [key, text] of Object.entries(texts))
      for (const form of text.split('|')) expect({ key, form }).toEqual({ key, form: form.trim() || 'a text' });
  });

  it('has the placeholders and the plural forms that each text needs', async () => {
    const texts = flattenTexts(await loadTexts(name));
    for (const [key, text] of Object.entries(english)) {
      const forms = (texts[key] ?? '').split('|');
      expect({ key, in: placeholdersOf(forms.at(-1) ?? '') }).toEqual({
        key,
        in: placeholdersOf(text.split('|').at(-1) ?? ''),
      });
      if (text.includes('|')) expect({ key, forms: forms.length }).toEqual({ key, forms: FORMS[name] });
      else expect({ key, forms: forms.length }).toEqual({ key, forms: 1 });
    }
  });

  it('is translated: few texts equal the English ones', async () => {
    if (name === 'en') return;
    const texts = flattenTexts(await loadTexts(name));
    const same = Object.keys(english).filter((key) => texts[key] === english[key] && /[a-z]{4}/.test(`${texts[key]}`));
    // Words that are the same in both languages, as "Plan" or "Description".
    expect(same.length).toBeLessThan(16);
  });

  it('says nothing in the words that people did not understand', async () => {
    for (const [key, text] of Object.entries(flattenTexts(await loadTexts(name))))
      expect(text, key).not.toMatch(/\bmail address|ledger|the books|make it mine/i);
  });
});

it('chooses among the six forms of an Arabic text', async () => {
  const { t } = createI18n({ locale: 'ar', messages: flattenTexts(await loadTexts('ar')) });
  const forms = new Set([0, 1, 2, 3, 11, 100].map((count) => t('credits.shown', { count }).replace(/\d+/g, 'N')));
  expect(forms.size).toBe(6);
});

import { expect, it } from 'vitest';
import { writeTexts } from '../../../widget/build/pack-texts.ts';
import { LOCALES, loadLocale } from '../../../widget/i18n/index.ts';
import { unpackTexts } from '../../../widget/i18n/unpack-texts.ts';

it.each(LOCALES)('the texts of a language are the same after the build has packed them: %s', async (name) => {
  const texts = Object.entries(await loadLocale(name)).filter((entry): entry is [string, string] => {
    return typeof entry[1] === 'string';
  });
  expect(texts.length).toBeGreaterThan(200);
  expect(unpackTexts(writeTexts(texts))).toEqual(Object.fromEntries(texts));
});

it('plural forms are written without what they share', () => {
  expect(writeTexts([['a.b', '{count} image|{count} images']])).toContain('b # image[|s]');
  const forms = 'one cat here|two cats here|{count} cats here';
  expect(unpackTexts(writeTexts([['cats', forms]]))).toEqual({ cats: forms });
});

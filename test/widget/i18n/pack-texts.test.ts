import { resolve } from 'node:path';
import { parseAst } from 'vite';
import { expect, it } from 'vitest';
import { packTexts, writeTexts } from '../../../widget/build/pack-texts.ts';
import { CORE_ERROR_TEXTS, ERROR_TEXTS } from '../../../widget/i18n/error-texts.ts';
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

it.each(LOCALES)('a build writes the texts of errors into their language, and no other: %s', (name) => {
  const spread = `...coreErrorTexts('${name}'), ...errorTexts('${name}')`;
  const source = `import { coreErrorTexts, errorTexts } from './error-texts.ts';\nexport const texts = { ${spread} };`;
  const context = { parse: parseAst, addWatchFile: () => {} };
  const transform = packTexts().transform as unknown as (code: string, id: string) => { code: string };
  const { code } = transform.call(context, source, resolve(`widget/i18n/${name}.ts`));
  for (const texts of [CORE_ERROR_TEXTS['error.stalled'], ERROR_TEXTS['error.file_gone']]) {
    for (const other of LOCALES) expect(code.includes(texts[other]), other).toBe(other === name);
  }
});

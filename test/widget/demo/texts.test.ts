import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ar } from '../../../widget/demo/texts/ar.ts';
import { de } from '../../../widget/demo/texts/de.ts';
import { en } from '../../../widget/demo/texts/en.ts';
import { es } from '../../../widget/demo/texts/es.ts';
import { fr } from '../../../widget/demo/texts/fr.ts';
import { ja } from '../../../widget/demo/texts/ja.ts';

const html = await readFile(new URL('../../../widget/demo/index.html', import.meta.url), 'utf8');
const inPage = [...html.matchAll(/ data-(?:text|label)="([\w-]+)"/g)].map(([, key]) => key as string);
const placeholdersOf = (text: unknown) => [...new Set(`${text}`.match(/\{\w+\}/g))].sort();

it.each([
  ['de', de, 2],
  ['fr', fr, 2],
  ['es', es, 2],
  ['ja', ja, 1],
  ['ar', ar, 6],
] as const)('the demo page has every text in %s, with its placeholders and plural forms', (_, texts, forms) => {
  expect(Object.keys(texts).sort()).toEqual([...new Set([...inPage, ...Object.keys(en)])].sort());
  for (const [key, text] of Object.entries(en)) expect(placeholdersOf(texts[key])).toEqual(placeholdersOf(text));
  expect(`${texts.credits}`.split('|')).toHaveLength(forms);
});

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { type GetTextTranslation, type GetTextTranslations, mo, po } from 'gettext-parser';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { compileLanguages } from '../../plugin-bridge/wordpress/build/compile-languages.ts';
import { prepare } from './site/prepare.ts';

/** Languages of the plugin and the number of their plural forms. */
const LANGUAGES: [locale: string, forms: number][] = [
  ['ar', 6],
  ['de_DE', 2],
  ['es_ES', 2],
  ['fr_FR', 2],
  ['ja', 1],
];
const SOURCES = new URL('../../plugin-bridge/wordpress/languages/', import.meta.url);
const NUMBERS = Array.from({ length: 201 }, (_, n) => n);

let folder: string;
let everything: GetTextTranslation[];
/** Texts that every language must have. */
let template: GetTextTranslation[];
beforeAll(async () => {
  const { built } = await prepare();
  folder = join(built.folder, 'languages');
  everything = entriesOf(po.parse(await readFile(join(folder, 'imagewright.pot'))));
  // The widget has its own translations, under a context of its own: equal words of the plugin may mean something else.
  template = everything.filter(({ msgctxt }) => msgctxt !== 'element');
});

function entriesOf({ translations }: GetTextTranslations): GetTextTranslation[] {
  return Object.values(translations)
    .flatMap((ofContext) => Object.values(ofContext))
    .filter(({ msgid }) => msgid !== '');
}

const keyOf = ({ msgctxt = '', msgid }: GetTextTranslation) => `${msgctxt}\u0004${msgid}`;

/** Parts that must be the same in every language: placeholders, tags and identifiers. */
function fixedParts(text: string): string[] {
  const parts = text.match(/%(?:\d\$)?[sd]|%%|\{\w+\}|<\/?\w+[^>]*>|IMAGEWRIGHT_\w+|wp-config\.php|https?:\/\/|\biw_/g);
  return (parts ?? []).sort();
}

/** Plural form of each number by the rule of the file. */
function formsOf({ headers }: GetTextTranslations): number[] {
  const [, rule = ''] = /plural=(.*?);?$/.exec(headers['Plural-Forms'] ?? '') ?? [];
  return NUMBERS.map((n) => Number(runInNewContext(rule, { n })));
}

it('checks every language of the plugin', async () => {
  const names = (await readdir(folder)).filter((name) => name !== 'imagewright.pot').sort();
  expect(names).toEqual(LANGUAGES.map(([locale]) => `imagewright-${locale}.mo`));
  expect(template.length).toBeGreaterThan(140);
  expect(everything.length).toBeGreaterThan(template.length + 250);
  const places = template.map(({ comments }) => comments?.reference ?? '');
  expect(places.filter((place) => place.includes('build/widget-strings.php'))).toEqual([]);
});

describe.each(LANGUAGES)('the translation into %s', (locale, forms) => {
  let source: GetTextTranslations;
  let texts: Map<string, GetTextTranslation>;
  beforeAll(async () => {
    source = po.parse(await readFile(new URL(`imagewright-${locale}.po`, SOURCES)), { validation: true });
    texts = new Map(entriesOf(source).map((entry) => [keyOf(entry), entry]));
  });

  it('has exactly the texts of the template, in every plural form', () => {
    const missing = template.filter((entry) => {
      const { msgid_plural: plural } = entry;
      const found = texts.get(keyOf(entry));
      const count = plural ? forms : 1;
      const isComplete = found?.msgstr.length === count && found.msgstr.every((text) => text.trim() !== '');
      return !isComplete || found.msgid_plural !== plural || found.comments?.flag?.includes('fuzzy');
    });
    expect(missing.map(({ msgid }) => msgid)).toEqual([]);
    const known = new Set(everything.map(keyOf));
    expect([...texts.keys()].filter((key) => !known.has(key))).toEqual([]);
    expect(source.headers).toMatchObject({ Language: locale, 'X-Domain': 'imagewright' });
  });

  it('has the placeholders of the English text', () => {
    const formOf = formsOf(source);
    for (const { msgid, msgid_plural: plural, msgstr } of texts.values()) {
      for (const [form, text] of msgstr.entries()) {
        const isOneNumber = plural && formOf.filter((one) => one === form).length === 1;
        const parts = fixedParts(text);
        // "Two images" need not be called "2 images".
        const wanted = fixedParts(plural ?? msgid).filter((part) => part !== '{n}' || !isOneNumber);
        expect([text, parts.filter((part) => part !== '{n}' || !isOneNumber)]).toEqual([text, wanted]);
      }
    }
  });

  it('has the plural rules of browsers', () => {
    const formOf = formsOf(source);
    expect(source.headers['Plural-Forms']).toMatch(new RegExp(`^nplurals=${forms};`));
    const rules = new Intl.PluralRules(locale.replace('_', '-'));
    const pairs = new Set(NUMBERS.map((n) => `${rules.select(n)}: ${formOf[n]}`));
    // Plural categories and forms map one to one.
    expect(pairs.size).toBe(forms);
    expect(new Set(formOf)).toEqual(new Set(Array.from({ length: forms }, (_, form) => form)));
  });

  it('is compiled with all of its texts', async () => {
    const compiled = mo.parse(await readFile(join(folder, `imagewright-${locale}.mo`)));
    const told = (table: GetTextTranslations) =>
      Object.fromEntries(entriesOf(table).map(({ msgid, msgstr }) => [msgid, msgstr]));
    expect(told(compiled)).toEqual(told(source));
    expect(compiled.headers['Plural-Forms']).toBe(source.headers['Plural-Forms']);
  });
});

it('rejects a file that is no translation', async () => {
  const broken = await mkdtemp(join(tmpdir(), 'imagewright-languages-'));
  onTestFinished(() => rm(broken, { recursive: true }));
  const plural = 'msgid "{n} image"\nmsgid_plural "{n} images"\nmsgstr[0] "{n} Bild"\n';
  const header = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n';
  await writeFile(join(broken, 'a.po'), `${header}"Plural-Forms: nplurals=2; plural=n != 1;\\n"\n\n${plural}`);
  await expect(compileLanguages(broken, broken)).rejects.toThrow(/plural/i);
});

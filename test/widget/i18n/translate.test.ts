import { expect, test } from 'vitest';
import { createI18n, loadLocale } from '../../../widget/i18n/index.ts';

const en = await loadLocale('en');
const load = async (locale: string) => createI18n({ locale, messages: await loadLocale(locale), fallback: en });

test('English selects its plural by the count and groups large numbers', async () => {
  const { t } = await load('en');
  expect([0, 1, 2, 1234].map((count) => t('announce.added', { count }))).toEqual([
    '0 images added',
    '1 image added',
    '2 images added',
    '1,234 images added',
  ]);
});

test('Arabic has up to five forms, and counts none with the last', async () => {
  const { t, dir } = await load('ar');
  const numberless = (text: string) => text.replace(/\d+/g, 'N');
  expect([0, 1, 2, 3, 11, 100].map((count) => numberless(t('cost.images', { count })))).toEqual([
    'N صورة',
    'صورة واحدة',
    'صورتان',
    'N صور',
    'N صورة',
    'N صورة',
  ]);
  expect(dir).toBe('rtl');
});

test('Arabic has the digits of sizes and inputs in every region and browser', async () => {
  for (const locale of ['ar', 'ar-EG', 'ar-u-nu-arab']) {
    const { t, formatBytes, formatNumber, formatPercent } = await load(locale);
    const shown = [t('cost.images', { count: 12 }), formatBytes(1_200), formatNumber(1234.5), formatPercent(0.45)];
    expect(shown.join(' ')).not.toMatch(/[٠-٩]/);
    expect(shown.map((text) => text.replace(/\D/g, ''))).toEqual(['12', '12', '12345', '45']);
  }
});

test('French counts zero as one, and a million as many', async () => {
  const { t } = await load('fr');
  expect([0, 1, 2, 1_000_000].map((count) => t('cost.images', { count }).replace(/[\d\s\u202f]+/, ''))).toEqual([
    'image',
    'image',
    'images',
    'images',
  ]);
});

test('single texts can be replaced, plurals included, and unknown keys are returned', async () => {
  const strings = { heading: 'Media', 'cost.images': { one: '{count} medium', other: '{count} media' }, own: 'Mine|s' };
  const { t } = createI18n({ locale: 'en', messages: en, strings });
  expect([
    t('heading'),
    t('cost.images', { count: 1 }),
    t('cost.images', { count: 2 }),
    t('own'),
    t('no.such'),
  ]).toEqual(['Media', '1 medium', '2 media', 'Mine|s', 'no.such']);
});

test('a missing text is taken from the fallback', () => {
  const { t } = createI18n({ locale: 'de', messages: {}, fallback: en });
  expect(t('action.cancel')).toBe('Cancel');
});

test('a locale that is no language tag is refused at once', () => {
  expect(() => createI18n({ locale: 'de-', messages: {} })).toThrow(RangeError);
});

test('values are not expanded again, and missing ones leave their placeholder', async () => {
  const { t } = await load('en');
  expect(t('row.remove', { name: '{name}|$1' })).toBe('Remove {name}|$1');
  expect(t('row.remove')).toBe('Remove {name}');
  expect(t('list.skip', { count: 2 })).toBe('Skip list (2 images)');
});

test.each([
  ['en', 0, '0 bytes'],
  ['en', 1, '1 byte'],
  ['en', 999, '999 bytes'],
  ['en', 1_200, '1.2 kB'],
  ['en', 245_000, '245 kB'],
  ['en', 999_600, '1 MB'],
  ['en', 1_250_000, '1.3 MB'],
  ['en', 3_000_000_000, '3 GB'],
  ['de', 1_200_000, '1,2 MB'],
  ['fr', 1_200_000, '1,2 Mo'],
])('%s formats %i bytes as %s', async (locale, bytes, text) => {
  const { formatBytes } = await load(locale);
  expect(formatBytes(bytes).replace(/[\u00a0\u202f]/g, ' ')).toBe(text);
});

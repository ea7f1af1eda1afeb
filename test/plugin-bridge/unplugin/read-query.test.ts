import { expect, it } from 'vitest';
import { QUERY, readQuery } from '../../../plugin-bridge/unplugin/read-query.ts';

it.each(['?imagewright', '?imagewright&widths=480', '?widths=480&imagewright'])(
  '%s is an import of an image',
  (query) => {
    expect(QUERY.test(query)).toBe(true);
  },
);

it.each(['?imagewrights', '?url', '?name=imagewright', ''])('"%s" is none', (query) => {
  expect(QUERY.test(query)).toBe(false);
});

it('reads settings, and those of the plugin where the import says nothing', () => {
  const options = { preset: 'low', widths: [320], maxWidth: 1600 } as const;
  expect(readQuery('?imagewright&widths=480;960;480&formats=avif,jpeg', options)).toEqual({
    formats: ['avif', 'jpeg'],
    preset: 'low',
    responsive: true,
    responsiveSizes: [480, 960],
    maxWidth: 1600,
    placeholder: true,
  });
  expect(readQuery('?imagewright&widths=&max-width=800', options)).toEqual({
    formats: ['avif', 'webp'],
    preset: 'low',
    maxWidth: 800,
    placeholder: true,
  });
});

it.each([
  ['?imagewright&width=480', 'expected formats, widths, preset or max-width, but received width'],
  ['?imagewright&formats=bmp', /^formats: expected .*avif.* but received bmp$/],
  ['?imagewright&preset=best', /^preset: expected maximum.* but received best$/],
  ['?imagewright&widths=wide', 'widths: expected whole pixels from 16 to 8192, but received wide'],
  ['?imagewright&widths=1.5', 'widths: expected whole pixels from 16 to 8192, but received 1.5'],
  [`?imagewright&widths=${Array.from({ length: 11 }, (_, at) => 100 + at).join(';')}`, /^widths: expected at most 10/],
])('%s is refused', (query, message) => {
  expect(() => readQuery(query, {})).toThrow(message);
});

import { expect, test } from 'vitest';
import { OUTPUT_FORMATS, PRESETS } from '../../../../server/contract/index.ts';
import { settingsSchema } from '../../../../server/contract/settings.ts';
import { DEFAULT_SETTINGS, isSize } from '../../../../widget/state/index.ts';
import { asChanges, mergeSettings, requestSettings } from '../../../../widget/state/session/settings.ts';
import { startOptimizer, startWithFiles } from '../started-optimizer.ts';

test('all formats and presets of the service are valid, and the defaults are the same', () => {
  for (const format of OUTPUT_FORMATS) {
    for (const preset of PRESETS) {
      const { settings, problems } = mergeSettings(DEFAULT_SETTINGS, { format, preset });
      expect(settings).toMatchObject({ format, preset });
      expect(problems).toEqual([]);
    }
  }
  expect(settingsSchema.parse({})).toMatchObject(DEFAULT_SETTINGS);
});

test.each([
  480,
  16,
  8192,
  { width: 100 },
  { width: 100, height: 50, fit: 'cover' },
  15,
  8193,
  1.5,
  '480',
  null,
  {},
  { width: 9 },
  { width: 100, fit: 'fill' },
])('a size is taken by the widget exactly when the service takes it: %j', (size) => {
  expect(isSize(size)).toBe(settingsSchema.safeParse({ responsive: true, responsiveSizes: [size] }).success);
});

test('what is not understood becomes the default and is listed', () => {
  const present = { format: 'avif', preset: 'low', responsive: true } as const;
  const { settings, problems } = mergeSettings(present, {
    format: 'bmp',
    responsive: 'yes',
    responsiveSizes: [480, 3],
  });
  expect(settings).toEqual({ format: 'webp', preset: 'low', responsive: true, responsiveSizes: [480] });
  expect(problems.map(({ name }) => name)).toEqual(['format', 'responsive', 'responsiveSizes']);
});

test('sizes are kept while responsive is off, and sent only when it is on', () => {
  const { settings } = mergeSettings(DEFAULT_SETTINGS, { responsiveSizes: [480] });
  expect(requestSettings(settings)).not.toHaveProperty('responsiveSizes');
  expect(requestSettings({ ...settings, responsive: true })).toMatchObject({ responsiveSizes: [480] });
});

test('a change is told once, with what was before; a wrong one is an error', async () => {
  const { optimizer, details } = startOptimizer({ settings: { format: 'jpeg' } });
  optimizer.setSettings({ format: 'jpeg' });
  optimizer.setSettings({ preset: 'low' });
  expect(details('io-settings-change')).toMatchObject([{ settings: { preset: 'low' }, previous: { preset: 'high' } }]);
  optimizer.setSettings({ format: 'tiff' as never });
  expect(optimizer.settings.format).toBe('webp');
  expect(details('io-error')).toMatchObject([{ phase: 'settings', error: { code: 'invalid_setting' } }]);
});

test('every setting that the widget sends is one that the service takes', async () => {
  const sizes = [480, { width: 100, height: 50, fit: 'cover' as const }];
  const settings = {
    responsive: true,
    responsiveSizes: sizes,
    embedMetadata: true,
    metadata: 'all-but-private' as const,
    onlySmaller: true,
  };
  const { optimizer, service, env } = await startWithFiles(1, { settings });
  void optimizer.exportImages();
  await env.advance(20);
  expect(settingsSchema.safeParse(service.exports[0]?.settings)).toMatchObject({
    success: true,
    data: {
      responsive: true,
      embedMetadata: true,
      metadata: 'all-but-private',
      onlySmaller: true,
      responsiveSizes: [{ width: 480 }, { width: 100 }],
    },
  });
});

test('settings without a default reach the request as the page gave them, and leave it again', () => {
  const given = { formats: ['avif', 'jpeg'], maxWidth: 2000, focalPoint: { x: 0, y: 1 }, placeholder: true };
  const { settings, problems } = mergeSettings(DEFAULT_SETTINGS, given);
  expect(problems).toEqual([]);
  expect(settingsSchema.parse(requestSettings(settings))).toMatchObject(given);
  expect(mergeSettings(settings, { preset: 'low' }).settings).toMatchObject(given);
  // The main format is the first one, however it is chosen.
  expect(settings.format).toBe('avif');
  expect(mergeSettings(settings, { format: 'webp' }).settings.formats).toEqual(['webp', 'avif', 'jpeg']);
  expect(mergeSettings(settings, { format: 'jpeg' }).settings.formats).toEqual(['jpeg', 'avif']);
  const after = mergeSettings(settings, { formats: undefined, maxWidth: undefined }).settings;
  expect(JSON.parse(JSON.stringify(after))).not.toHaveProperty('formats');
});

test('the level of metadata and its older form replace each other', () => {
  const older = mergeSettings(DEFAULT_SETTINGS, { keepCopyright: false }).settings;
  const newer = mergeSettings(older, { metadata: 'rights' }).settings;
  expect(newer).toEqual({ ...DEFAULT_SETTINGS, metadata: 'rights' });
  expect(mergeSettings(newer, { keepCopyright: false }).settings).toEqual({
    ...DEFAULT_SETTINGS,
    keepCopyright: false,
  });
  expect(mergeSettings(older, { metadata: 'all' }).problems).toEqual([{ name: 'metadata', value: 'all' }]);
});

test('a setting without a default that was taken away stays away after a reload, whatever the page sets', () => {
  const page = mergeSettings(DEFAULT_SETTINGS, { formats: ['webp', 'jpeg'], maxWidth: 900 }).settings;
  const kept = JSON.parse(JSON.stringify({ ...page, formats: undefined }));
  const { settings } = mergeSettings(page, asChanges(kept));
  expect(JSON.parse(JSON.stringify(settings))).toEqual({ ...DEFAULT_SETTINGS, maxWidth: 900 });
});

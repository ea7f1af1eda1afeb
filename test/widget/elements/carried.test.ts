import { beforeAll, describe, expect, it } from 'vitest';
import type { Image } from '#contract';
import { INFORMATION } from '#contract/constants';
import { describeCarried } from '../../../widget/elements/io-row/describe-carried.ts';
import { createI18n, loadLocale } from '../../../widget/i18n/index.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../widget/state/index.ts';
import { emptyItem } from '../../../widget/state/uploads/new-item.ts';
import { openWidgetRig, text, type WidgetRig } from '../../support/widget-rig.ts';
import { rows, textOf } from '../read-page.ts';
import { imageWith } from './carrying-image.ts';

const i18n = createI18n({ locale: 'en', messages: await loadLocale('en') });
/** A photograph of a telephone. */
const CARRIES: Image['carries'] = [
  { kind: 'copyright', keptBy: 'rights', droppedIn: ['gif'] },
  { kind: 'camera', keptBy: 'all-but-private', droppedIn: ['gif', 'tiff'] },
  { kind: 'place', keptBy: 'never', droppedIn: [] },
  { kind: 'orientation', keptBy: 'never', droppedIn: [] },
  { kind: 'gain_map', keptBy: 'always', droppedIn: ['png', 'webp', 'avif', 'tiff', 'gif'] },
  { kind: 'content_credentials', keptBy: 'rights', droppedIn: ['jpeg', 'png', 'webp', 'avif', 'tiff', 'gif'] },
  { kind: 'something_new', keptBy: 'never', droppedIn: [] },
];

function lineOf(settings: Partial<Settings>, carries: Image['carries'] | null = CARRIES): string[] {
  const image = { format: 'jpeg', ...(carries ? { carries } : {}) } as unknown as Image;
  return describeCarried({ ...emptyItem(), image }, { ...DEFAULT_SETTINGS, ...settings }, i18n);
}

describe('the line of what a file carries', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  it.each<[string, Partial<Settings>, string[]]>([
    ['webp', {}, ['Stays: copyright', 'Removed: camera, place, HDR, and content credentials']],
    ['jpeg', { format: 'jpeg' }, ['Stays: copyright and HDR', 'Removed: camera, place, and content credentials']],
    [
      'all but private',
      { metadata: 'all-but-private' },
      ['Stays: copyright and camera', 'Removed: place, HDR, and content credentials'],
    ],
    ['nothing', { metadata: 'none' }, ['Removed: copyright, camera, place, HDR, and content credentials']],
    ['the older form', { keepCopyright: false }, ['Removed: copyright, camera, place, HDR, and content credentials']],
    [
      'two formats',
      { format: 'avif', formats: ['avif', 'jpeg'] },
      ['Stays: copyright', 'Removed: camera, place, HDR, and content credentials'],
    ],
    // Whether credentials stay depends on the bytes.
    ['the format of the upload', { format: 'original' }, ['Stays: copyright and HDR', 'Removed: camera and place']],
    ['kept HDR', { hdr: 'keep' }, ['Stays: copyright and HDR', 'Removed: camera and place']],
  ])('follows the settings: %s', (_, settings, expected) => {
    expect(lineOf(settings)).toEqual(expected);
  });

  it('is empty for a file that carries nothing, and for services that do not tell', () => {
    expect(lineOf({}, [])).toEqual([]);
    expect(lineOf({}, null)).toEqual([]);
  });

  it('has a word for every kind but those that people need not know', () => {
    const known = Object.keys(INFORMATION).filter((kind) => i18n.t(`carried.${kind}`) !== `carried.${kind}`);
    const silent = ['depth', 'icc_profile', 'orientation', 'resolution', 'software', 'texts'];
    expect([...known, ...silent].sort()).toEqual(Object.keys(INFORMATION).sort());
  });

  it('stands in the row and in the review, and follows a change of the settings', async () => {
    const tab = await rig.open();
    await tab.pick(await imageWith({ copyright: 'A. Author', place: true }));
    await tab.untilState('ready');
    const row = rows(tab.widget);
    await expect.poll(() => textOf(row)).toContain(text('carried.stays', { list: text('carried.copyright') }));
    expect(await textOf(row)).toContain(text('carried.goes', { list: text('carried.place') }));
    await tab.button(text('settings.change')).click();
    await tab.widget.getByRole('radio', { name: text('settings.metadata-none') }).check({ force: true });
    await tab.page.keyboard.press('Escape');
    const both = i18n.formatList([text('carried.copyright'), text('carried.place')]);
    await expect.poll(() => textOf(row)).toContain(text('carried.goes', { list: both }));
    await tab.button(text('reviewing.title')).click();
    await expect.poll(() => textOf(tab.widget.locator('io-review'))).toContain(text('carried.goes', { list: both }));
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible } from '../../support/accessibility.ts';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../../support/widget-rig.ts';
import { field, rows } from '../read-page.ts';
import { focused } from './elements-rig.ts';

const COLUMN = 'image-optimizer { inline-size: 280px; --io-list-max-height: none }';

describe('compact, in a column of 280 pixels', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  const open = (attributes: Record<string, string | boolean>) => rig.open({ elements: [attributes], css: COLUMN });
  const heightOf = ({ widget }: WidgetTab) => widget.evaluate((element) => element.getBoundingClientRect().height);
  const rowHeights = ({ widget }: WidgetTab) =>
    rows(widget).evaluateAll((all) => all.map((row) => Math.round(row.getBoundingClientRect().height)));
  /** Pixels by which anything is wider than the element. */
  const overflow = ({ widget }: WidgetTab) =>
    widget.evaluate((element) => {
      const base = element.shadowRoot?.querySelector('.base') as HTMLElement;
      return base.scrollWidth - element.clientWidth;
    });

  /** Icons of the button beside the heading, and those that meet a line of its texts. */
  const iconsOf = ({ widget }: WidgetTab) =>
    widget.evaluate((element) => {
      const root = element.shadowRoot as ShadowRoot;
      const lines = ['h2 slot', 'header span'].flatMap((place) => {
        const range = document.createRange();
        range.selectNodeContents(root.querySelector(place) as HTMLElement);
        return [...range.getClientRects()];
      });
      const icons = [...root.querySelectorAll('.more[aria-haspopup] svg')].map((icon) => icon.getBoundingClientRect());
      const met = icons.filter(({ left, right, top, bottom }) =>
        lines.some((line) => line.left < right && left < line.right && line.top < bottom && top < line.bottom),
      );
      return { lines: lines.length >= 2, icons: icons.length, met: met.length };
    });

  it('the element takes half the room, and a row opens for its other fields', async () => {
    const [tab, usual] = [await open({ compact: true }), await open({})];
    expect(await heightOf(tab)).toBeLessThan((await heightOf(usual)) * 0.75);
    for (const each of [tab, usual]) {
      await each.upload(6);
      await expect.poll(() => rows(each.widget).locator('textarea').count()).toBe(6);
    }
    expect(Math.max(...(await rowHeights(tab)))).toBeLessThanOrEqual(80);
    const total = async (each: WidgetTab) => (await rowHeights(each)).reduce((sum, height) => sum + height);
    expect(await total(tab)).toBeLessThan((await total(usual)) * 0.6);
    expect(await overflow(tab)).toBe(0);

    const row = rows(tab.widget).nth(2);
    expect(await field(row, 'filename').isVisible()).toBe(false);
    await row.locator('[data-control=more]').click();
    await field(row, 'filename').fill('harbour');
    await row.locator('[data-control=remove]').click();
    // The button of the row below is not shown.
    await expect.poll(() => focused(tab)).toBe('#2 alt');
    await expectAccessible(tab.page);
    tab.expectQuiet();
  });

  it.each(['de', 'ar'])('nothing is wider than the column, from adding to the results (%s)', async (locale) => {
    const tab = await open({ compact: true, locale });
    expect(await overflow(tab)).toBe(0);
    await tab.upload(6);
    expect(await overflow(tab)).toBe(0);
    expect(await iconsOf(tab)).toEqual({ lines: true, icons: 1, met: 0 });
    await tab.exportAll();
    await tab.untilState('done');
    await expect.poll(() => rows(tab.widget).locator('.saving').count()).toBe(6);
    expect(await overflow(tab)).toBe(0);
  });

  it('follows the property, which is reflected', async () => {
    const tab = await open({ compact: true });
    await tab.upload(1);
    await tab.widget.evaluate((element) => Object.assign(element, { compact: false }));
    await field(rows(tab.widget), 'filename').waitFor();
    expect(await tab.widget.getAttribute('compact')).toBeNull();
    expect(await tab.button(text('dropzone.pick')).isVisible()).toBe(true);
  });
});

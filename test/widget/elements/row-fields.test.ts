import { beforeAll, describe, expect, it } from 'vitest';
import { createI18n, LOCALES, loadLocale } from '../../../widget/i18n/index.ts';
import { openWidgetRig, type WidgetRig } from '../../support/widget-rig.ts';
import { field, rows, textOf } from '../read-page.ts';

const ALT = 'Two dogs wait beside a bicycle in front of a bakery on a rainy morning';

describe('the fields of a row', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  it('have room for names in every language at 1280 pixels, and nothing scrolls sideways at 320', async () => {
    const tab = await rig.open({ context: { viewport: { width: 1280, height: 800 } } });
    await tab.pick('small/photo-dogs-portrait.jpg');
    await tab.untilState('ready');
    const row = rows(tab.widget);
    await field(row, 'alt').fill(ALT);
    await field(row, 'alt').press('Enter');
    for (const locale of LOCALES) {
      const { t } = createI18n({ locale, messages: await loadLocale(locale) });
      await tab.page.setViewportSize({ width: 1280, height: 800 });
      await tab.widget.evaluate((element, locale) => Object.assign(element, { locale }), locale);
      await expect.poll(() => textOf(row)).toContain(t('field.alt-count', { count: ALT.length, limit: 125 }));
      for (const name of ['filename', 'title'] as const) {
        const { width = 0 } = (await field(row, name).boundingBox()) ?? {};
        expect(width, `${name} in ${locale}`).toBeGreaterThanOrEqual(210);
      }
      const cut = await row.locator('.below').evaluate((below) => below.scrollWidth - below.clientWidth);
      expect(cut, locale).toBeLessThanOrEqual(0);
      await tab.page.setViewportSize({ width: 320, height: 640 });
      await expect
        .poll(() => tab.page.evaluate(() => document.documentElement.scrollWidth), { message: locale })
        .toBe(320);
    }
    tab.expectQuiet();
  });
});

import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createI18n, LOCALES, loadLocale } from '../../widget/i18n/index.ts';
import { plainImage } from '../support/small-images.ts';
import { openWidgetRig, type WidgetRig } from '../support/widget-rig.ts';
import { holdRequests } from './hold-requests.ts';
import { textOf } from './read-page.ts';

const heightOf = (place: Locator) => place.evaluate((element) => element.getBoundingClientRect().height);

describe('at 320 pixels', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  it.each(LOCALES)(
    'neither the bar nor the question changes its height when the price arrives (%s)',
    async (locale) => {
      const { t } = createI18n({ locale, messages: await loadLocale(locale) });
      const tab = await rig.open({ elements: [{ locale }], context: { viewport: { width: 320, height: 720 } } });
      const tell = await holdRequests(tab.page, /credits\/check/);
      await tab.pick(await plainImage('hill.png'));
      await tab.untilState('ready');
      const [bar, dialog] = [tab.widget.locator('.bar'), tab.widget.locator('dialog')];
      await expect.poll(() => textOf(bar)).toContain(t('cost.loading'));
      await tab.widget.locator('button.export').click();
      await expect.poll(() => textOf(dialog)).toContain(t('cost.loading'));
      const before = [await heightOf(bar), await heightOf(dialog)];
      tell();
      await expect.poll(() => textOf(dialog)).toContain(t('confirm.yes', { count: 1 }));
      await expect.poll(() => textOf(bar)).toContain(t('cost.credits', { count: 1 }));
      expect([await heightOf(bar), await heightOf(dialog)]).toEqual(before);
    },
  );
});

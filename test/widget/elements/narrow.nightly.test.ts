import type { Locator } from 'playwright-core';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { GOOD_ANSWER } from '../../support/fake-vision-server.ts';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../../support/widget-rig.ts';
import { field, rows } from '../read-page.ts';

const PHONE = { width: 320, height: 720 };
const MORE = '.more[aria-haspopup]';
const TABLET = { width: 768, height: 1024 };

async function boxOf(place: Locator) {
  const box = await place.boundingBox();
  if (!box) throw new Error('expected it to be seen');
  return { ...box, right: box.x + box.width, bottom: box.y + box.height, middle: box.y + box.height / 2 };
}

/** Height of the text in lines of its own. */
const linesOf = (place: Locator) =>
  place.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  });

const analyze = ({ widget }: WidgetTab) =>
  widget.evaluate((element) => (element as unknown as { analyze(): Promise<void> }).analyze());

describe('in narrow layouts', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  it('messages have their icon before and their close button after the text, and do not overflow', async () => {
    const tab = await rig.open({ elements: [{ retries: '1' }], context: { viewport: PHONE } });
    const json = { error: 'Internal error', code: 'internal_error', requestId: `req_${'8d2c71'.repeat(8)}` };
    rig.proxy.inject({ kind: 'answer', status: 500, json }, { path: /^\/v1\/sessions$/, times: 99 });
    await tab.pick('small/graphic-badge-alpha.png');
    const notice = tab.widget.locator('.notice');
    await expect.poll(() => notice.count()).toBe(1);
    const message = await boxOf(notice.locator('p').first());
    const sign = await boxOf(notice.locator('svg').first());
    const close = await boxOf(notice.getByRole('button', { name: text('notice.dismiss') }));
    expect(sign.right).toBeLessThanOrEqual(message.x);
    expect(close.x).toBeGreaterThanOrEqual(message.right);
    for (const { y, bottom } of [sign, close]) {
      expect(y).toBeLessThan(message.bottom);
      expect(bottom).toBeGreaterThan(message.y);
    }
    expect(close.right).toBeLessThanOrEqual((await boxOf(notice)).right);
    expect((await boxOf(notice)).right).toBeLessThanOrEqual((await boxOf(tab.widget)).right);
    rig.proxy.reset();
  });

  it('file names are complete, icons are before their texts, and buttons beside their subject', async () => {
    const tab = await rig.open({ context: { viewport: PHONE } });
    await tab.pick('small/photo-dogs-portrait.jpg', 'small/graphic-badge-alpha.png');
    await tab.untilState('ready');
    rig.vision.answer = { ...GOOD_ANSWER, people: true, textInImage: 'A sign', kind: 'document' };
    await analyze(tab);
    const review = rows(tab.widget).first().locator('.review');
    await expect.poll(() => review.count()).toBe(1);
    rig.vision.reset();
    const sign = await boxOf(review.locator('svg'));
    const words = await boxOf(review.locator('span'));
    expect(sign.right).toBeLessThanOrEqual(words.x);
    expect(sign.y).toBeGreaterThanOrEqual(words.y - 2);
    expect(sign.bottom).toBeLessThan(words.y + 28);
    const accept = await boxOf(review.getByRole('button'));
    expect(accept.height).toBeGreaterThanOrEqual(24);

    await tab.widget.evaluate((element) => Object.assign(element, { settings: { responsive: true } }));
    await tab.button(text('settings.change')).click();
    const size = tab.widget.locator('io-settings .sizes li').first();
    const width = await boxOf(size.locator('input').first());
    const remove = await boxOf(size.getByRole('button'));
    expect(Math.abs(remove.middle - width.middle)).toBeLessThan(2);
    expect(remove.right).toBeLessThanOrEqual((await boxOf(tab.widget)).right);
  });

  it('a short name stays in one line beside its buttons, also with a result', async () => {
    const tab = await rig.open({ context: { viewport: PHONE } });
    await tab.upload(1);
    await tab.exportAll();
    await tab.untilState('done');
    const row = rows(tab.widget).first();
    await expect.poll(() => row.locator('.actions button').count()).toBe(4);
    const name = row.locator('.name bdi');
    await name.evaluate((element) => {
      element.textContent = 'DSC_01.jpg';
    });
    expect(await linesOf(name)).toBe(1);
    for (const button of await row.locator('.actions button').all()) {
      expect((await boxOf(button)).height).toBeGreaterThanOrEqual(24);
    }
  });

  it.each(['en', 'de', 'fr', 'ar'])(
    'the menu of the toolbar is beside the heading on a tablet (%s)',
    async (locale) => {
      const tab = await rig.open({
        elements: [{ locale }],
        context: { viewport: TABLET },
        css: 'body { margin: 0; padding: 16px }',
      });
      await tab.upload(2);
      const more = tab.widget.locator(MORE);
      const [heading, sign] = [await boxOf(tab.widget.locator('h2')), await boxOf(more)];
      expect(Math.abs(heading.middle - sign.middle)).toBeLessThan(4);
      const widgetBox = await boxOf(tab.widget);
      expect(locale === 'ar' ? sign.x - widgetBox.x : widgetBox.right - sign.right).toBeLessThan(24);
      await more.click();
      // The menu is below its button, and ends where that ends.
      const menu = await boxOf(tab.widget.getByRole('menu'));
      expect(Math.abs(menu.y - sign.bottom)).toBeLessThan(8);
      expect(Math.abs(locale === 'ar' ? menu.x - sign.x : menu.right - sign.right)).toBeLessThan(8);
    },
  );

  it.each(['en', 'ar'])(
    'a button of the page fits into the toolbar of a phone, below the menu (%s)',
    async (locale) => {
      const tab = await rig.open({
        elements: [{ locale }],
        context: { viewport: { width: 390, height: 844 } },
        css: 'body { margin: 0; padding: 16px }',
      });
      await tab.widget.evaluate((element) => {
        const button = Object.assign(document.createElement('button'), {
          slot: 'toolbar-end',
          textContent: 'Approval',
        });
        button.style.inlineSize = '150px';
        element.append(button);
      });
      await tab.upload(2);
      const [heading, sign] = [await boxOf(tab.widget.locator('h2')), await boxOf(tab.widget.locator(MORE))];
      expect(Math.abs(heading.middle - sign.middle)).toBeLessThan(6);
      const [add, own] = [
        await boxOf(tab.widget.locator('io-dropzone')),
        await boxOf(tab.widget.locator('[slot=toolbar-end]')),
      ];
      expect(Math.abs(add.middle - own.middle)).toBeLessThan(2);
      expect(add.y).toBeGreaterThan(sign.bottom - 8);
    },
  );

  it('a text of more than two lines fades out until it is pressed, and an open row shows it whole', async () => {
    const tab = await rig.open({ context: { viewport: PHONE } });
    await tab.upload(2);
    const [long, short] = [field(rows(tab.widget).first(), 'alt'), field(rows(tab.widget).nth(1), 'alt')];
    await long.fill('A path leads over a meadow towards grey mountains with patches of snow in the morning');
    await short.fill('A path');
    // The field shows the end of what was typed.
    await long.evaluate((area) => area.scrollTo(0, 0));
    const fades = (place: Locator) => place.evaluate((area) => getComputedStyle(area).maskImage !== 'none');
    await expect.poll(() => fades(long)).toBe(true);
    expect(await fades(short)).toBe(false);
    await long.focus();
    await expect.poll(() => fades(long)).toBe(false);
    await rows(tab.widget).first().locator('[data-control=more]').click();
    await expect.poll(() => long.evaluate((area) => area.scrollHeight - area.clientHeight)).toBeLessThanOrEqual(0);
    expect(await fades(long)).toBe(false);
  });

  it('a list has a shadow at its lower edge until its end', async () => {
    const tab = await rig.open({ css: 'image-optimizer { --io-list-max-height: 300px }' });
    await tab.upload(8);
    const list = tab.widget.locator('io-list ul');
    // The last pixels of the visible part, beside the rows' pictures and fields.
    const edge = async () => {
      const { x, bottom } = await boxOf(list);
      const clip = { x: x + 12, y: bottom - 3, width: 6, height: 2 };
      const { channels } = await sharp(await tab.page.screenshot({ clip })).stats();
      return channels[0]?.mean ?? 0;
    };
    await list.scrollIntoViewIfNeeded();
    expect(await edge()).toBeLessThan(245);
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await expect.poll(edge).toBeGreaterThan(253);
  });
});

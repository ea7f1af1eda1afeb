import { beforeAll, describe, expect, it } from 'vitest';
import type { ExportRequest } from '#contract';
import { expectAccessible } from '../../support/accessibility.ts';
import { noiseImage } from '../../support/small-images.ts';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../../support/widget-rig.ts';

const CROPS = { responsive: true, responsiveSizes: [{ width: 40, height: 40, fit: 'cover' }] };

describe('the centre of crops', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  /** Opens the review of an image of 120 x 60 pixels. */
  async function openReview(settings: Record<string, unknown>): Promise<WidgetTab> {
    const tab = await rig.open({ elements: [{ remember: 'focal' }], properties: { settings } });
    await tab.pick(await noiseImage('noise.png', { width: 120, height: 60 }));
    await tab.untilState('ready');
    await tab.button(text('reviewing.title')).click();
    await tab.widget.locator('io-review .picture canvas').waitFor();
    return tab;
  }

  const pointOf = (tab: WidgetTab) =>
    tab.widget.evaluate((element) => (element as unknown as { items: { focalPoint: unknown }[] }).items[0]?.focalPoint);
  const slider = (tab: WidgetTab, name: 'x' | 'y') => tab.widget.getByRole('slider', { name: text(`focal.${name}`) });

  /** Exports and returns the images of the request. */
  async function exportedImages(tab: WidgetTab): Promise<ExportRequest['images']> {
    const sent = tab.page.waitForRequest(/\/export$/);
    await tab.exportAll();
    const body = (await sent).postDataJSON() as ExportRequest;
    await tab.untilState('done');
    return body.images;
  }

  it('is not asked for without crops', async () => {
    const tab = await openReview({ responsive: true, responsiveSizes: [40] });
    expect(await slider(tab, 'x').count()).toBe(0);
    expect(await tab.widget.locator('io-review .focal').count()).toBe(0);
  });

  it('is set by a click on the picture or by keys, is exported, and survives a reload', async () => {
    const tab = await openReview(CROPS);
    const area = tab.widget.locator('io-review .focal rect');
    const { width, height } = (await area.boundingBox()) ?? { width: 0, height: 0 };
    expect(width / height).toBeCloseTo(2, 1);
    await area.click({ position: { x: width * 0.9, y: height * 0.25 } });
    await expect.poll(() => pointOf(tab)).toEqual({ x: 0.9, y: 0.25 });
    await expect.poll(() => slider(tab, 'x').inputValue()).toBe('90');
    await slider(tab, 'y').focus();
    await tab.page.keyboard.press('ArrowRight');
    await expect.poll(() => pointOf(tab)).toEqual({ x: 0.9, y: 0.26 });
    await expectAccessible(tab.page);
    await tab.page.keyboard.press('Escape');

    const point = { x: 0.9, y: 0.26 };
    expect(await exportedImages(tab)).toMatchObject([{ focalPoint: point }]);
    await tab.page.reload();
    await tab.untilState('done');
    expect(await pointOf(tab)).toEqual(point);
    expect((await tab.ledger()).charges).toBe(1);
  });

  it('makes a result stale, is left to the service again, and counts only while there are crops', async () => {
    const tab = await openReview(CROPS);
    await tab.page.keyboard.press('Escape');
    expect(await exportedImages(tab)).toEqual([{ id: expect.any(String) }]);
    await tab.button(text('reviewing.title')).click();
    await slider(tab, 'x').fill('20');
    await tab.page.keyboard.press('Escape');
    await tab.widget.locator('button.export').waitFor();
    await tab.button(text('reviewing.title')).click();
    await tab.widget.getByRole('button', { name: text('focal.auto') }).click();
    await expect.poll(() => pointOf(tab)).toBeNull();
    await tab.page.keyboard.press('Escape');
    await tab.button(text('outcome.download-all')).waitFor();
  });
});

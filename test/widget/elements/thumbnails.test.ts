import type { Locator } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWidgetRig, type WidgetRig } from '../../support/widget-rig.ts';
import { canvasStats, rows } from '../read-page.ts';

describe('thumbnails', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await startWidgetRig();
  });
  afterAll(() => rig?.close());

  /** A red picture with a blue upper left quarter, turned as a camera's sensor was. */
  async function photograph(width: number, height: number, orientation: number): Promise<Buffer> {
    const corner = { create: { width: width / 2, height: height / 2, channels: 3 as const, background: '#00f' } };
    const input = await sharp(corner).png().toBuffer();
    return sharp({ create: { width, height, channels: 3, background: '#f00' } })
      .composite([{ input, top: 0, left: 0 }])
      .withMetadata({ orientation })
      .jpeg()
      .toBuffer();
  }

  it.each([
    { how: 'by the decoder for parts of the size', script: '' },
    { how: 'where there is no such decoder', script: 'delete window.ImageDecoder;' },
  ])('of photographs are upright, whatever their size, $how', async ({ script }) => {
    const tab = await rig.open({ elements: [{ 'auto-upload': 'false' }], script });
    const files = [
      await photograph(2400, 1600, 1),
      await photograph(2400, 1600, 6),
      await photograph(4800, 3200, 8),
      await photograph(120, 80, 3),
      Buffer.from('no picture at all'),
    ];
    const named = files.map((buffer, index) => ({ name: `photo-${index}.jpg`, mimeType: 'image/jpeg', buffer }));
    await tab.widget.locator('input[type=file]').first().setInputFiles(named);
    const canvas = (index: number) => rows(tab.widget).nth(index).locator('canvas');
    // Which quarter is blue: upper left, upper right, lower left, lower right.
    await expect.poll(() => blueQuarter(canvas(0))).toBe(0);
    await expect.poll(() => blueQuarter(canvas(1))).toBe(1);
    await expect.poll(() => blueQuarter(canvas(2))).toBe(2);
    await expect.poll(() => blueQuarter(canvas(3))).toBe(3);
    const { width = 0, height = 1 } = (await canvasStats(canvas(1))) ?? {};
    expect(width / height).toBeCloseTo(1600 / 2400, 1);
    // As many pixels as are shown, or a few more.
    expect(width).toBeGreaterThanOrEqual(88);
    expect(width).toBeLessThan(300);
    expect(await canvas(4).count()).toBe(0);
    tab.expectQuiet();
  });
});

/** The place of the quarter that is more blue than red; null while there is no picture, or not one such quarter. */
async function blueQuarter(canvas: Locator): Promise<number | null> {
  if ((await canvas.count()) === 0) return null;
  return canvas.evaluate((element) => {
    const copy = document.createElement('canvas');
    copy.width = 8;
    copy.height = 8;
    const context = copy.getContext('2d', { willReadFrequently: true });
    context?.drawImage(element as HTMLCanvasElement, 0, 0, 8, 8);
    const places: [number, number][] = [
      [2, 2],
      [6, 2],
      [2, 6],
      [6, 6],
    ];
    const blue = places.map(([x, y]) => {
      const [red = 0, , azure = 0] = context?.getImageData(x, y, 1, 1).data ?? [];
      return azure > red;
    });
    return blue.filter(Boolean).length === 1 ? blue.indexOf(true) : null;
  });
}

import type { Locator } from 'playwright-core';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { openWidgetRig, type WidgetRig, type WidgetTab } from '../../support/widget-rig.ts';
import { canvasStats, rows } from '../read-page.ts';

/** Expected quarters in reading order, of a picture stored as red, green, blue, white. */
const UPRIGHT = ['RGBW', 'GRWB', 'WBGR', 'BWRG', 'RBGW', 'BRWG', 'WGBR', 'GWRB'];
const PLAIN_DECODER = 'delete window.ImageDecoder;';
/** Records the source of each thumbnail: `VideoFrame` if it was decoded at a fraction of its size. */
const WATCH_SOURCES = `
  const make = window.createImageBitmap;
  window.sources = [];
  window.createImageBitmap = (source, ...rest) => {
    window.sources.push(source.constructor.name);
    return make(source, ...rest);
  };
`;

/** Red, green, blue and white, in reading order. */
const QUARTERS = Buffer.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]);

const made = new Map<string, Promise<Buffer>>();

/** Makes a picture of four coloured quarters with an EXIF orientation. */
function photograph(width: number, height: number, orientation: number): Promise<Buffer> {
  const name = `${width} x ${height}, ${orientation}`;
  const photo =
    made.get(name) ??
    sharp(QUARTERS, { raw: { width: 2, height: 2, channels: 3 } })
      .resize({ width, height, fit: 'fill', kernel: 'nearest' })
      .withMetadata({ orientation })
      .jpeg()
      .toBuffer();
  made.set(name, photo);
  return photo;
}

/** Reads the quarters of an element on the screen; empty while it is one colour. */
async function quartersOf(place: Locator): Promise<string> {
  const { data, info } = await sharp(await place.screenshot())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const places = [0.3, 0.7].flatMap((y) => [0.3, 0.7].map((x) => [x, y] as const));
  const names = places.map(([x, y]) => {
    const at = (Math.round(y * info.height) * info.width + Math.round(x * info.width)) * info.channels;
    const [red, green, blue] = [...data.subarray(at, at + 3)].map((value) => value > 128);
    return red && green && blue ? 'W' : red ? 'R' : green ? 'G' : blue ? 'B' : '?';
  });
  return new Set(names).size === 1 ? '' : names.join('');
}

describe('thumbnails', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  async function openWith(files: readonly Buffer[], script: string): Promise<WidgetTab> {
    const tab = await rig.open({ elements: [{ 'auto-upload': 'false' }], script });
    const named = files.map((buffer, index) => ({ name: `photo-${index}.jpg`, mimeType: 'image/jpeg', buffer }));
    await tab.widget.locator('input[type=file]').first().setInputFiles(named);
    return tab;
  }

  describe.each([
    { how: 'by the decoder for parts of the size', script: '', source: 'VideoFrame' },
    { how: 'where there is no such decoder', script: PLAIN_DECODER, source: 'File' },
  ])('$how', ({ script, source }) => {
    it.each([
      { width: 4000, height: 3000 },
      { width: 1600, height: 6400 },
    ])('are upright and whole, however the camera of $width x $height was held', async ({ width, height }) => {
      const files = await Promise.all(UPRIGHT.map((_, index) => photograph(width, height, index + 1)));
      const tab = await openWith(files, script + WATCH_SOURCES);
      for (const [index, wanted] of UPRIGHT.entries()) {
        const thumb = rows(tab.widget).nth(index).locator('.thumb');
        // In the middle, since the bar below the list covers what lies at the lower edge.
        await thumb.evaluate((element) => element.scrollIntoView({ block: 'center' }));
        await expect.poll(() => quartersOf(thumb), { message: `orientation ${index + 1}` }).toBe(wanted);
        const shown = await canvasStats(thumb.locator('canvas'));
        const ratio = index < 4 ? width / height : height / width;
        expect((shown?.width ?? 0) / (shown?.height ?? 1) / ratio).toBeCloseTo(1, 1);
      }
      const sources = await tab.page.evaluate(() => (window as unknown as { sources: string[] }).sources);
      expect(new Set(sources)).toEqual(new Set([source]));
      tab.expectQuiet();
    });

    it('have as many pixels as are shown, also for small images; other files have an icon', async () => {
      const files = [
        await photograph(2400, 1600, 6),
        await photograph(120, 80, 1),
        Buffer.from('GIF89a\0\0\0\0, no picture'),
      ] as const;
      const tab = await openWith(files, script);
      const thumb = (index: number) => rows(tab.widget).nth(index).locator('.thumb');
      await expect.poll(() => quartersOf(thumb(0))).toBe(UPRIGHT[5]);
      await expect.poll(() => quartersOf(thumb(1))).toBe(UPRIGHT[0]);
      const { width = 0 } = (await canvasStats(thumb(0).locator('canvas'))) ?? {};
      expect(width).toBeGreaterThanOrEqual(56);
      expect(width).toBeLessThan(90);
      expect(await thumb(2).locator('canvas').count()).toBe(0);
      await expect.poll(() => thumb(2).locator('svg').count()).toBe(1);
      tab.expectQuiet();
    });
  });
});

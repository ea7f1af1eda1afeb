import { describe, expect, it } from 'vitest';
import type { Pixels } from '../../../server/processing/worker/pixels.ts';
import { chooseCodec } from '../../../server/processing/worker/quality/codecs.ts';
import { chooseLayout, cutTiles } from '../../../server/processing/worker/quality/tiles.ts';

/** Grey, the lower half with stripes that rise towards the right. */
function image(width: number, height: number, frames = 1): Pixels {
  const data = Buffer.alloc(width * height * frames);
  for (let at = 0; at < data.length; at += 1) {
    const [x, y] = [at % width, Math.floor(at / width) % height];
    data[at] = y < height / 2 ? 80 : 80 + (x % 2) * ((100 * x) / width);
  }
  return { data, width, height, channels: 1, frames };
}

const AREA = 6 * 256 * 256;
const EXTENT = { area: AREA, edge: 256 };

describe('chooseLayout', () => {
  it('takes a small image whole', () => {
    const pixels = image(640, 400);
    const layout = chooseLayout(pixels, EXTENT);
    expect(layout).toMatchObject({ isWhole: true, width: 640, height: 400 });
    expect(cutTiles(pixels, layout)).toBe(pixels);
  });

  it('takes smooth and detailed parts by their area, without overlap and within the image', () => {
    const pixels = image(2000, 1100);
    const { tiles, isWhole, width, height } = chooseLayout(pixels, EXTENT);
    expect([isWhole, tiles.length, width, height]).toEqual([false, 6, 256, 256]);
    expect(tiles.filter(({ y }) => y + height <= 550)).toHaveLength(3);
    for (const { x, y } of tiles) expect([x >= 0, y >= 0, x + 256 <= 2000, y + 256 <= 1100]).not.toContain(false);
    expect(new Set(tiles.map(({ x, y }) => `${x}:${y}`)).size).toBe(6);
  });

  it.each([
    [20_000, 30],
    [64, 17_000],
    [257, 4000],
  ])('finds tiles in %i x %i', (width, height) => {
    const pixels = image(width, height);
    const layout = chooseLayout(pixels, EXTENT);
    const cut = cutTiles(pixels, layout);
    expect(cut.width * cut.height).toBeLessThanOrEqual(AREA * 1.5);
    expect(cut.data.length).toBe(cut.width * cut.height);
  });

  it('takes the first, middle and last frame of an animation', () => {
    for (const size of [200, 900]) {
      const { tiles, isWhole } = chooseLayout(image(size, size, 9), EXTENT);
      expect([...new Set(tiles.map(({ frame }) => frame))]).toEqual([0, 4, 8]);
      expect(isWhole).toBe(false);
    }
  });
});

describe('chooseCodec', () => {
  it('encodes tiles as WebP with little effort, and files with that of the preset', () => {
    const traits = { flatness: 0, detail: 2, noise: 2, chroma: 1 };
    const choice = { traits, resized: false, fullChroma: false };
    const webp = chooseCodec('webp', 'high', choice);
    expect(webp.tileSettings(80)).toEqual({ ...webp.settings(80), effort: 2 });
    expect(webp.settings(80)).toMatchObject({ effort: 4 });
    const jpeg = chooseCodec('jpeg', 'high', choice);
    expect(jpeg.tileSettings(80)).toEqual(jpeg.settings(80));
  });
});

describe('cutTiles', () => {
  it('puts the pixels of each tile side by side', () => {
    const pixels = image(900, 900, 3);
    const layout = chooseLayout(pixels, EXTENT);
    const cut = cutTiles(pixels, layout);
    layout.tiles.forEach(({ frame, x, y }, index) => {
      const [left, top] = [(index % layout.columns) * 256, Math.floor(index / layout.columns) * 256];
      for (const [dx, dy] of [
        [0, 0],
        [255, 255],
        [17, 130],
      ] as const) {
        const original = pixels.data[(frame * 900 + y + dy) * 900 + x + dx];
        expect(cut.data[(top + dy) * cut.width + left + dx]).toBe(original);
      }
    });
  });
});

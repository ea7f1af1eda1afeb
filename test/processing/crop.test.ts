import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { VariantSpec } from '../../server/processing/shared/variants.ts';
import type { Pixels } from '../../server/processing/worker/pixels.ts';
import { planScaling, scalePixels } from '../../server/processing/worker/steps/resize.ts';

/** Each pixel of these holds its place: red is the column, green the row, blue the frame. */
function placesOf(width: number, height: number, frames = 1): Pixels {
  const data = Buffer.alloc(width * height * frames * 3);
  for (let at = 0; at < width * height * frames; at += 1) {
    const row = Math.floor(at / width);
    data[at * 3] = Math.round(((at % width) / (width - 1)) * 255);
    data[at * 3 + 1] = Math.round(((row % height) / (height - 1)) * 255);
    data[at * 3 + 2] = Math.floor(row / height) * 100;
  }
  return { data, width, height, channels: 3, frames, ...(frames > 1 ? { delay: [], loop: 0 } : {}) };
}

async function crop(full: Pixels, variant: Omit<VariantSpec, 'name'>): Promise<Pixels> {
  const scaling = await planScaling({ full, smaller: [] }, { name: 'x', fit: 'cover', ...variant });
  if (!scaling) throw new Error('expected a smaller version');
  return scalePixels(scaling);
}

/** The part of the source in the middle of a frame of the crop, as x and y. */
function middleOf({ data, width, height }: Pixels, frame = 0): [number, number] {
  const at = ((frame * height + Math.floor(height / 2)) * width + Math.floor(width / 2)) * 3;
  return [(data[at] ?? 0) / 255, (data[at + 1] ?? 0) / 255];
}

describe('a crop around a focal point', () => {
  it.each([
    [{ x: 0.5, y: 0.5 }, [0.5, 0.5]],
    [{ x: 0.3, y: 0.9 }, [0.3, 0.5]],
    // A square of a 2:1 image shows half of its width, so its middle is from 0.25 to 0.75.
    [{ x: 0, y: 0 }, [0.25, 0.5]],
    [{ x: 1, y: 1 }, [0.75, 0.5]],
  ] as const)('keeps %j as near to its centre as the edges allow', async (focalPoint, [x, y]) => {
    for (const side of [20, 90, 100]) {
      const cropped = await crop(placesOf(200, 100), { width: side, height: side, focalPoint });
      expect([cropped.width, cropped.height]).toEqual([side, side]);
      const middle = middleOf(cropped);
      expect(Math.abs(middle[0] - x)).toBeLessThan(0.03);
      expect(Math.abs(middle[1] - y)).toBeLessThan(0.03);
    }
  });

  it('moves along the long side of portraits', async () => {
    const middle = middleOf(await crop(placesOf(100, 200), { width: 50, height: 25, focalPoint: { x: 1, y: 0.2 } }));
    expect(Math.abs(middle[1] - 0.2)).toBeLessThan(0.03);
  });

  it('is at the same place in every frame of an animation', async () => {
    const cropped = await crop(placesOf(200, 100, 3), { width: 40, height: 40, focalPoint: { x: 0.3, y: 0.5 } });
    expect([cropped.width, cropped.height, cropped.data.length]).toEqual([40, 40, 40 * 40 * 3 * 3]);
    for (const frame of [0, 1, 2]) {
      const [x] = middleOf(cropped, frame);
      expect(Math.abs(x - 0.3)).toBeLessThan(0.03);
      expect(Math.abs((cropped.data[(frame * 40 + 20) * 40 * 3 + 2] ?? 0) - frame * 100)).toBeLessThan(3);
    }
  });
});

describe('a crop without a focal point', () => {
  /** A grey field with a red disc, in one frame or three. */
  async function disc(centre: { x: number; y: number }, frames = 1): Promise<Pixels> {
    const [width, height] = [400, 200];
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
      <rect width="100%" height="100%" fill="#777"/>
      <circle cx="${centre.x * width}" cy="${centre.y * height}" r="20" fill="#e03020"/></svg>`;
    const one = await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer();
    return { data: Buffer.concat(Array.from({ length: frames }, () => one)), width, height, channels: 3, frames };
  }
  const redness = ({ data }: Pixels) => {
    let reds = 0;
    for (let at = 0; at < data.length; at += 3) if ((data[at] ?? 0) - (data[at + 1] ?? 0) > 60) reds += 1;
    return reds;
  };

  it.each([0.1, 0.5, 0.9])('keeps what attracts attention, at %d of the width', async (x) => {
    const cropped = await crop(await disc({ x, y: 0.5 }), { width: 100, height: 100 });
    // The whole disc, scaled to a radius of 10 pixels.
    expect(redness(cropped)).toBeGreaterThan(280);
  });

  it('keeps that of the first frame of an animation in every frame', async () => {
    const cropped = await crop(await disc({ x: 0.9, y: 0.5 }, 3), { width: 100, height: 100 });
    expect([cropped.width, cropped.height, cropped.frames]).toEqual([100, 100, 3]);
    expect(redness(cropped)).toBeGreaterThan(3 * 280);
  });

  it('works on grey and on transparent images', async () => {
    const colour = await disc({ x: 0.9, y: 0.5 });
    for (const channels of [1, 4] as const) {
      const image = sharp(colour.data, { raw: { width: 400, height: 200, channels: 3 } });
      const converted = channels === 1 ? image.toColourspace('b-w') : image.ensureAlpha();
      const full: Pixels = { ...colour, data: await converted.raw().toBuffer(), channels };
      const cropped = await crop(full, { width: 100, height: 100 });
      expect([cropped.width, cropped.height, cropped.data.length]).toEqual([100, 100, 10_000 * channels]);
    }
  });
});

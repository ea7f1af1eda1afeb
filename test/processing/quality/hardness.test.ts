import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { PRESET_TARGETS } from '#contract';
import { createVariantEncoder } from '../../../server/processing/worker/encode-variant.ts';
import type { Pixels } from '../../../server/processing/worker/pixels.ts';
import { loadSearchTools } from '../../../server/processing/worker/quality/search-tools.ts';
import { photo } from '../processor-harness.ts';

const WIDTHS = [320, 480, 768, 1024];
/** Files that are scored to learn how hard an image is. */
const OF_REFERENCE = 2;

async function pixelsOf(picture: string, width?: number): Promise<Pixels> {
  const { data, info } = await sharp(photo(picture)).resize(width).raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: 3, frames: 1 };
}

/** Creates an encoder of JPEGs at `high` that counts the files it scores. */
async function createCountingEncoder(pixels: Pixels) {
  const { scorer, table } = await loadSearchTools();
  const counter = { scored: 0 };
  const counting: typeof scorer = {
    ...scorer,
    prepare(original) {
      const reference = scorer.prepare(original);
      return {
        score(version) {
          counter.scored += 1;
          return reference.score(version);
        },
      };
    },
  };
  const order = { format: 'jpeg', preset: 'high', metadata: {} } as const;
  return { counter, encode: createVariantEncoder(pixels, order, { scorer: counting, table }) };
}

describe('the search of smaller versions', () => {
  // Without what is learnt of the image, each width takes two or three.
  it.each(['photo-dogs-portrait.jpg', 'photo-mountains.jpg'])(
    'takes little more than one file a width: %s',
    async (picture) => {
      const { counter, encode } = await createCountingEncoder(await pixelsOf(picture));
      for (const width of WIDTHS) {
        const { score } = await encode({ name: `${width}w`, width }, () => {});
        expect(score).toBeGreaterThanOrEqual(PRESET_TARGETS.high - 0.5);
        expect(score).toBeLessThanOrEqual(PRESET_TARGETS.high + 4);
      }
      expect(counter.scored).toBeLessThanOrEqual(OF_REFERENCE + 1.5 * WIDTHS.length);
    },
  );

  it('is not repeated for a width that is the full one', async () => {
    const { counter, encode } = await createCountingEncoder(await pixelsOf('photo-mountains.jpg', 600));
    const full = await encode({ name: 'full' }, () => {});
    const { scored } = counter;
    expect(scored).toBeGreaterThan(0);
    expect((await encode({ name: '600w', width: 600 }, () => {})).data.equals(full.data)).toBe(true);
    expect(counter.scored).toBe(scored);
  });
});

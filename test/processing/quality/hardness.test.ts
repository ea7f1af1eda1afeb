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

async function pixelsOf(picture: string): Promise<Pixels> {
  const { data, info } = await sharp(photo(picture)).raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: 3, frames: 1 };
}

describe('the search of smaller versions', () => {
  // Without what is learnt of the image, each width takes two or three.
  it.each(['photo-dogs-portrait.jpg', 'photo-mountains.jpg'])(
    'takes little more than one file a width: %s',
    async (picture) => {
      const { scorer, table } = await loadSearchTools();
      let scored = 0;
      const counting: typeof scorer = {
        ...scorer,
        prepare(pixels) {
          const reference = scorer.prepare(pixels);
          const score: typeof reference.score = (version) => {
            scored += 1;
            return reference.score(version);
          };
          return { score };
        },
      };
      const order = { format: 'jpeg', preset: 'high', metadata: {} } as const;
      const encode = createVariantEncoder(await pixelsOf(picture), order, { scorer: counting, table });
      for (const width of WIDTHS) {
        const { score } = await encode({ name: `${width}w`, width }, () => {});
        expect(score).toBeGreaterThanOrEqual(PRESET_TARGETS.high - 0.5);
        expect(score).toBeLessThanOrEqual(PRESET_TARGETS.high + 4);
      }
      expect(scored).toBeLessThanOrEqual(OF_REFERENCE + 1.5 * WIDTHS.length);
    },
  );
});

import type { Pixels } from '../pixels.ts';
import { type Pyramid, planScaling, scalePixels } from '../steps/resize.ts';
import { planQuality, type QualityOrder } from './plan-quality.ts';
import type { SearchTools } from './search-tools.ts';

/** Pixels of the version that stands for all others, as of 640 x 480. */
const REFERENCE_PIXELS = 300_000;
/** Images up to this size have no such version: its search would cost more than it saves. */
const SMALL_PIXELS = 2 * REFERENCE_PIXELS;
/**
 * Share of the reference's hardness that other sizes have, and points that twice the width is harder. Measured on 31 sources, 320 to 1,280
 * pixels wide: a start from what tiles of the large image tell misses the score by 5.9 points (standard deviation), this one by 2.2.
 */
const SHARED = 0.9;
const HARDER_BY_WIDTH = 1.6;

/** Predicts by how many points a smaller version of an image is harder for the codec than its traits say. */
export type HardnessOf = (version: Pixels) => Promise<number>;

/**
 * Creates the prediction for the versions of one image. It searches one small version, when it is asked first, and depends on the image alone,
 * so that a width has the same bytes whichever others are made.
 */
export function createHardness(pyramid: Pyramid, order: QualityOrder, tools: SearchTools): HardnessOf {
  const { width, height } = pyramid.full;
  if (width * height <= SMALL_PIXELS) return async () => 0;
  let reference: Promise<number> | undefined;
  return async (version) => {
    reference ??= hardnessOfReference(pyramid, order, tools);
    const doublings = Math.log2((version.width * version.height) / REFERENCE_PIXELS) / 2;
    return SHARED * (await reference) + HARDER_BY_WIDTH * doublings;
  };
}

async function hardnessOfReference(pyramid: Pyramid, order: QualityOrder, tools: SearchTools): Promise<number> {
  const still = pyramid.full.frames === 1 ? pyramid : { full: firstFrame(pyramid.full), smaller: [] };
  const { width, height } = still.full;
  const scale = Math.sqrt(REFERENCE_PIXELS / (width * height));
  const scaling = await planScaling(still, { name: 'reference', width: Math.round(width * scale) });
  const { hardness } = await planQuality(scaling ? await scalePixels(scaling) : still.full, order, tools, 0);
  return hardness;
}

function firstFrame({ data, width, height, channels }: Pixels): Pixels {
  return { data: data.subarray(0, width * height * channels), width, height, channels, frames: 1 };
}

import { firstFrame, type Pixels } from '../pixels.ts';
import { type Pyramid, planScaling, scalePixels } from '../steps/resize.ts';
import { isProbedWhole, planQuality, type QualityOrder } from './plan-quality.ts';
import type { SearchTools } from './search-tools.ts';

/** Pixels of the smaller version that is searched to learn the hardness of a large image: about 640 x 480. */
const REFERENCE_PIXELS = 300_000;
/**
 * Share of the reference's hardness that versions of other sizes have. Fitted with the next value to 31 sources, 320 to 1,280 pixels wide: a start
 * predicted from tiles of the large image misses the aimed score by 5.9 points (standard deviation), one with these values by 2.2.
 */
const SHARED = 0.9;
/** Points by which the hardness grows when the width doubles. */
const HARDER_BY_WIDTH = 1.6;

/** Predicts the hardness of a smaller version of an image, in points of the score; see `QualityPlan`. */
export type HardnessOf = (version: Pixels) => Promise<number>;

/** A version of known hardness, from which that of other sizes is predicted. */
interface Reference {
  hardness: number;
  /** Width x height. */
  area: number;
}

/**
 * The reference of images up to two megapixels, without a search: on average, traits predict the number rightly at 900,000 pixels. To search a
 * smaller version of such an image takes as long as it saves.
 */
const OF_SMALL: Reference = { hardness: 0, area: 900_000 };

/**
 * Creates the prediction for the versions of one image. Its first call searches a smaller version of a large image. The result depends on the
 * image alone, so that a width has the same bytes whichever others are made.
 */
export function createHardness(pyramid: Pyramid, order: QualityOrder, tools: SearchTools): HardnessOf {
  let reference: Promise<Reference> | undefined;
  return async (version) => {
    reference ??= isProbedWhole(pyramid.full) ? Promise.resolve(OF_SMALL) : searchReference(pyramid, order, tools);
    const { hardness, area } = await reference;
    return SHARED * hardness + (HARDER_BY_WIDTH / 2) * Math.log2(areaOf(version) / area);
  };
}

async function searchReference(pyramid: Pyramid, order: QualityOrder, tools: SearchTools): Promise<Reference> {
  const still = pyramid.full.frames === 1 ? pyramid : { full: firstFrame(pyramid.full), smaller: [] };
  const width = Math.round(still.full.width * Math.sqrt(REFERENCE_PIXELS / areaOf(still.full)));
  const scaling = await planScaling(still, { name: 'reference', width });
  const pixels = scaling ? await scalePixels(scaling) : still.full;
  const { hardness } = await planQuality(pixels, order, tools, 0);
  return { hardness, area: areaOf(pixels) };
}

function areaOf({ width, height }: Pixels): number {
  return width * height;
}

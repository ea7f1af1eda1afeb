import { PRESET_TARGETS } from '#contract/constants';
import type { Pixels } from '../pixels.ts';
import { encodePixels } from '../steps/encode.ts';
import { kneeOf, stoppedAtKnee } from './knee.ts';
import {
  bestOf,
  CHECKED_MARGIN,
  planQuality,
  type QualityOrder,
  type QualityPlan,
  TOLERATED,
  WEB_PIXELS,
  withScore,
} from './plan-quality.ts';
import { type ScoredImage, takeSample } from './sample.ts';
import { searchNumber } from './search-number.ts';
import type { SearchTools } from './search-tools.ts';
import { chooseLayout, wholeLayout } from './tiles.ts';

/** Parts of the frames of an animation on which its file is scored. A still is scored whole. */
const CHECKED_OF_FRAMES = { area: 2_000_000, edge: 256 };
/** A file that scores more than `excess` above the target is encoded again. Large for large images, which encode slowly. */
const OF_WEB = { excess: 3.5, mostEncodings: 3 };
const OF_LARGE = { excess: 4.5, mostEncodings: 3 };

/** Encodes an image as planned and scores the file; one that misses the target, or exceeds it by far, is encoded again. */
export async function encodeToPromise(
  pixels: Pixels,
  order: QualityOrder,
  tools: SearchTools,
  { codec, number, expected, made, hardness, knee }: QualityPlan,
  resized: boolean,
): Promise<ScoredImage> {
  if (made) return made;
  const { preset, metadata } = order;
  const target = PRESET_TARGETS[preset];
  if (expected !== undefined) {
    const file = withScore(
      await encodePixels(pixels, codec.settings(number), metadata),
      expected,
      codec,
      number,
      preset,
    );
    return knee === undefined ? file : stoppedAtKnee(file, target, knee);
  }
  const layout = pixels.frames > 1 ? chooseLayout(pixels, CHECKED_OF_FRAMES) : wholeLayout(pixels);
  const sample = takeSample(tools.scorer, pixels, layout, order.format === 'jpeg');
  const { excess, mostEncodings } = pixels.width * pixels.height * pixels.frames > WEB_PIXELS ? OF_LARGE : OF_WEB;
  const files: ScoredImage[] = [];
  const probe = async (one: number) => {
    const encoded = await encodePixels(pixels, codec.settings(one), metadata);
    const score = await sample.score(encoded.data, true);
    files.push(withScore(encoded, score, codec, one, preset));
    return score;
  };
  if (knee !== undefined) {
    await probe(number);
    return stoppedAtKnee(files[0] as ScoredImage, target, knee);
  }
  const aim = target + CHECKED_MARGIN;
  const accuracy = { below: CHECKED_MARGIN + TOLERATED, above: excess - CHECKED_MARGIN };
  const { curve } = tools.table[codec.name];
  await searchNumber({
    ...{ aim, start: number, curve, bounds: codec.bounds, probe },
    ...{ ...accuracy, mostProbes: mostEncodings, trusted: 0 },
  });
  const atKnee = order.insists ? undefined : kneeOf(files, codec.steep, target);
  if (atKnee) return atKnee;
  const best = bestOf(files, target, TOLERATED);
  if (best.score >= target || !codec.name.endsWith('420') || !files.some(({ reached }) => !reached)) return best;
  // A quarter of the colours was not enough after all.
  const plan = await planQuality(pixels, order, tools, resized ? hardness : undefined, true);
  const other = await encodeToPromise(pixels, order, tools, plan, resized);
  return other.score > best.score ? other : best;
}

import { PRESET_TARGETS } from '#contract/constants';
import type { Pixels } from '../pixels.ts';
import { encodePixels } from '../steps/encode.ts';
import { stoppedAtKnee } from './knee.ts';
import {
  bestOf,
  planQuality,
  type QualityOrder,
  type QualityPlan,
  TILE_MARGIN,
  WEB_PIXELS,
  withScore,
} from './plan-quality.ts';
import { type ScoredImage, takeSample } from './sample.ts';
import { searchNumber } from './search-number.ts';
import type { SearchTools } from './search-tools.ts';
import { chooseLayout } from './tiles.ts';

/** Tiles on which an encoded file of the original's size is scored. A smaller sample of flat art scores up to 5 points above the file. */
const CHECKED = { area: 2_000_000, edge: 256 };
/** The same for detail all over, as of drawings and paintings: there, small tiles score up to 4 points above larger windows. */
const CHECKED_OF_DETAIL = { area: 4_200_000, edge: 1024 };
/** Detail of the probed tiles from which on larger windows are checked. */
const MUCH_DETAIL = 3;
/** Tiles on which an encoded file of a smaller width is scored. */
const CHECKED_OF_WIDTH = { area: 1_000_000, edge: 256 };
/** Error of the tiles, in points: a file that scores below the target plus this is encoded again. */
const SAFE = 0.5;
/** A file that scores more than `excess` above the target is encoded again. Large for large images, which encode slowly. */
const OF_WEB = { excess: 3.5, mostEncodings: 3 };
const OF_LARGE = { excess: 5.5, mostEncodings: 2 };

/** Encodes an image as planned and scores the file; one that misses the target, or exceeds it by far, is encoded again. */
export async function encodeToPromise(
  pixels: Pixels,
  order: QualityOrder,
  tools: SearchTools,
  { codec, number, expected, made, detail, hardness, knee }: QualityPlan,
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
  const layout = chooseLayout(pixels, resized ? CHECKED_OF_WIDTH : detail > MUCH_DETAIL ? CHECKED_OF_DETAIL : CHECKED);
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
  const aim = target + TILE_MARGIN;
  const accuracy = { below: TILE_MARGIN - SAFE, above: excess - TILE_MARGIN };
  const { curve } = tools.table[codec.name];
  await searchNumber({
    ...{ aim, start: number, curve, bounds: codec.bounds, probe },
    ...{ ...accuracy, mostProbes: mostEncodings, trusted: 0 },
  });
  const best = bestOf(files, target, -SAFE);
  if (best.score >= target || !codec.name.endsWith('420') || !files.some(({ reached }) => !reached)) return best;
  // A quarter of the colours was not enough after all.
  const plan = await planQuality(pixels, order, tools, resized ? hardness : undefined, true);
  const other = await encodeToPromise(pixels, order, tools, plan, resized);
  return other.score > best.score ? other : best;
}

import { PRESET_TARGETS, type Preset } from '#contract/constants';
import type { Pixels } from '../pixels.ts';
import { type EncodedImage, encodePixels, type OutputMetadata } from '../steps/encode.ts';
import { type Codec, chooseCodec, PROBED, predictNumber, type SearchedFormat, scoreOfFile } from './codecs.ts';
import { type Knee, kneeBetween, STEP_BELOW, stoppedAtKnee } from './knee.ts';
import { type Sample, type ScoredImage, takeSample } from './sample.ts';
import { scoreAt, searchNumber } from './search-number.ts';
import type { SearchTools } from './search-tools.ts';
import { chooseLayout } from './tiles.ts';
import { measureTraits, type Traits } from './traits.ts';

/** The promise to keep, and what to write into the file beside the pixels. */
export interface QualityOrder {
  format: SearchedFormat;
  preset: Preset;
  metadata: OutputMetadata;
  /** True to reach the target whatever the last points cost. @default false */
  insists?: boolean | undefined;
}

/** Plan for the encoding of an image. */
export interface QualityPlan {
  codec: Codec;
  number: number;
  /**
   * Hardness of the image: points of the score that it lacks with the number that its traits predict; negative if it scores higher.
   * Other sizes of the image have a similar one.
   */
  hardness: number;
  /** Score that tiles predict for the file. Absent: the file has to be scored. */
  expected?: number;
  /** The file, if the search has encoded the whole image. */
  made?: ScoredImage;
  /** The number is the last one before the knee. */
  knee?: Knee;
}

/** An image that is being planned. */
interface Planning {
  pixels: Pixels;
  order: QualityOrder;
  tools: SearchTools;
  sample: Sample;
  traits: Traits;
  /** Predicted hardness of a smaller version of an image; undefined for the full size. */
  hardness: number | undefined;
}

/** Most that a score which was measured on the whole image may lack. */
export const TOLERATED = 0.5;
/** The same of art that is almost all flat, from `very_high` up, and its margin: the reference scores it up to 3 points lower than ours. */
const OF_FLAT_ART = { flatness: 0.9, tolerated: -0.7, margin: 1.5 };
/** Points above the target that are aimed at where tiles stand for the image: they tell its score to about two points. */
const TILE_MARGIN = 2;
/** The same where the file of a large image is scored. */
export const CHECKED_MARGIN = 1;
/** The same where each probe is the whole file. */
const WHOLE_MARGIN = 0.3;
/** Stills up to this size are encoded whole by each probe: tiles of them are hardly smaller, and tell the score far worse. */
const WHOLE_PIXELS = 2_000_000;
/** Most points above the aim at which a whole image that was scored needs no further probe. */
const WHOLE_ABOVE = 2;
/** Stills that are probed whole begin with the number that their tiles predict, from this size on: tiles of smaller ones cost what they save. */
const TILED_START_PIXELS = 700_000;
const MOST_TILE_PROBES = 2;
/** Files of stills up to this size, as pages show them, are always scored. */
export const WEB_PIXELS = 5_000_000;
const MOST_PROBES = 3;
/** Of tiles: scores this near to the aim predict the number as well as another probe would. */
const NEAR = 5;
/** Flatness from which on an image is not taken for a photograph. */
const MOST_FLATNESS = 0.25;

/** Returns true if each probe of an image is the file. */
export function isProbedWhole({ width, height, frames }: Pixels): boolean {
  return frames === 1 && width * height <= WHOLE_PIXELS;
}

/**
 * Finds the encoder's number for an image by probes.
 * @param hardness predicted for a smaller version of an image. Absent: the pixels are the full size
 * @param fullChroma true if a quarter of the colours was not enough
 */
export async function planQuality(
  pixels: Pixels,
  order: QualityOrder,
  tools: SearchTools,
  hardness?: number,
  fullChroma = false,
): Promise<QualityPlan> {
  const extent = isProbedWhole(pixels) ? { ...PROBED[order.format], area: WHOLE_PIXELS } : PROBED[order.format];
  const sample = takeSample(tools.scorer, pixels, chooseLayout(pixels, extent), order.format === 'jpeg');
  const planning = { pixels, order, tools, sample, traits: measureTraits(sample.pixels), hardness };
  const plan = await planWith(planning, fullChroma);
  // A quarter of the colours is not enough after all.
  const isStuck = plan.made
    ? !plan.made.reached
    : plan.number >= plan.codec.bounds.most || plan.knee?.isBeyondFormat === true;
  return isStuck && plan.codec.name.endsWith('420') ? planWith(planning, true) : plan;
}

async function planWith(planning: Planning, fullChroma: boolean): Promise<QualityPlan> {
  const { order, tools, sample, traits, hardness } = planning;
  const { format, preset } = order;
  const { isWhole } = sample.layout;
  const codec = chooseCodec(format, preset, { traits, resized: hardness !== undefined, fullChroma });
  const { curve } = tools.table[codec.name];
  const predictable = !isWhole && isPredictable(planning);
  const target = PRESET_TARGETS[preset];
  const isFlatArt = traits.flatness >= OF_FLAT_ART.flatness && target >= PRESET_TARGETS.very_high;
  const { margin, tolerated } = isFlatArt ? OF_FLAT_ART : { margin: WHOLE_MARGIN, tolerated: TOLERATED };
  const aim = target + (isWhole ? margin : TILE_MARGIN);
  const withTraits = predictNumber(tools.table, codec.name, preset, aim, traits);
  const guess = predictNumber(tools.table, codec.name, preset, aim + (hardness ?? 0), traits);
  const start = isWhole && hardness === undefined ? await startByTiles(planning, codec, aim, guess) : guess;
  if (!isWhole && hardness !== undefined && !predictable) {
    return { codec, number: within(codec, start), hardness };
  }
  const files = new Map<number, ScoredImage>();
  const lineWidth = predictable ? undefined : planning.pixels.width;
  const probe = async (number: number) => {
    const made = await encodeScored(sample, order, codec, number, lineWidth);
    files.set(number, made);
    return isWhole ? made.score : scoreOfFile(tools.table[codec.name], made.score, traits);
  };
  const accuracy = isWhole
    ? { below: margin + tolerated, above: WHOLE_ABOVE, trusted: 0 }
    : { below: 0, above: 0, trusted: NEAR };
  const search = { aim, start, curve, bounds: codec.bounds, mostProbes: MOST_PROBES, ...accuracy, probe };
  const { number, score } = await searchNumber(search);
  const measured = scoreAt(curve, number) - scoreAt(curve, withTraits) - (score - aim);
  const plan = { codec, number, hardness: measured };
  const knee = await findKnee(planning, codec, number, { files, probe });
  if (knee) return { ...plan, ...knee, ...(predictable ? { expected: knee.score } : {}) };
  if (!isWhole) return predictable ? { ...plan, expected: score } : plan;
  const made = bestOf([...files.values()], target, tolerated);
  // If the probes ended too low or far too high, the number that they predict is encoded too.
  const isNear = made.score >= target - tolerated && made.score <= aim + 2 * WHOLE_ABOVE;
  if (isNear || files.has(number)) return { ...plan, made };
  return { ...plan, made: bestOf([made, await encodeScored(sample, order, codec, number)], target, tolerated) };
}

/**
 * Predicts by tiles the number that whole probes of an image begin with, of WebP and JPEG: tiles of AVIF save less than they cost.
 * @param guess what its traits predict, which is returned where tiles do not pay
 */
async function startByTiles(
  { pixels, order, tools }: Planning,
  codec: Codec,
  aim: number,
  guess: number,
): Promise<number> {
  const pays = order.format === 'webp' || order.format === 'jpeg';
  if (!pays || pixels.width * pixels.height < TILED_START_PIXELS) return guess;
  const layout = chooseLayout(pixels, PROBED[order.format]);
  const sample = takeSample(tools.scorer, pixels, layout, order.format === 'jpeg');
  const traits = measureTraits(sample.pixels);
  const fit = tools.table[codec.name];
  const probe = async (number: number) =>
    scoreOfFile(fit, (await encodeScored(sample, order, codec, number)).score, traits);
  const accuracy = { below: 0, above: 0, trusted: NEAR, mostProbes: MOST_TILE_PROBES };
  const found = await searchNumber({ aim, start: guess, curve: fit.curve, bounds: codec.bounds, ...accuracy, probe });
  return found.number;
}

/**
 * Encodes with a lower number where the one that was found is so high that its last points may cost too much, whether or not they reach the
 * target. Undefined: they do not cost too much.
 */
async function findKnee(
  { order, sample }: Planning,
  codec: Codec,
  number: number,
  { files, probe }: { files: Map<number, ScoredImage>; probe: (number: number) => Promise<number> },
): Promise<{ number: number; knee: Knee; score: number; made?: ScoredImage } | undefined> {
  if (order.insists || number < codec.steep) return undefined;
  if (!files.has(number)) await probe(number);
  const high = files.get(number) as ScoredImage;
  const lower = number - STEP_BELOW;
  const score = await probe(lower);
  const low = files.get(lower) as ScoredImage;
  const growth = kneeBetween(low, high);
  if (growth === undefined) return undefined;
  const knee = { growth, isBeyondFormat: !high.reached };
  const made = sample.layout.isWhole ? { made: stoppedAtKnee(low, PRESET_TARGETS[order.preset], knee) } : {};
  return { number: lower, knee, score, ...made };
}

/**
 * Tells whether tiles predict the score of a file well enough: of a large photograph without transparency, from `medium` to `very_high`. AVIF's
 * tiles miss it by 3 to 4 points on average, those of low presets by 2 in WebP and in JPEG by up to 8, and those of `maximum` by up to 6.
 */
function isPredictable({ pixels, sample, traits, order }: Planning): boolean {
  if (pixels.width * pixels.height <= WEB_PIXELS) return false;
  const isStill = sample.layout.tiles.every(({ frame }) => frame === 0);
  const isPhotograph = isStill && sample.pixels.channels !== 4 && traits.flatness < MOST_FLATNESS;
  const target = PRESET_TARGETS[order.preset];
  const isUsual = target >= PRESET_TARGETS.medium && target < PRESET_TARGETS.maximum;
  return isPhotograph && isUsual && (order.format === 'jpeg' || order.format === 'webp');
}

/** Encodes the image of a sample, and scores it. */
async function encodeScored(
  { pixels, layout, score }: Sample,
  { preset, metadata }: QualityOrder,
  codec: Codec,
  number: number,
  lineWidth?: number,
): Promise<ScoredImage> {
  const settings = layout.isWhole ? codec.settings(number) : codec.tileSettings(number);
  const encoded = await encodePixels(pixels, settings, layout.isWhole ? metadata : {});
  return withScore(encoded, await score(encoded.data, false, lineWidth), codec, number, preset);
}

/** Adds its score to a file. */
export function withScore(
  encoded: EncodedImage,
  score: number,
  { bounds }: Codec,
  number: number,
  preset: Preset,
): ScoredImage {
  const reached = number < bounds.most || score >= PRESET_TARGETS[preset];
  const why = reached ? {} : ({ stopped: 'format' } as const);
  return { ...encoded, score: Math.round(score * 10) / 10, reached, ...why };
}

/**
 * Returns the smallest of the files that score at most `lacking` less than the target, else the best one. One below the target has not
 * reached it if the highest number was tried in vain.
 */
export function bestOf(files: ScoredImage[], target: number, lacking: number): ScoredImage {
  const good = files.filter(({ score }) => score >= target - lacking);
  const isBetter = (one: ScoredImage, other: ScoredImage) =>
    good.length > 0 ? one.data.length < other.data.length : one.score > other.score;
  const best = (good.length > 0 ? good : files).reduce((one, other) => (isBetter(other, one) ? other : one));
  return best.score < target && files.some(({ reached }) => !reached)
    ? { ...best, reached: false, stopped: 'format' }
    : best;
}

function within({ bounds }: Codec, number: number): number {
  return Math.min(bounds.most, Math.max(bounds.least, Math.round(number)));
}

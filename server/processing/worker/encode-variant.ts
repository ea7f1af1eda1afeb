import type { EncodedFormat, Preset } from '#contract/constants';
import { type EncoderSettings, presetSettings } from '../shared/presets.ts';
import type { RenderStep } from '../shared/protocol.ts';
import type { ReachedQuality, VariantSpec } from '../shared/variants.ts';
import { MAX_LOSSLESS_PIXELS } from '../shared/variants.ts';
import { firstFrame, type Pixels } from './pixels.ts';
import { encodeToPromise } from './quality/encode-to-promise.ts';
import { isProbedWhole, planQuality, type QualityOrder, type QualityPlan } from './quality/plan-quality.ts';
import type { ScoredImage } from './quality/sample.ts';
import type { SearchTools } from './quality/search-tools.ts';
import { type EncodedImage, encodeScaled, encodeSmallest, type OutputMetadata } from './steps/encode.ts';
import { countColours, sampleRows } from './steps/pixel-statistics.ts';
import { type Pyramid, planScaling, type Scaling, scalePixels } from './steps/resize.ts';

/** Shared inputs of all variants of an image. */
interface EncodeOrder {
  format: EncodedFormat;
  preset: Preset;
  metadata: OutputMetadata;
  /** True to reach the target whatever the last points cost. @default false */
  insists?: boolean | undefined;
  /** Adds to an encoded file what is scaled like it. */
  attach?: ((encoded: Buffer, scaling: Scaling | null) => Promise<Buffer>) | null;
}

/** An encoded variant; the score is null if it is unknown. */
export type EncodedVariant = EncodedImage & Omit<ReachedQuality, 'quality'>;

/** Resizes and encodes one variant of an image. */
export type VariantEncoder = (variant: VariantSpec, onStep: (step: RenderStep) => void) => Promise<EncodedVariant>;

/** Score of unchanged pixels. */
export const IDENTICAL = 100;

/**
 * Creates the encoder of an image's variants.
 * @param tools of the search for the quality; null: the numbers of the preset's table
 */
export function createVariantEncoder(full: Pixels, order: EncodeOrder, tools: SearchTools | null): VariantEncoder {
  const pyramid: Pyramid = { full, smaller: [] };
  if (tools) return createSearchingEncoder(pyramid, order, tools);
  return async (variant, onStep) => withoutSearch(await encodeByTable(pyramid, order, variant, onStep));
}

/** Adds what belongs to the scaled image. */
async function completed<Encoded extends EncodedImage>(
  { attach }: EncodeOrder,
  encoded: Encoded,
  scaling: Scaling | null,
): Promise<Encoded> {
  return attach ? { ...encoded, data: await attach(encoded.data, scaling) } : encoded;
}

function withoutSearch(encoded: EncodedImage): EncodedVariant {
  return { ...encoded, score: encoded.quality === 'lossless' ? IDENTICAL : null, reached: true };
}

async function encodeByTable(
  pyramid: Pyramid,
  order: EncodeOrder,
  variant: VariantSpec,
  onStep: (step: RenderStep) => void,
): Promise<EncodedImage> {
  const { format, preset, metadata } = order;
  onStep('resize');
  const scaling = await planScaling(pyramid, variant);
  const known = scaling && chooseBeforeScaling(scaling, format, preset);
  if (known) {
    onStep('optimize');
    return completed(order, await encodeScaled(scaling, known, metadata), scaling);
  }
  const pixels = scaling ? await scalePixels(scaling) : pyramid.full;
  onStep('optimize');
  const candidates = chooseQuality(pixels, format, preset, scaling !== null);
  return completed(order, await encodeSmallest(pixels, candidates, metadata), scaling);
}

function createSearchingEncoder(pyramid: Pyramid, order: EncodeOrder, tools: SearchTools): VariantEncoder {
  let planOfFull: Promise<QualityPlan> | undefined;
  let hardnessOf: HardnessOf | undefined;
  return async (variant, onStep) => {
    onStep('resize');
    const scaling = await planScaling(pyramid, variant);
    const pixels = scaling ? await scalePixels(scaling) : pyramid.full;
    onStep('optimize');
    const candidates = chooseQuality(pixels, order.format, order.preset, scaling !== null);
    const exact = candidates.filter(isExact);
    const smallest = exact.length > 0 ? await encodeSmallest(pixels, exact, order.metadata) : null;
    if (exact.length === candidates.length || order.format === 'tiff') return withoutSearch(smallest as EncodedImage);
    const lossy = { ...order, format: order.format };
    hardnessOf ??= createHardness(pyramid, lossy, tools);
    // A width may be that of the full size.
    const planFull = () => (planOfFull ??= planQuality(pyramid.full, lossy, tools));
    const plan = scaling ? await planQuality(pixels, lossy, tools, await hardnessOf(pixels)) : await planFull();
    const found = smaller(smallest, await encodeToPromise(pixels, lossy, tools, plan, scaling !== null));
    return completed(order, found, scaling);
  };
}

/** Returns the exact file if it is not larger than the lossy one. */
function smaller(exact: EncodedImage | null, lossy: ScoredImage): EncodedVariant {
  return exact && exact.data.length <= lossy.data.length ? withoutSearch(exact) : lossy;
}

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
type HardnessOf = (version: Pixels) => Promise<number>;

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
function createHardness(pyramid: Pyramid, order: QualityOrder, tools: SearchTools): HardnessOf {
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

const MAX_PALETTE = 256;
/** Most colours of flat art in a sample. */
const MAX_FLAT_COLOURS = 4096;
/** Pixels of all frames up to which an animation is tried exactly, whatever it shows: frames differ little, and that is cheap. */
const SMALL_ANIMATION = 1_000_000;
/** Sampled rows; takes half a millisecond for rows of 3,000 pixels. */
const ROWS_OF_PHOTOGRAPH = 32;

/**
 * Chooses the encoder settings to try for these pixels, from the preset's table and pixel statistics; the smallest result is
 * kept. Each has at least the quality of the preset.
 * @param resized true if the pixels are a smaller version of the image
 */
export function chooseQuality(
  pixels: Pixels,
  format: EncodedFormat,
  preset: Preset,
  resized: boolean,
): EncoderSettings[] {
  const settings = presetSettings(format, preset, resized);
  if (settings.format === 'webp' && isFlat(pixels)) return [settings, { ...settings, lossless: true }];
  if (settings.format === 'png') return pngCandidates(pixels, settings.colours);
  return [settings];
}

/** Returns true for settings that keep every pixel. */
function isExact(settings: EncoderSettings): boolean {
  if (settings.format === 'webp') return settings.lossless;
  return settings.format === 'tiff' || (settings.format === 'png' && settings.exact);
}

/**
 * Returns the settings of a smaller version if they are known before scaling: for an uncropped photograph, and for formats
 * with a single choice. Undefined if they depend on the scaled pixels.
 */
export function chooseBeforeScaling(
  { from, crop }: Scaling,
  format: EncodedFormat,
  preset: Preset,
): EncoderSettings | undefined {
  const settings = presetSettings(format, preset, true);
  if (settings.format === 'png' || from.frames > 1 || from.channels !== 3) return undefined;
  // A crop of a photograph may be flat.
  return settings.format !== 'webp' || (!crop && isPhotograph(from)) ? settings : undefined;
}

/** Returns true for pixels that stay far from flat when they are scaled down. */
function isPhotograph(pixels: Pixels): boolean {
  const { flatness, sampledColours } = sampleRows(pixels, Number.POSITIVE_INFINITY, ROWS_OF_PHOTOGRAPH);
  return flatness < 0.5 && sampledColours > MAX_FLAT_COLOURS;
}

/** Detects flat art, text and 1-bit art, where exact is often smaller than lossy (0.2 to 1.0 times; photographs 5 to 10 times). */
function isFlat(pixels: Pixels): boolean {
  const { width, height, frames } = pixels;
  if (width * height > MAX_LOSSLESS_PIXELS) return false;
  if (frames > 1 && width * height * frames <= SMALL_ANIMATION) return true;
  const { flatness, sampledColours } = sampleRows(pixels, MAX_FLAT_COLOURS);
  return sampledColours <= 16 || (flatness >= 0.8 && sampledColours <= MAX_FLAT_COLOURS);
}

/**
 * Measured per megapixel: filters at level 6 take 75 ms and make photographs a quarter smaller than level 9 without filters (80 ms);
 * level 9 with filters takes 170-990 ms for 0-12 %. Without filters flat art is up to a third smaller.
 */
function pngCandidates(pixels: Pixels, presetColours: number | null): EncoderSettings[] {
  const flat = sampleRows(pixels).flatness >= 0.5;
  const exactColours = countColours(pixels, MAX_PALETTE);
  const palette = { format: 'png', compressionLevel: 9, adaptiveFiltering: false } as const;
  if (exactColours <= (presetColours ?? MAX_PALETTE)) {
    return [{ ...palette, colours: Math.max(2, exactColours), effort: 7, exact: true }, ...lossless(flat)];
  }
  // Palette effort 7 takes five times as long on photographs as 4, for 6 %; on flat art little more, for 5-20 %.
  if (presetColours !== null) return [{ ...palette, colours: presetColours, effort: flat ? 7 : 4, exact: false }];
  return lossless(flat);
}

function lossless(flat: boolean): EncoderSettings[] {
  const filtered = {
    format: 'png',
    colours: null,
    compressionLevel: 6,
    adaptiveFiltering: true,
    effort: 7,
    exact: true,
  } as const;
  return flat ? [filtered, { ...filtered, compressionLevel: 9, adaptiveFiltering: false }] : [filtered];
}

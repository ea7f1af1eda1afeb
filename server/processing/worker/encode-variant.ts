import type { EncodedFormat, Preset } from '#contract/constants';
import type { RenderStep } from '../shared/protocol.ts';
import type { VariantSpec } from '../shared/variants.ts';
import type { Pixels } from './pixels.ts';
import { encodeToPromise } from './quality/encode-to-promise.ts';
import { createHardness, type HardnessOf } from './quality/hardness.ts';
import { planQuality, type QualityPlan, type ScoredImage } from './quality/plan-quality.ts';
import type { SearchTools } from './quality/search-tools.ts';
import { chooseBeforeScaling, chooseQuality, isExact } from './steps/choose-quality.ts';
import { type EncodedImage, encodeScaled, encodeSmallest, type OutputMetadata } from './steps/encode.ts';
import { type Pyramid, planScaling, type Scaling, scalePixels } from './steps/resize.ts';

/** What all variants of an image have in common. */
interface EncodeOrder {
  format: EncodedFormat;
  preset: Preset;
  metadata: OutputMetadata;
  /** Adds to an encoded file what is scaled like it. */
  attach?: ((encoded: Buffer, scaling: Scaling | null) => Promise<Buffer>) | null;
}

/** An encoded variant; the score is null if it is unknown. */
export type EncodedVariant = EncodedImage & { score: number | null; reached: boolean };

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

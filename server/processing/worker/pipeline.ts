import { createHash } from 'node:crypto';
import type { EncodedFormat, WarningCode } from '#contract';
import { encodedFormat } from '#contract/constants';
import { ProcessingFailure } from '../shared/failure.ts';
import { decodedFrames, holdsAnimation } from '../shared/formats.ts';
import type { RenderReport, RenderStep, RenderTask } from '../shared/protocol.ts';
import { writePart } from '../shared/save.ts';
import { isFullSize, variantSize } from '../shared/variant-size.ts';
import type { VariantSpec } from '../shared/variants.ts';
import { readAttribution } from './attribution.ts';
import { refuseOversizedOutput } from './output-limits.ts';
import { chooseBeforeScaling, chooseQuality } from './steps/choose-quality.ts';
import { type EncodedImage, encodeScaled, encodeSmallest, type OutputMetadata } from './steps/encode.ts';
import { isAlwaysKept, type KeptFile, keepOriginal, prefersKept } from './steps/keep-original.ts';
import { type LoadedImage, loadImage } from './steps/load.ts';
import { type Pyramid, planScaling, scalePixels } from './steps/resize.ts';
import type { VariantQueue } from './variant-queue.ts';

/** The bytes of one variant and how they came about. */
interface MadeVariant {
  data: Buffer;
  width: number;
  height: number;
  quality: number | 'lossless' | null;
  warnings: WarningCode[];
}

/**
 * Makes the variants of one image under their temporary names: load once, then resize, choose quality, encode and save each. The
 * service process flushes them to the disk and makes them visible when all are whole, or removes them when one has failed; meanwhile
 * this one encodes the next image. Variants that leave the queue are made by another process, whose files it leaves alone.
 * @throws invalid_image | output_too_large | too_many_pixels | processing_failed, and what the disk says
 */
export async function renderImage(
  task: RenderTask,
  queue: VariantQueue<RenderTask['variants'][number]>,
  onStep: (step: RenderStep) => void,
): Promise<RenderReport[]> {
  const { facts, limits } = task;
  const format = encodedFormat(task.format, facts.format);
  for (const variant of task.variants) {
    refuseOversizedOutput(format, variantSize(facts, variant), limits.maxAvifPixels);
  }
  const animated = holdsAnimation(format) && decodedFrames(facts.format, facts.pages) > 1;
  onStep('load');
  const loaded = await loadImage(task.source, facts, animated, limits.maxPixels);
  const pyramid: Pyramid = { full: loaded.pixels, smaller: [] };
  const reports: RenderReport[] = [];
  const writing: Promise<void>[] = [];
  try {
    for (let variant = queue.next(); variant; variant = queue.next()) {
      const startedAt = performance.now();
      const made = await makeVariant(task, format, { ...loaded, pyramid }, variant, onStep);
      const encodeSeconds = (performance.now() - startedAt) / 1000;
      onStep('save');
      // The disk works while the next variant is encoded.
      const written = writePart(variant.part, made.data);
      written.catch(() => {});
      writing.push(written);
      const { data, ...facts } = made;
      const sha256 = createHash('sha256').update(data).digest('hex');
      const file = { name: variant.name, file: variant.target, size: data.length, sha256 };
      reports.push({ ...file, ...facts, format, keptOriginal: made.quality === null, encodeSeconds });
    }
    await Promise.all(writing);
  } catch (error) {
    await Promise.allSettled(writing);
    throw error;
  }
  return reports;
}

async function makeVariant(
  task: RenderTask,
  format: EncodedFormat,
  loaded: LoadedImage & { pyramid: Pyramid },
  variant: VariantSpec,
  onStep: (step: RenderStep) => void,
): Promise<MadeVariant> {
  const { facts } = task;
  const metadata = outputMetadata(task, loaded);
  const size = variantSize(facts, variant);
  const replaces = task.format === 'original' && isFullSize(facts, variant);
  const kept = replaces ? await keepOriginal(task.source, facts, loaded, metadata, task) : null;
  if (kept && isAlwaysKept(facts)) return asKept(kept, size);
  const encoded = await encodeVariant(task, format, loaded, variant, metadata, onStep);
  if (kept && prefersKept(kept, encoded.data.length, facts.size, loaded.cmyk)) return asKept(kept, size);
  if (replaces && encoded.data.length > facts.size) throw tooLarge(encoded.data.length, facts.size);
  const warnings = [...loaded.warnings, ...droppedFrames(task, format)];
  if (format === 'jpeg' && loaded.pixels.channels === 4) warnings.push('alpha_flattened');
  return { ...encoded, ...variantSize(loaded.pixels, variant), warnings };
}

async function encodeVariant(
  { preset }: RenderTask,
  format: EncodedFormat,
  { pixels: full, pyramid }: LoadedImage & { pyramid: Pyramid },
  variant: VariantSpec,
  metadata: OutputMetadata,
  onStep: (step: RenderStep) => void,
): Promise<EncodedImage> {
  onStep('resize');
  const scaling = await planScaling(pyramid, variant);
  const known = scaling && chooseBeforeScaling(scaling, format, preset);
  if (known) {
    onStep('optimize');
    return encodeScaled(scaling, known, metadata);
  }
  const pixels = scaling ? await scalePixels(scaling) : full;
  onStep('optimize');
  return encodeSmallest(pixels, chooseQuality(pixels, format, preset, scaling !== null), metadata);
}

/** Describes a kept file. Warnings of the decoder do not apply to it: its pixels are the upload's own. */
function asKept({ data, whole }: KeptFile, size: { width: number; height: number }): MadeVariant {
  return { data, ...size, quality: null, warnings: whole ? [] : ['metadata_not_written'] };
}

/**
 * `original` never delivers more bytes than were uploaded, and never a file that may hold something private: where the upload
 * cannot be cleaned as it stands and only a larger file could be made of it, there is nothing to deliver.
 */
function tooLarge(received: number, limit: number): ProcessingFailure {
  const message =
    'Private data cannot be removed from this file without encoding it again, and that makes it larger than the upload; ' +
    'choose another format';
  return new ProcessingFailure('processing_failed', message, { limit, received });
}

function outputMetadata(task: RenderTask, loaded: LoadedImage): OutputMetadata {
  const { artist, copyright } = task.keepCopyright ? readAttribution(loaded.origin) : {};
  return { artist, copyright, ...task.embed };
}

function droppedFrames({ facts }: RenderTask, format: EncodedFormat): WarningCode[] {
  if (facts.pages <= 1) return [];
  if (facts.format === 'tiff' || facts.format === 'avif') return ['pages_dropped'];
  return holdsAnimation(format) && facts.format !== 'png' ? [] : ['animation_dropped'];
}

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { WarningCode } from '#contract';
import { ENCODERS, type EncodedFormat, encodedFormat, FORMATS } from '#contract/constants';
import { ProcessingFailure } from '../shared/failure.ts';
import type { RenderReport, RenderStep, RenderTask } from '../shared/protocol.ts';
import { writePart } from '../shared/save.ts';
import {
  decodedFrames,
  holdsAnimation,
  isFullSize,
  type ReachedQuality,
  type VariantSpec,
  variantSize,
} from '../shared/variants.ts';
import { withoutCredentials } from './containers/credentials.ts';
import { createVariantEncoder, IDENTICAL, type VariantEncoder } from './encode-variant.ts';
import { type GainMapPlan, planGainMap } from './hdr/plan-gain-map.ts';
import { type OutputPlan, planMetadata } from './metadata/carried.ts';
import { loadSearchTools, type SearchTools } from './quality/search-tools.ts';
import { isLostIn, planSigning, type SigningPlan, withoutSignature } from './signing/plan-signing.ts';
import { isAlwaysKept, type KeptFile, keepOriginal, prefersKept } from './steps/keep-original.ts';
import { type LoadedImage, loadImage } from './steps/load.ts';
import { isCropped } from './steps/resize.ts';
import type { VariantQueue } from './variant-queue.ts';

/** The bytes of one variant and their properties. */
interface MadeVariant extends ReachedQuality {
  data: Buffer;
  width: number;
  height: number;
  warnings: WarningCode[];
}

/**
 * Renders the variants of one image under their temporary names: decodes once, then resizes, chooses the quality, encodes and saves
 * each. The service process flushes and publishes the files when all are complete, or removes them after a failure, while this
 * process encodes the next image. Variants yielded by the queue are rendered, and their files written, by another process.
 * @param tools of the search for the quality; only loaded if the task asks for it
 * @throws invalid_image | output_too_large | too_many_pixels | processing_failed | signing_failed, and errors of the disk
 */
export async function renderImage(
  task: RenderTask,
  queue: VariantQueue<RenderTask['variants'][number]>,
  onStep: (step: RenderStep) => void,
  tools: () => Promise<SearchTools> = loadSearchTools,
): Promise<RenderReport[]> {
  const { facts, limits } = task;
  const format = encodedFormat(task.format, facts.format);
  for (const variant of task.variants) {
    refuseOversizedOutput(format, variantSize(facts, variant), limits.maxAvifPixels);
  }
  onStep('load');
  const upload = await prepare(task, format);
  const searching = task.search ? await tools() : null;
  const { preset } = task;
  const order = { format, preset, insists: task.insists, metadata: upload.plan.metadata, attach: upload.map.attach };
  const prepared = { ...upload, encode: createVariantEncoder(upload.pixels, order, searching) };
  const reports: RenderReport[] = [];
  const writing: Promise<void>[] = [];
  try {
    for (let variant = queue.next(); variant; variant = queue.next()) {
      const startedAt = performance.now();
      const made = await makeVariant(task, prepared, variant, onStep);
      const encodeSeconds = (performance.now() - startedAt) / 1000;
      onStep('save');
      // Not awaited: the next variant is encoded meanwhile.
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
  } finally {
    searching?.scorer.release();
  }
  return reports;
}

/** An upload that was read, and what becomes of everything that it carries. */
interface Prepared extends LoadedImage {
  format: EncodedFormat;
  file: Buffer;
  /** The file without content credentials; null: it has none. */
  bare: Buffer | null;
  signing: SigningPlan;
  plan: OutputPlan;
  map: GainMapPlan;
}

async function prepare(task: RenderTask, format: EncodedFormat): Promise<Prepared> {
  const { facts, limits, preset } = task;
  const { maxPixels } = limits;
  const animated = holdsAnimation(format) && decodedFrames(facts.format, facts.pages) > 1;
  const loaded = await loadImage(task.source, facts, animated, maxPixels);
  const { pixels: full, orientation } = loaded;
  const plan = planMetadata(loaded.origin, task, format);
  const { metadata } = plan;
  const file = await readFile(task.source);
  const map = await planGainMap(file, { input: facts.format, format, preset, metadata, orientation, full, maxPixels });
  const bare = withoutCredentials(facts.format, file);
  const signing = await planSigning(file, bare !== null, task, format);
  return { ...loaded, format, file, bare, signing, plan, map };
}

async function makeVariant(
  task: RenderTask,
  loaded: Prepared & { encode: VariantEncoder },
  variant: VariantSpec,
  onStep: (step: RenderStep) => void,
): Promise<MadeVariant> {
  const { facts } = task;
  const { format, plan, map } = loaded;
  const size = variantSize(facts, variant);
  const replaces = task.format === 'original' && format === facts.format && isFullSize(facts, variant);
  const kept = replaces ? await keepSigned(task, loaded, size) : null;
  if (kept && isAlwaysKept(facts)) return asKept(kept, size, loaded);
  const encoded = await loaded.encode(variant, onStep);
  const shown = variantSize(loaded.pixels, variant);
  const { quality, score } = encoded;
  const resized = !isFullSize(facts, variant);
  const cropped = isCropped(loaded.pixels, variant);
  const signed = await loaded.signing.finish(encoded.data, { ...shown, resized, cropped, quality, score });
  const fits = !replaces || signed.data.length <= facts.size;
  if (kept && !(fits && isLostIn(kept) && !isLostIn(signed))) {
    if (prefersKept(kept, signed.data.length, facts.size, loaded.cmyk)) return asKept(kept, size, loaded);
  }
  const finished = fits ? signed : withoutSignature(encoded.data, signed);
  if (replaces && finished.data.length > facts.size) throw tooLarge(finished.data.length, facts.size);
  const warnings = [...loaded.warnings, ...droppedFrames(task, format), ...plan.warnings];
  warnings.push(...map.warnings, ...finished.warnings);
  if (format === 'jpeg' && loaded.pixels.channels === 4) warnings.push('alpha_flattened');
  return { ...encoded, ...shown, data: finished.data, warnings };
}

/** Copies the uploaded file; one that private data was removed from is signed, if it stays within the bytes of the upload. */
async function keepSigned(
  task: RenderTask,
  loaded: Prepared,
  size: { width: number; height: number },
): Promise<KeptFile | null> {
  const { facts } = task;
  const kept = await keepOriginal(loaded, facts, loaded, loaded.plan.metadata, task);
  if (!kept?.touched) return kept;
  const changes = { ...size, resized: false, cropped: false, quality: null, score: IDENTICAL };
  const signed = await loaded.signing.finish(kept.data, changes);
  return { ...kept, ...(signed.data.length <= facts.size ? signed : withoutSignature(kept.data, signed)) };
}

/** Describes a kept file. Warnings of the decoder do not apply, since its pixels are those of the upload. */
function asKept(
  { data, holdsTexts, warnings }: KeptFile,
  size: { width: number; height: number },
  { plan, map }: Prepared,
): MadeVariant {
  return {
    data,
    ...size,
    quality: null,
    score: IDENTICAL,
    reached: true,
    warnings: [
      ...(holdsTexts ? [] : (['metadata_not_written'] as const)),
      ...plan.warnings,
      ...map.warningsOfCopy,
      ...warnings,
    ],
  };
}

/**
 * Creates the error of an upload that `original` cannot deliver: its private data cannot be removed in place, and an encoded file
 * would be larger than the upload.
 */
function tooLarge(received: number, limit: number): ProcessingFailure {
  const message =
    'Private data cannot be removed from this file without encoding it again, and that makes it larger than the upload; ' +
    'choose another format';
  return new ProcessingFailure('processing_failed', message, { limit, received });
}

function droppedFrames({ facts }: RenderTask, format: EncodedFormat): WarningCode[] {
  if (facts.pages <= 1) return [];
  if (facts.format === 'tiff' || facts.format === 'avif' || facts.format === 'heic') return ['pages_dropped'];
  return holdsAnimation(format) ? [] : ['animation_dropped'];
}

/**
 * Refuses an output that its format cannot hold, before any work is done for it.
 * @throws output_too_large (details: limit, received), the message names the limit
 */
function refuseOversizedOutput(
  format: EncodedFormat,
  size: { width: number; height: number },
  maxAvifPixels: number,
): void {
  const edge = Math.max(size.width, size.height);
  const { label } = FORMATS[format];
  const { maxEdge } = ENCODERS[format];
  if (edge > maxEdge) {
    const message = `${label} holds at most ${maxEdge} pixels a side, but the image is ${size.width} x ${size.height}`;
    throw new ProcessingFailure('output_too_large', message, { limit: maxEdge, received: edge });
  }
  const pixels = size.width * size.height;
  if (format === 'avif' && pixels > maxAvifPixels) {
    const message = `AVIF is written up to ${maxAvifPixels} pixels, but the image has ${pixels}; resize it or use WebP`;
    throw new ProcessingFailure('output_too_large', message, { limit: maxAvifPixels, received: pixels });
  }
}

import { createHash } from 'node:crypto';
import type { InputFormat, WarningCode } from '#contract';
import { readExif } from './exif.ts';
import { decodedFrames, holdsAnimation, outputFormatOf } from './formats.ts';
import { refuseOversizedOutput } from './output-limits.ts';
import type { Pixels } from './pixels.ts';
import { chooseQuality } from './steps/choose-quality.ts';
import { type EncodedImage, encodePixels, type OutputMetadata } from './steps/encode.ts';
import { type LoadedImage, loadImage } from './steps/load.ts';
import { resizePixels, variantSize } from './steps/resize.ts';
import { discard, publish, writePart } from './steps/save.ts';
import type { RenderReport, RenderStep, RenderTask } from './worker-protocol.ts';
import { buildXmp } from './xmp.ts';

/**
 * Makes all variants of one image: load once, then resize, choose quality, encode and save each; visible only when all are whole.
 * @throws invalid_image | output_too_large | too_many_pixels, and what the disk says
 */
export async function renderImage(task: RenderTask, onStep: (step: RenderStep) => void): Promise<RenderReport[]> {
  const { facts, limits } = task;
  const format = outputFormatOf(task.format, facts.format);
  for (const variant of task.variants) {
    refuseOversizedOutput(format, variantSize(facts, variant), limits.maxAvifPixels);
  }
  const animated = holdsAnimation(format) && decodedFrames(facts.format, facts.pages) > 1;
  onStep('load');
  const loaded = await loadImage(task.source, facts, animated, limits.maxPixels);
  const metadata = outputMetadata(task, loaded);
  const warnings = [...loaded.warnings, ...droppedFrames(task, format)];
  const reports: RenderReport[] = [];
  try {
    for (const variant of task.variants) {
      onStep('resize');
      const pixels = await resizePixels(loaded.pixels, variant);
      onStep('optimize');
      const startedAt = performance.now();
      const encoded = await encodeSmallest(pixels, format, task, metadata);
      const encodeSeconds = (performance.now() - startedAt) / 1000;
      onStep('save');
      await writePart(variant.part, encoded.data);
      reports.push({
        name: variant.name,
        file: variant.target,
        size: encoded.data.length,
        width: pixels.width,
        height: pixels.height,
        format,
        sha256: createHash('sha256').update(encoded.data).digest('hex'),
        quality: encoded.quality,
        keptOriginal: false,
        warnings: format === 'jpeg' && pixels.channels === 4 ? [...warnings, 'alpha_flattened'] : warnings,
        encodeSeconds,
      });
    }
    await publish(task.variants);
  } catch (error) {
    await discard(task.variants);
    throw error;
  }
  return reports;
}

async function encodeSmallest(
  pixels: Pixels,
  format: InputFormat,
  task: RenderTask,
  metadata: OutputMetadata,
): Promise<EncodedImage> {
  let best: EncodedImage | undefined;
  for (const settings of chooseQuality(pixels, format, task.preset)) {
    const encoded = await encodePixels(pixels, settings, metadata);
    if (!best || encoded.data.length < best.data.length) best = encoded;
  }
  if (!best) throw new Error(`No encoder settings for ${format}`);
  return best;
}

function outputMetadata(task: RenderTask, loaded: LoadedImage): OutputMetadata {
  const { artist, copyright } = task.keepCopyright ? readExif(loaded.exif) : {};
  return { artist, copyright, xmp: task.embed ? buildXmp(task.embed) : null };
}

function droppedFrames({ facts }: RenderTask, format: InputFormat): WarningCode[] {
  if (facts.pages <= 1) return [];
  if (facts.format === 'tiff' || facts.format === 'avif') return ['pages_dropped'];
  return holdsAnimation(format) && facts.format !== 'png' ? [] : ['animation_dropped'];
}

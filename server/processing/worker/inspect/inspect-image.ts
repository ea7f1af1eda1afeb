import { ProcessingFailure, readSource } from '../../shared/failure.ts';
import type { InspectReport, InspectTask, PixelReport } from '../../shared/inspection.ts';
import { type OpenSource, openSource, readHeader } from '../open-source.ts';
import { makeSmallCopy, measurePixels, type SmallCopy } from './pixel-facts.ts';
import { readEmbedded } from './read-embedded.ts';
import { MIN_VISION_EDGE, makeVisionImage } from './vision-image.ts';

/**
 * Inspects one image: embedded metadata, measurements of the pixels and the copy for a vision model. Damaged pixels do not
 * prevent reading the metadata.
 */
export async function inspectImage(task: InspectTask): Promise<InspectReport> {
  const { source, facts, limits } = task;
  const header = await readHeader(source, { failOn: 'none', limitInputPixels: false });
  const { embedded, camera } = readEmbedded(header, task.language);
  const further = (task.furtherLanguages ?? []).map((tag) => [tag, readEmbedded(header, tag).embedded] as const);
  const texts = { embedded, ...(further.length > 0 ? { translated: Object.fromEntries(further) } : {}) };
  try {
    return await readSource(async () => {
      const options = { failOn: 'none' as const, limitInputPixels: limits.maxPixels };
      const opened = await openSource(source, facts.format, options);
      const copy = await makeSmallCopy(opened);
      const pixels = await measurePixels({ source, facts, camera, maxPixels: limits.maxPixels }, copy);
      return { ...texts, pixels, vision: await visionCopy(task, opened, pixels, copy) };
    });
  } catch (error) {
    if (error instanceof ProcessingFailure) return { ...texts, pixels: null, vision: null };
    throw error;
  }
}

async function visionCopy(
  { facts, vision }: InspectTask,
  source: OpenSource,
  { kind }: PixelReport,
  copy: SmallCopy,
): Promise<InspectReport['vision']> {
  if (!vision || Math.min(facts.width, facts.height) < MIN_VISION_EDGE) return null;
  // Small text needs more pixels than photographs.
  const maxEdge = kind === 'screenshot' || kind === 'document' ? vision.maxTextEdge : vision.maxEdge;
  const { data, width, height } = await makeVisionImage(source, facts, { maxEdge }, copy);
  return { base64: data.toString('base64'), width, height };
}

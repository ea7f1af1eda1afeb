import { rm } from 'node:fs/promises';
import sharp from 'sharp';
import type { PreviewReport, PreviewTask } from '../shared/protocol.ts';
import { publish, writePart } from '../shared/save.ts';

// Fast rather than small, since a user waits for it.
const PREVIEW_QUALITY = 75;
const PREVIEW_EFFORT = 2;

/**
 * Renders a small still WebP for the review screen, shrinking on load if the format can.
 * @throws invalid_image | too_many_pixels
 */
export async function makePreview(task: PreviewTask): Promise<PreviewReport> {
  const { data, info } = await sharp(task.source, { failOn: 'error', limitInputPixels: task.limits.maxPixels })
    .autoOrient()
    .resize({ width: task.width, height: task.width * 4, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: PREVIEW_QUALITY, effort: PREVIEW_EFFORT })
    .toBuffer({ resolveWithObject: true });
  try {
    await writePart(task.part, data);
    await publish([task]);
  } catch (error) {
    // The service process may not wait any longer.
    await rm(task.part, { force: true });
    throw error;
  }
  return { file: task.target, size: data.length, width: info.width, height: info.height };
}

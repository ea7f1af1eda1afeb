import { readFile, rm } from 'node:fs/promises';
import sharp from 'sharp';
import { ProcessingFailure, readSource } from '../shared/failure.ts';
import type { PreviewReport, PreviewTask } from '../shared/protocol.ts';
import { publish, writePart } from '../shared/save.ts';
import { rewriteContainer } from './containers/rewrite.ts';
import { writeExif } from './exif.ts';

// Fast rather than small, since a user waits for it.
const PREVIEW_QUALITY = 75;
const PREVIEW_EFFORT = 2;

/** Writes a preview: a small still WebP, or a copy without private metadata. @throws invalid_image | too_many_pixels */
export async function makePreview(task: PreviewTask): Promise<PreviewReport> {
  const made = task.width === null ? await copyBare(task) : await renderSmall(task, task.width);
  try {
    await writePart(task.part, made.data);
    await publish([task]);
  } catch (error) {
    // The service process may not wait any longer.
    await rm(task.part, { force: true });
    throw error;
  }
  return { file: task.target, size: made.data.length, width: made.width, height: made.height };
}

/** Renders a small WebP, shrinking on load if the format can. */
async function renderSmall(task: PreviewTask, width: number) {
  const image = sharp(task.source, { failOn: 'error', limitInputPixels: task.limits.maxPixels })
    .autoOrient()
    .resize({ width, height: width * 4, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: PREVIEW_QUALITY, effort: PREVIEW_EFFORT });
  const { data, info } = await readSource(() => image.toBuffer({ resolveWithObject: true }));
  return { data, width: info.width, height: info.height };
}

/** Copies the file without anything private; its pixels and their orientation stay. */
async function copyBare({ source, facts, limits }: PreviewTask) {
  const { orientation } = await readSource(() => sharp(source, { limitInputPixels: limits.maxPixels }).metadata());
  const metadata = { exif: writeExif({ orientation }), xmp: null };
  const data = rewriteContainer(facts.format, await readFile(source), metadata, false);
  if (!data) throw new ProcessingFailure('invalid_image', 'The structure of the file is not understood');
  return { data, width: facts.width, height: facts.height };
}

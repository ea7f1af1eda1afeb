import { readFile, rm } from 'node:fs/promises';
import { rgbaToThumbHash } from 'thumbhash';
import { ProcessingFailure, readSource } from '../shared/failure.ts';
import type { PlaceholderTask, PreviewReport, PreviewTask } from '../shared/protocol.ts';
import { publish, writePart } from '../shared/save.ts';
import { rewriteContainer } from './containers/rewrite.ts';
import { writeExif } from './exif.ts';
import { openSource, openUpright } from './open-source.ts';

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
  const options = { failOn: 'error' as const, limitInputPixels: task.limits.maxPixels };
  const size = { width, height: width * 4 };
  const image = await openUpright(await openSource(task.source, task.facts.format, options), size);
  const preview = image
    .resize({ ...size, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: PREVIEW_QUALITY, effort: PREVIEW_EFFORT });
  const { data, info } = await readSource(() => preview.toBuffer({ resolveWithObject: true }));
  return { data, width: info.width, height: info.height };
}

/** Copies the file without anything private; its pixels and their orientation stay. */
async function copyBare({ source, facts, limits }: PreviewTask) {
  const opened = await openSource(source, facts.format, { failOn: 'error', limitInputPixels: limits.maxPixels });
  const metadata = { exif: writeExif({ orientation: opened.header.orientation }), xmp: null };
  const file = opened.completed ?? (await readFile(source));
  const data = rewriteContainer(facts.format, file, metadata, false);
  if (!data) throw new ProcessingFailure('invalid_image', 'The structure of the file is not understood');
  return { data, width: facts.width, height: facts.height };
}

/** Longest edge that the hash is computed from, in pixels; more is refused by its library. */
const HASHED_EDGE = 100;

/** Computes the ThumbHash of an image (its first frame), base64. @throws invalid_image | too_many_pixels */
export async function makePlaceholder({ source, facts, limits }: PlaceholderTask): Promise<string> {
  const options = { failOn: 'error' as const, limitInputPixels: limits.maxPixels };
  const size = { width: HASHED_EDGE, height: HASHED_EDGE };
  const image = await openUpright(await openSource(source, facts.format, options), size);
  const small = image
    .resize({ ...size, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' });
  const { data, info } = await readSource(() => small.toBuffer({ resolveWithObject: true }));
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64');
}

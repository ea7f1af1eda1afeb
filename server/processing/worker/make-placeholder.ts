import { rgbaToThumbHash } from 'thumbhash';
import { readSource } from '../shared/failure.ts';
import type { PlaceholderTask } from '../shared/protocol.ts';
import { openSource, openUpright } from './open-source.ts';

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

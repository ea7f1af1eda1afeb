import sharp from 'sharp';
import { rgbaToThumbHash } from 'thumbhash';
import type { PlaceholderTask } from '../shared/protocol.ts';

/** Longest edge that the hash is computed from, in pixels; more is refused by its library. */
const HASHED_EDGE = 100;

/** Computes the ThumbHash of an image (its first frame), base64. @throws invalid_image | too_many_pixels */
export async function makePlaceholder({ source, limits }: PlaceholderTask): Promise<string> {
  const { data, info } = await sharp(source, { failOn: 'error', limitInputPixels: limits.maxPixels })
    .autoOrient()
    .resize({ width: HASHED_EDGE, height: HASHED_EDGE, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64');
}

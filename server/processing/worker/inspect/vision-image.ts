import sharp from 'sharp';
import type { SmallCopy } from './pixel-facts.ts';

/** Sides below this many pixels show nothing that could be described; some models refuse them. */
export const MIN_VISION_EDGE = 32;

const JPEG_QUALITY = 80;
const DARK_GREY = '#404040';
const LIGHT_GREY = '#c0c0c0';

/**
 * Makes the copy that a vision model gets: the first frame, upright, sRGB, at most `maxEdge` pixels, re-encoded, with none
 * of the file's metadata. Transparency becomes the grey that the picture stands out from: a white logo on white is invisible.
 */
export async function makeVisionImage(
  source: string,
  size: { width: number; height: number },
  options: { maxEdge: number; maxPixels: number },
  { meanLightness }: Pick<SmallCopy, 'meanLightness'>,
): Promise<{ data: Buffer; width: number; height: number }> {
  const scale = Math.min(1, options.maxEdge / Math.max(size.width, size.height));
  const background = meanLightness > 128 ? DARK_GREY : LIGHT_GREY;
  const { data, info } = await sharp(source, { failOn: 'none', limitInputPixels: options.maxPixels })
    .autoOrient()
    .resize({
      width: Math.max(MIN_VISION_EDGE, Math.round(size.width * scale)),
      height: Math.max(MIN_VISION_EDGE, Math.round(size.height * scale)),
      // A long thin banner is set on a strip that is high enough.
      fit: 'contain',
      background,
    })
    .toColourspace('srgb')
    .flatten({ background })
    .jpeg({ quality: JPEG_QUALITY })
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

import { type OpenSource, openUpright } from '../open-source.ts';
import type { SmallCopy } from './pixel-facts.ts';

/** Shortest side in pixels that can be described; some models refuse smaller images. */
export const MIN_VISION_EDGE = 32;

const JPEG_QUALITY = 80;
const DARK_GREY = '#404040';
const LIGHT_GREY = '#c0c0c0';

/**
 * Renders the copy for a vision model: the first frame, upright, sRGB, at most `maxEdge` pixels a side, without metadata.
 * Transparency becomes a grey that contrasts with the picture, so that a white logo stays visible.
 */
export async function makeVisionImage(
  source: OpenSource,
  size: { width: number; height: number },
  { maxEdge }: { maxEdge: number },
  { meanLightness }: Pick<SmallCopy, 'meanLightness'>,
): Promise<{ data: Buffer; width: number; height: number }> {
  const scale = Math.min(1, maxEdge / Math.max(size.width, size.height));
  const background = meanLightness > 128 ? DARK_GREY : LIGHT_GREY;
  const image = await openUpright(source, { width: maxEdge, height: maxEdge });
  const { data, info } = await image
    .resize({
      width: Math.max(MIN_VISION_EDGE, Math.round(size.width * scale)),
      height: Math.max(MIN_VISION_EDGE, Math.round(size.height * scale)),
      // Pads a long thin banner to the minimum height.
      fit: 'contain',
      background,
    })
    .toColourspace('srgb')
    .flatten({ background })
    .jpeg({ quality: JPEG_QUALITY })
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

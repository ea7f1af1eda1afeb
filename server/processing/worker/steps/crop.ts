import sharp from 'sharp';
import type { FocalPoint } from '#contract';
import { firstFrame, openPixels, type Pixels } from '../pixels.ts';

interface Size {
  width: number;
  height: number;
}

/** A part of a frame, in pixels. */
export interface Crop extends Size {
  left: number;
  top: number;
}

/** Returns the size of the whole image that covers `size`: its aspect ratio, and no side shorter. */
export function coveringSize(source: Size, size: Size): Size {
  const scale = Math.max(size.width / source.width, size.height / source.height);
  return {
    width: Math.max(size.width, Math.round(source.width * scale)),
    height: Math.max(size.height, Math.round(source.height * scale)),
  };
}

/**
 * Places a crop in a scaled frame: the focal point as near to its centre as the edges allow; without one the part that attracts
 * attention (luminance, saturation and skin tones; libvips), of an animation that of its first frame.
 */
export async function placeCrop(
  { from, to }: { from: Pixels; to: Size },
  size: Size,
  focalPoint: FocalPoint | undefined,
): Promise<Crop> {
  const { left, top } = focalPoint
    ? { left: focalPoint.x * to.width - size.width / 2, top: focalPoint.y * to.height - size.height / 2 }
    : await findAttention(from, size);
  return {
    left: clamp(Math.round(left), to.width - size.width),
    top: clamp(Math.round(top), to.height - size.height),
    ...size,
  };
}

async function findAttention(from: Pixels, size: Size): Promise<{ left: number; top: number }> {
  const { info } = await openPixels(firstFrame(from))
    .resize({ ...size, fit: 'cover', position: sharp.strategy.attention })
    .raw()
    .toBuffer({ resolveWithObject: true });
  // The library tells how far the image was moved: leftwards and upwards is negative.
  return { left: Math.abs(info.cropOffsetLeft ?? 0), top: Math.abs(info.cropOffsetTop ?? 0) };
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most);
}

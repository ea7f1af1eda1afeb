import { openPixels, type Pixels } from '../pixels.ts';
import type { VariantSpec } from '../variants.ts';

/** Width and height in pixels of a variant. Never larger than the source, and never 0. */
export function variantSize(
  source: { width: number; height: number },
  variant: Pick<VariantSpec, 'width' | 'height' | 'fit'>,
): { width: number; height: number } {
  const width = Math.min(variant.width ?? source.width, source.width);
  const height = Math.min(variant.height ?? source.height, source.height);
  if (variant.fit === 'cover' && variant.height !== undefined) return { width, height };
  const scale = Math.min(width / source.width, height / source.height);
  return {
    width: Math.max(1, Math.round(source.width * scale)),
    height: Math.max(1, Math.round(source.height * scale)),
  };
}

/** True when a variant is the source itself: no scaling, no cropping. */
export function isFullSize(source: { width: number; height: number }, variant: VariantSpec): boolean {
  const size = variantSize(source, variant);
  return size.width === source.width && size.height === source.height;
}

/**
 * Scales the full pixels to a variant (Lanczos3, in sRGB like every browser).
 * Always from the full size, never from another variant: a variant's bytes depend on the source and its own settings alone.
 */
export async function resizePixels(full: Pixels, variant: VariantSpec): Promise<Pixels> {
  if (isFullSize(full, variant)) return full;
  const size = variantSize(full, variant);
  const fit = variant.fit === 'cover' && variant.height !== undefined ? 'cover' : 'fill';
  const { data, info } = await openPixels(full)
    .resize({ ...size, fit, kernel: 'lanczos3' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { ...full, data, width: info.width, height: info.pageHeight ?? info.height };
}

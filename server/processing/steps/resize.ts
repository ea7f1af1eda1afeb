import { openPixels, type Pixels } from '../pixels.ts';
import { isFullSize, variantSize } from '../variant-size.ts';
import type { VariantSpec } from '../variants.ts';

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

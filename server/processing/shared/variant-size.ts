import type { VariantSpec } from './variant-spec.ts';

/** Returns the width and height of a variant in pixels: never larger than the source, never 0. */
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

/** Returns true if a variant has the size of the source. */
export function isFullSize(source: { width: number; height: number }, variant: VariantSpec): boolean {
  const size = variantSize(source, variant);
  return size.width === source.width && size.height === source.height;
}

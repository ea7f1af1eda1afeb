import type { ResponsiveSize, Settings } from '#contract';
import { DEFAULT_RESPONSIVE_WIDTHS } from '#contract/constants';

/** One file to make of an image: `full`, or a responsive width named `<width>w`. */
export interface VariantSpec {
  name: string;
  /** Pixels; absent for `full`. */
  width?: number;
  /** Pixels; absent: by the aspect ratio. */
  height?: number;
  /** `inside` keeps the whole image, `cover` fills width x height and crops. @default 'inside' */
  fit?: 'inside' | 'cover';
}

/**
 * Lists the variants of the settings: `full` first, then ascending widths, one per width (the first entry wins). Sizes above
 * the source's width, or with `cover` its height, are listed in `skippedSizes` instead: nothing is enlarged.
 */
export function planVariants(
  facts: { width: number; height: number },
  settings: Pick<Settings, 'responsive' | 'responsiveSizes'>,
): { variants: VariantSpec[]; skippedSizes: number[] } {
  const byWidth = new Map<number, ResponsiveSize>();
  for (const size of settings.responsive ? requestedSizes(settings) : []) {
    if (!byWidth.has(size.width)) byWidth.set(size.width, size);
  }
  const sizes = [...byWidth.values()].sort((a, b) => a.width - b.width);
  return {
    variants: [{ name: 'full' }, ...sizes.filter((size) => fits(size, facts)).map(toSpec)],
    skippedSizes: sizes.filter((size) => !fits(size, facts)).map((size) => size.width),
  };
}

function requestedSizes(settings: Pick<Settings, 'responsiveSizes'>): ResponsiveSize[] {
  if (settings.responsiveSizes?.length) return settings.responsiveSizes;
  return DEFAULT_RESPONSIVE_WIDTHS.map((width) => ({ width, height: undefined, fit: 'inside' as const }));
}

function fits(size: ResponsiveSize, facts: { width: number; height: number }): boolean {
  if (size.width > facts.width) return false;
  return !(size.fit === 'cover' && size.height !== undefined && size.height > facts.height);
}

function toSpec(size: ResponsiveSize): VariantSpec {
  const spec: VariantSpec = { name: `${size.width}w`, width: size.width, fit: size.fit };
  if (size.height !== undefined) spec.height = size.height;
  return spec;
}

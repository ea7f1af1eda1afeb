import type { FocalPoint, ResponsiveSize, Settings } from '#contract';
import { DEFAULT_RESPONSIVE_WIDTHS } from '#contract/constants';

/** One file to make of an image: `full`, or a responsive width named `<width>w`. */
interface VariantSpec {
  name: string;
  /** Pixels; absent for `full`. */
  width?: number;
  /** Pixels; absent: by the aspect ratio. */
  height?: number;
  /** `inside` keeps the whole image, `cover` fills width x height and crops. @default 'inside' */
  fit?: 'inside' | 'cover';
  /** Point that a crop keeps nearest to its centre; absent: the part that attracts attention. */
  focalPoint?: FocalPoint;
}

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

export type { VariantSpec };

type PlannedSettings = Pick<Settings, 'responsive' | 'responsiveSizes' | 'maxWidth' | 'maxHeight' | 'focalPoint'>;

/**
 * Lists the variants of the settings: `full` first, within `maxWidth` and `maxHeight`, then ascending widths, one per width (the
 * first entry wins). Sizes above the width of `full`, or with `cover` above the height of the source or `maxHeight`, are listed in
 * `skippedSizes` instead: nothing is enlarged.
 */
export function planVariants(
  facts: { width: number; height: number },
  settings: PlannedSettings,
): { variants: VariantSpec[]; skippedSizes: number[] } {
  const byWidth = new Map<number, ResponsiveSize>();
  for (const size of settings.responsive ? requestedSizes(settings) : []) {
    if (!byWidth.has(size.width)) byWidth.set(size.width, size);
  }
  const sizes = [...byWidth.values()].sort((a, b) => a.width - b.width);
  const fits = (size: ResponsiveSize) => fitsInto(size, facts, settings);
  return {
    variants: [planFull(facts, settings), ...sizes.filter(fits).map((size) => toSpec(size, settings))],
    skippedSizes: sizes.filter((size) => !fits(size)).map((size) => size.width),
  };
}

function requestedSizes(settings: Pick<Settings, 'responsiveSizes'>): ResponsiveSize[] {
  if (settings.responsiveSizes?.length) return settings.responsiveSizes;
  return DEFAULT_RESPONSIVE_WIDTHS.map((width) => ({ width, height: undefined, fit: 'inside' as const }));
}

/** Returns `full` without a size where it is that of the source, so that its bytes are those of a request without limits. */
function planFull(facts: { width: number; height: number }, { maxWidth, maxHeight }: PlannedSettings): VariantSpec {
  const full: VariantSpec = { name: 'full' };
  if (maxWidth !== undefined && maxWidth < facts.width) full.width = maxWidth;
  if (maxHeight !== undefined && maxHeight < facts.height) full.height = maxHeight;
  return full;
}

function fitsInto(size: ResponsiveSize, facts: { width: number; height: number }, settings: PlannedSettings): boolean {
  if (!isCrop(size)) return size.width <= variantSize(facts, planFull(facts, settings)).width;
  const { maxWidth = facts.width, maxHeight = facts.height } = settings;
  return size.width <= Math.min(facts.width, maxWidth) && size.height <= Math.min(facts.height, maxHeight);
}

function isCrop(size: ResponsiveSize): size is ResponsiveSize & { height: number } {
  return size.fit === 'cover' && size.height !== undefined;
}

function toSpec(size: ResponsiveSize, { focalPoint }: PlannedSettings): VariantSpec {
  const spec: VariantSpec = { name: `${size.width}w`, width: size.width, fit: size.fit };
  if (size.height !== undefined) spec.height = size.height;
  if (focalPoint && isCrop(size)) spec.focalPoint = focalPoint;
  return spec;
}

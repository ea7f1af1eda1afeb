import type { FocalPoint, Quality, ResponsiveSize, Settings, StoppedReason } from '#contract';
import {
  DEFAULT_RESPONSIVE_WIDTHS,
  ENCODERS,
  type EncodedFormat,
  encodedFormat,
  FORMATS,
  type ImageFormat,
  type InputFormat,
  type OutputFormat,
  PRESET_TARGETS,
} from '#contract/constants';

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

/** Returns the formats of the settings for an upload; `original` and the upload's own format are one. */
export function formatsOf(
  { format, formats = [format] }: Pick<Settings, 'format' | 'formats'>,
  input: InputFormat,
): OutputFormat[] {
  const encoded = formats.map((one) => encodedFormat(one, input));
  return formats.filter((_, index) => encoded.indexOf(encoded[index] as EncodedFormat) === index);
}

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

/** Quality of a written file. */
export interface ReachedQuality {
  /** The encoder's quality, or the number of palette colours of a reduced PNG or GIF; null: the upload's pixels were kept. */
  quality: number | 'lossless' | null;
  /** SSIMULACRA2 score against the pixels that were encoded; null if the search is off. */
  score: number | null;
  /** False if the file stays below the preset's target. */
  reached: boolean;
  /** Reason why the file stays below its target; absent if it reaches it, and in records of earlier versions. */
  stopped?: StoppedReason | undefined;
  /** Bytes that a file with the target would have, estimated; of one that stopped at the knee. */
  estimatedBytes?: number | undefined;
}

/** Quality of an exported file. `score` is null if none was measured. */
export type FileQuality = Quality & Pick<ReachedQuality, 'score'>;

/** Returns the quality that the preset promises of a file, and the one that it has. @param record undefined: no file was delivered */
export function qualityOf({ preset }: Pick<Settings, 'preset'>, record: ReachedQuality | undefined): FileQuality {
  const target = PRESET_TARGETS[preset];
  if (!record) return { preset, target, score: null, used: null, unscored: 'no_file' };
  const { score, quality: used, reached, stopped, estimatedBytes } = record;
  return {
    ...{ preset, target, score, used },
    ...(reached ? {} : { reached, ...(stopped ? { stopped } : {}) }),
    ...(estimatedBytes ? { estimatedBytes } : {}),
    ...(score === null ? { unscored: 'search_off' as const } : {}),
  };
}

/** Properties of an image from its header. Width and height in pixels after EXIF orientation; size in bytes. */
export interface SourceFacts {
  format: InputFormat;
  width: number;
  height: number;
  hasAlpha: boolean;
  pages: number;
  size: number;
}

/** Returns the extension of written files, without the dot. */
export function extensionOf(format: ImageFormat): string {
  return FORMATS[format].extension;
}

/** Returns the MIME type of a format. */
export function mimeTypeOf(format: ImageFormat): string {
  return FORMATS[format].mimeType;
}

/** Counts the frames that are decoded: all of an animation, the first page of any other file. */
export function decodedFrames(format: InputFormat, pages: number): number {
  // Animated PNG is read, but not written.
  return ENCODERS[format].animated || format === 'png' ? pages : 1;
}

/** True if a format keeps the frames of an animation. */
export function holdsAnimation(format: ImageFormat): boolean {
  return ENCODERS[format].animated;
}

/** Most pixels of a frame that lossless WebP is tried for: its encoder needs more memory than the lossy one. */
export const MAX_LOSSLESS_PIXELS = 12_000_000;
const LOSSLESS_WEBP_BYTES = 24;

/** Bytes a pixel that the score takes, kept until the image is done: where the original's share is kept, and of larger images. */
const KEPT_SCORE = { pixels: 2_000_000, bytes: 40 };
const LARGE_SCORE_BYTES = 12;
/** Bytes a pixel of the RGB copies that score a transparent image: the original on white, the original on black, and the decoded file. */
const OPAQUE_COPY_BYTES = 9;
/** Memory of the compiled library of content credentials, in bytes. An estimate. */
const SIGNING_BYTES = 60_000_000;

/** Estimates what signing content credentials takes beside the image: the library, and copies of the upload. */
export function signingMemory({ size }: Pick<SourceFacts, 'size'>): number {
  return SIGNING_BYTES + size * 3;
}

/** Bytes a pixel that decoding a HEIC takes, and that its decoded copy takes then. Measured with 10 bits, rounded up. */
const HEIC_DECODING_BYTES = 30;
const HEIC_COPY_BYTES = 8;

/**
 * Estimates the peak memory of rendering an image, in bytes: the decoded pixels, and one encode of the full size or the decoded file to score,
 * beside what the score keeps.
 * @param search true if files are decoded and scored. @default false
 */
export function estimateMemory(facts: SourceFacts, format: EncodedFormat, search = false): number {
  const frameArea = facts.width * facts.height;
  const frames = holdsAnimation(format) ? decodedFrames(facts.format, facts.pages) : 1;
  const lossless = format === 'webp' ? Math.min(frameArea, MAX_LOSSLESS_PIXELS) * LOSSLESS_WEBP_BYTES : 0;
  const area = frameArea * frames;
  // Of an animation, parts of three frames are scored.
  const scored = !search ? 0 : frames > 1 ? Math.min(area, KEPT_SCORE.pixels) : area;
  const score = Math.max(Math.min(scored, KEPT_SCORE.pixels) * KEPT_SCORE.bytes, scored * LARGE_SCORE_BYTES);
  const decoded = search ? area * 4 + (facts.hasAlpha ? scored * OPAQUE_COPY_BYTES : 0) : 0;
  // Encoders of animations work frame by frame.
  const rendering = area * 4 + score + Math.max(frameArea * ENCODERS[format].bytesPerPixel, lossless, decoded);
  if (facts.format !== 'heic') return rendering;
  return Math.max(frameArea * HEIC_DECODING_BYTES, frameArea * HEIC_COPY_BYTES + rendering);
}

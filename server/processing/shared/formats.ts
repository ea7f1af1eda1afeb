import { ENCODERS, type EncodedFormat, FORMATS, type ImageFormat, type InputFormat } from '#contract/constants';
import type { SourceFacts } from './protocol.ts';

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
  return ENCODERS[format].animated ? pages : 1;
}

/** True if a format keeps the frames of an animation. */
export function holdsAnimation(format: ImageFormat): boolean {
  return ENCODERS[format].animated;
}

/** Most pixels of a frame that lossless WebP is tried for: its encoder needs more memory than the lossy one. */
export const MAX_LOSSLESS_PIXELS = 12_000_000;
const LOSSLESS_WEBP_BYTES = 24;

/** Most pixels that are scored at once; what the score takes for each, kept until the image is done, and what its decoded copy takes. */
const MOST_SCORED_PIXELS = 4_200_000;
const SCORE_BYTES = 56;
const COPY_BYTES = 4;
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
  const score = search ? Math.min(area, MOST_SCORED_PIXELS) * SCORE_BYTES : 0;
  const decoded = search ? area * 4 + Math.min(area, MOST_SCORED_PIXELS) * COPY_BYTES : 0;
  // Encoders of animations work frame by frame.
  const rendering = area * 4 + score + Math.max(frameArea * ENCODERS[format].bytesPerPixel, lossless, decoded);
  if (facts.format !== 'heic') return rendering;
  return Math.max(frameArea * HEIC_DECODING_BYTES, frameArea * HEIC_COPY_BYTES + rendering);
}

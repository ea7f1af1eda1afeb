import type { InputFormat } from '#contract';
import { decodedFrames, holdsAnimation } from './formats.ts';
import type { SourceFacts } from './protocol.ts';

// Measured peaks per pixel of one encode above the process's base, rounded up.
const ENCODER_BYTES: Record<InputFormat, number> = { avif: 30, webp: 16, jpeg: 8, png: 8, gif: 8, tiff: 8 };

/** Above this, lossless WebP is not tried: its encoder needs more than the lossy one. */
export const MAX_LOSSLESS_PIXELS = 12_000_000;
const LOSSLESS_WEBP_BYTES = 24;

/** Bytes that rendering an image is expected to take at its peak: the decoded pixels and one encode of the full size. */
export function estimateMemory(facts: SourceFacts, format: InputFormat): number {
  const frameArea = facts.width * facts.height;
  const frames = holdsAnimation(format) ? decodedFrames(facts.format, facts.pages) : 1;
  const lossless =
    format === 'webp' && frames === 1 ? Math.min(frameArea, MAX_LOSSLESS_PIXELS) * LOSSLESS_WEBP_BYTES : 0;
  // Encoders of animations work frame by frame.
  return frameArea * frames * 4 + Math.max(frameArea * ENCODER_BYTES[format], lossless);
}

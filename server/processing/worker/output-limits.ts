import { type EncodedFormat, FORMATS } from '#contract/constants';
import { ProcessingFailure } from '../shared/failure.ts';

/**
 * Refuses an output that its format cannot hold, before any work is done for it.
 * @throws output_too_large (details: limit, received), the message names the limit
 */
export function refuseOversizedOutput(
  format: EncodedFormat,
  size: { width: number; height: number },
  maxAvifPixels: number,
): void {
  const edge = Math.max(size.width, size.height);
  const { label, maxEdge } = FORMATS[format];
  if (edge > maxEdge) {
    const message = `${label} holds at most ${maxEdge} pixels a side, but the image is ${size.width} x ${size.height}`;
    throw new ProcessingFailure('output_too_large', message, { limit: maxEdge, received: edge });
  }
  const pixels = size.width * size.height;
  if (format === 'avif' && pixels > maxAvifPixels) {
    const message = `AVIF is written up to ${maxAvifPixels} pixels, but the image has ${pixels}; resize it or use WebP`;
    throw new ProcessingFailure('output_too_large', message, { limit: maxAvifPixels, received: pixels });
  }
}

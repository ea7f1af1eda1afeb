import type { InputFormat } from '#contract';
import { ProcessingFailure } from '../shared/failure.ts';
import { MAX_EDGE } from '../shared/formats.ts';

/**
 * Refuses an output that its format cannot hold, before any work is done for it.
 * @throws output_too_large (details: limit, received), the message names the limit
 */
export function refuseOversizedOutput(
  format: InputFormat,
  size: { width: number; height: number },
  maxAvifPixels: number,
): void {
  const edge = Math.max(size.width, size.height);
  if (edge > MAX_EDGE[format]) {
    const name = format === 'webp' ? 'WebP' : format.toUpperCase();
    const message = `${name} holds at most ${MAX_EDGE[format]} pixels a side, but the image is ${size.width} x ${size.height}`;
    throw new ProcessingFailure('output_too_large', message, { limit: MAX_EDGE[format], received: edge });
  }
  const pixels = size.width * size.height;
  if (format === 'avif' && pixels > maxAvifPixels) {
    const message = `AVIF is written up to ${maxAvifPixels} pixels, but the image has ${pixels}; resize it or use WebP`;
    throw new ProcessingFailure('output_too_large', message, { limit: maxAvifPixels, received: pixels });
  }
}

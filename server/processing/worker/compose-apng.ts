import { type Apng, type ApngFrame, DISPOSE } from './containers/apng.ts';
import type { Pixels } from './pixels.ts';

/** Longest delay and most repetitions that the encoders take. */
const MOST_TIMING = 65_535;

/**
 * Draws the frames of an animated PNG as browsers show them (third edition, 13.4).
 * @param decode decodes a still PNG to 8 bits of sRGB
 */
export async function composeApng(
  { width, height, loop, frames }: Apng,
  decode: (png: Buffer) => Promise<Pixels>,
): Promise<Pixels> {
  const canvas = Buffer.alloc(width * height * 4);
  const data = Buffer.alloc(canvas.length * frames.length);
  for (const [index, frame] of frames.entries()) {
    // There is nothing before the first frame.
    const dispose = index === 0 && frame.dispose === DISPOSE.previous ? DISPOSE.background : frame.dispose;
    const before = dispose === DISPOSE.previous ? Buffer.from(canvas) : null;
    draw(canvas, width, frame, await decode(frame.png));
    canvas.copy(data, index * canvas.length);
    if (before) before.copy(canvas);
    else if (dispose === DISPOSE.background) clear(canvas, width, frame);
  }
  const pixels: Pixels = { data, width, height, channels: 4, frames: frames.length };
  if (frames.length === 1) return pixels;
  const delay = frames.map((frame) => Math.min(frame.delay, MOST_TIMING));
  return { ...pixels, delay, loop: Math.min(loop, MOST_TIMING) };
}

function draw(
  canvas: Buffer,
  canvasWidth: number,
  { left, top, width, height, blends }: ApngFrame,
  from: Pixels,
): void {
  const { data, channels } = from;
  for (let y = 0; y < height; y += 1) {
    let to = ((top + y) * canvasWidth + left) * 4;
    let at = y * width * channels;
    for (let x = 0; x < width; x += 1, to += 4, at += channels) {
      const alpha = channels === 4 ? (data[at + 3] ?? 0) : 255;
      if (blends && alpha === 0) continue;
      const below = blends ? ((canvas[to + 3] ?? 0) * (255 - alpha)) / 255 : 0;
      const sum = alpha + below;
      for (let channel = 0; channel < 3; channel += 1) {
        const own = data[at + (channels === 1 ? 0 : channel)] ?? 0;
        canvas[to + channel] =
          below === 0 ? own : Math.round((own * alpha + (canvas[to + channel] ?? 0) * below) / sum);
      }
      canvas[to + 3] = Math.round(sum);
    }
  }
}

function clear(canvas: Buffer, canvasWidth: number, { left, top, width, height }: ApngFrame): void {
  for (let y = top; y < top + height; y += 1)
    canvas.fill(0, (y * canvasWidth + left) * 4, (y * canvasWidth + left + width) * 4);
}

import sharp from 'sharp';
import { drawDigits } from '../../server/analysis/digits-image.ts';

/** Reads the digits of the check by their pixels, as a model that sees would, or invents them. */
export async function readDigits(isBlind: boolean, png: Buffer): Promise<string> {
  if (isBlind) return 'The image shows the digits 8371, I am certain... no: 8371.';
  const pixelsOf = (image: Buffer) => sharp(image).greyscale().raw().toBuffer();
  const target = await pixelsOf(png);
  let read = '0000';
  for (let place = 0; place < 4; place += 1) {
    let least = Number.POSITIVE_INFINITY;
    for (let digit = 0; digit < 10; digit += 1) {
      const guess = read.slice(0, place) + digit + read.slice(place + 1);
      const pixels = await pixelsOf(drawDigits(guess));
      const difference = pixels.reduce((sum, value, at) => sum + Math.abs(value - (target[at] ?? 0)), 0);
      if (difference < least) [least, read] = [difference, guess];
    }
  }
  return `It says ${read}.`;
}

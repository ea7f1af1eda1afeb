import type { Pixels } from '../../../server/processing/worker/pixels.ts';

/** Draws faint stars of many colours on a dark sky with a little noise, whose last points at `maximum` cost much. */
export function stars(): Pixels {
  const [width, height] = [300, 200];
  const data = Buffer.alloc(width * height * 3);
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  for (let at = 0; at < data.length; at += 3) {
    const isStar = random() < 0.01;
    for (let channel = 0; channel < 3; channel += 1) {
      data[at + channel] = 30 + Math.floor(random() * 4) + (isStar ? Math.floor(random() * 40) : 0);
    }
  }
  return { data, width, height, channels: 3, frames: 1 };
}

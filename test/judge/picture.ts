/** Decoded pixels: RGBA, 8 bits each, sRGB. */
export interface Picture {
  width: number;
  height: number;
  data: Uint8Array;
}

/** Distance of two pictures, in steps of 255. */
export interface Distance {
  /** Of the block of 4 x 4 pixels that differs most, the mean difference of its worst channel. */
  worst: number;
  /** Mean over all pixels and channels. */
  mean: number;
  /** Upper left corner of that block. */
  at: [number, number];
}

const BLOCK = 4;

/** Returns the colour of a pixel. */
export function pixelAt({ width, data }: Picture, x: number, y: number): number[] {
  return [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
}

/** Compares what is seen on white and on black. @throws Error if the sizes differ */
export function distanceOf(one: Picture, other: Picture): Distance {
  if (one.width !== other.width || one.height !== other.height) {
    throw new Error(`expected ${one.width} x ${one.height}, but received ${other.width} x ${other.height}`);
  }
  const { width, height } = one;
  let total = 0;
  const distance: Distance = { worst: 0, mean: 0, at: [0, 0] };
  for (let top = 0; top < height; top += BLOCK) {
    for (let left = 0; left < width; left += BLOCK) {
      const sums = blockSums(one, other, left, top);
      const count = Math.min(BLOCK, width - left) * Math.min(BLOCK, height - top);
      const worst = Math.max(...sums) / count;
      if (worst > distance.worst) Object.assign(distance, { worst, at: [left, top] });
      total += sums.reduce((sum, value) => sum + value, 0);
    }
  }
  distance.mean = total / (width * height * 6);
  return distance;
}

/** Sums the differences of red, green and blue, on black and on white. */
function blockSums(one: Picture, other: Picture, left: number, top: number): number[] {
  const sums = [0, 0, 0, 0, 0, 0];
  for (let y = top; y < Math.min(top + BLOCK, one.height); y += 1) {
    for (let x = left; x < Math.min(left + BLOCK, one.width); x += 1) {
      const at = (y * one.width + x) * 4;
      for (let index = 0; index < 6; index += 1) {
        const ground = index < 3 ? 0 : 255;
        const difference = shown(one, at, index % 3, ground) - shown(other, at, index % 3, ground);
        sums[index] = (sums[index] ?? 0) + Math.abs(difference);
      }
    }
  }
  return sums;
}

function shown({ data }: Picture, at: number, channel: number, ground: number): number {
  const alpha = data[at + 3] ?? 255;
  return ((data[at + channel] ?? 0) * alpha + ground * (255 - alpha)) / 255;
}

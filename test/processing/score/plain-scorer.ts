// The same score in plain TypeScript, with blurs of 53 bits and nothing left out: what the kernel is compared with.

import type { Pixels, PreparedReference } from '../../../server/processing/worker/score/index.ts';
import {
  BLUR,
  CONE_BIAS,
  CONES,
  FIT,
  type Fit,
  FLAT,
  MIN_SIDE,
  PLANES,
  SCALES,
} from '../../../server/processing/worker/score/layout.ts';
import { type Norms, type PlaneErrors, poolErrors } from '../../../server/processing/worker/score/pool.ts';

/** Scores without the kernel. */
export function createPlainScorer(fit: Fit = FIT): { prepare(reference: Pixels): PreparedReference } {
  return {
    prepare(reference) {
      const originals = makePyramid(reference, fit);
      return {
        score(distorted) {
          const errors: PlaneErrors[][] = Array.from({ length: PLANES }, () => []);
          for (const [scale, planes] of makePyramid(distorted, fit).entries()) {
            for (const [index, plane] of planes.entries()) {
              const original = originals[scale]?.[index];
              if (original) errors[index]?.push(comparePlanes(original, plane));
            }
          }
          return poolErrors(errors, fit);
        },
      };
    },
  };
}

/** One plane of an image at one scale, with its blur and that of its squares. */
interface Plane {
  width: number;
  height: number;
  values: Float32Array;
  mean: Float32Array;
  squares: Float32Array;
}
type Size = Pick<Plane, 'width' | 'height'>;

/** Light of each sRGB value (IEC 61966-2-1). */
const LIGHT = Float32Array.from({ length: 256 }, (_, value) => {
  const signal = value / 255;
  return signal <= 0.04045 ? signal / 12.92 : ((signal + 0.055) / 1.055) ** 2.4;
});

const at = (values: ArrayLike<number>, index: number) => values[index] as number;

/** Returns the planes X, Y and B - Y of an image at each scale, the largest first. */
function makePyramid(pixels: Size & { data: Uint8Array }, fit: Fit): Plane[][] {
  let { width, height } = pixels;
  let light = Float32Array.from(pixels.data, (value) => at(LIGHT, value));
  const scales = [toPlanes(light, { width, height }, fit)];
  while (scales.length < SCALES && Math.min(width, height) >= MIN_SIDE) {
    light = halve(light, { width, height });
    width = Math.ceil(width / 2);
    height = Math.ceil(height / 2);
    scales.push(toPlanes(light, { width, height }, fit));
  }
  return scales;
}

/** Averages each two by two pixels; the last column and row of odd sizes count twice. */
function halve(light: Float32Array, { width, height }: Size): Float32Array<ArrayBuffer> {
  const halfWidth = Math.ceil(width / 2);
  const half = new Float32Array(halfWidth * Math.ceil(height / 2) * 3);
  for (let index = 0; index < half.length; index++) {
    const channel = index % 3;
    const x = 2 * (((index - channel) / 3) % halfWidth);
    const y = 2 * Math.floor(index / (3 * halfWidth));
    const above = y * width;
    const below = Math.min(y + 1, height - 1) * width;
    const right = Math.min(x + 1, width - 1);
    half[index] =
      (at(light, 3 * (above + x) + channel) +
        at(light, 3 * (above + right) + channel) +
        at(light, 3 * (below + x) + channel) +
        at(light, 3 * (below + right) + channel)) /
      4;
  }
  return half;
}

/** Turns light into planes and blurs them. */
function toPlanes(light: Float32Array, size: Size, { toUnit: [toX, toY, toB] }: Fit): Plane[] {
  const x = new Float32Array(light.length / 3);
  const y = new Float32Array(x.length);
  const b = new Float32Array(x.length);
  const dark = Math.cbrt(CONE_BIAS);
  const answer = ([red, green, blue]: readonly [number, number, number], pixel: number) =>
    Math.cbrt(
      red * at(light, 3 * pixel) + green * at(light, 3 * pixel + 1) + blue * at(light, 3 * pixel + 2) + CONE_BIAS,
    ) - dark;
  for (let pixel = 0; pixel < x.length; pixel++) {
    const long = answer(CONES[0], pixel);
    const middle = answer(CONES[1], pixel);
    const luma = (long + middle) / 2;
    x[pixel] = ((long - middle) / 2) * toX[0] + toX[1];
    y[pixel] = luma * toY[0] + toY[1];
    b[pixel] = (answer(CONES[2], pixel) - luma) * toB[0] + toB[1];
  }
  return [x, y, b].map((values) => ({
    ...size,
    values,
    mean: blur(values, size),
    squares: blur(
      values.map((value) => value * value),
      size,
    ),
  }));
}

/** Blurs the rows, then the columns. */
function blur(values: Float32Array, { width, height }: Size): Float32Array {
  const rows = blurLines(values, { count: height, step: width }, { count: width, step: 1 });
  return blurLines(rows, { count: width, step: 1 }, { count: height, step: width });
}

interface Steps {
  count: number;
  step: number;
}

function blurLines(values: Float32Array, lines: Steps, along: Steps): Float32Array {
  const [b0, b1, b2, b3, b4] = BLUR as [number, number, number, number, number];
  const padded = new Float64Array(along.count + 8);
  const result = new Float32Array(values.length);
  for (let line = 0; line < lines.count; line++) {
    const start = line * lines.step;
    for (let index = 0; index < along.count; index++) padded[index + 4] = at(values, start + index * along.step);
    for (let index = 0; index < along.count; index++) {
      result[start + index * along.step] =
        b0 * at(padded, index + 4) +
        b1 * (at(padded, index + 3) + at(padded, index + 5)) +
        b2 * (at(padded, index + 2) + at(padded, index + 6)) +
        b3 * (at(padded, index + 1) + at(padded, index + 7)) +
        b4 * (at(padded, index) + at(padded, index + 8));
    }
  }
  return result;
}

/** Compares a plane of the original with that of a changed version. */
function comparePlanes(original: Plane, changed: Plane): PlaneErrors {
  const products = blur(
    original.values.map((value, index) => value * at(changed.values, index)),
    original,
  );
  const structure = new Sum();
  const added = new Sum();
  const lost = new Sum();
  for (let index = 0; index < products.length; index++) {
    const mean1 = at(original.mean, index);
    const mean2 = at(changed.mean, index);
    const covariance = 2 * (at(products, index) - mean1 * mean2) + FLAT;
    const variances = at(original.squares, index) - mean1 * mean1 + (at(changed.squares, index) - mean2 * mean2) + FLAT;
    structure.add(1 - ((1 - (mean1 - mean2) * (mean1 - mean2)) * covariance) / variances);
    const edge1 = 1 + Math.abs(at(original.values, index) - mean1);
    const edge2 = 1 + Math.abs(at(changed.values, index) - mean2);
    added.add(edge2 / edge1 - 1);
    lost.add(1 - edge2 / edge1);
  }
  return { structure: structure.norms(products), added: added.norms(products), lost: lost.norms(products) };
}

/** Sums up errors; negative ones count as 0. */
class Sum {
  #sum = 0;
  #fourths = 0;

  add(error: number): void {
    if (error <= 0) return;
    this.#sum += error;
    this.#fourths += error * error * error * error;
  }

  norms({ length }: Float32Array): Norms {
    return [this.#sum / length, (this.#fourths / length) ** 0.25];
  }
}

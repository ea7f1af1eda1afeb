// Errors of a line against the original's, as sums and as sums of fourth powers.
import { STRIP } from './blur';
import { lanesWithin } from './lines';

/** Sum of the four lanes. */
function total(lanes: v128): f64 {
  return (
    f64(f32x4.extract_lane(lanes, 0)) +
    f64(f32x4.extract_lane(lanes, 1)) +
    f64(f32x4.extract_lane(lanes, 2)) +
    f64(f32x4.extract_lane(lanes, 3))
  );
}

/** Fourth powers. */
function fourth(value: v128): v128 {
  const square = f32x4.mul(value, value);
  return f32x4.mul(square, square);
}

/** Adds the lanes to a sum, and those of the fourth powers to the next one. */
function addTo(sums: usize, plain: v128, fourths: v128): void {
  f64.store(sums, f64.load(sums) + total(plain));
  f64.store(sums, f64.load(sums, 8) + total(fourths), 8);
}

/** Compares the edges of a line; `left` values of it are within the image. */
export function compareEdges(line: usize, mean: usize, original: usize, bytes: usize, left: i32, sums: usize): void {
  const one = f32x4.splat(1);
  const zero = f32x4.splat(0);
  let added = zero;
  let added4 = zero;
  let lost = zero;
  let lost4 = zero;
  for (let at: usize = 0; at < bytes; at += 16) {
    const edge = f32x4.add(one, f32x4.abs(f32x4.sub(v128.load(line + at), v128.load(mean + at))));
    const ratio = f32x4.div(edge, v128.load(original + at));
    const change = v128.and(f32x4.sub(ratio, one), lanesWithin(i32(at >> 2), left));
    const more = f32x4.max(change, zero);
    const less = f32x4.sub(more, change);
    added = f32x4.add(added, more);
    added4 = f32x4.add(added4, fourth(more));
    lost = f32x4.add(lost, less);
    lost4 = f32x4.add(lost4, fourth(less));
  }
  addTo(sums, added, added4);
  addTo(sums + 16, lost, lost4);
}

/**
 * Compares the structure of a line. At `blurred` are its mean, the mean of its squares and that of its products with the original, a strip
 * apart. `rounding` is the error of a mean of squares, relative to the square of the mean, that is added to the errors as noise is.
 */
export function compareStructure(
  original: usize,
  part: usize,
  blurred: usize,
  bytes: usize,
  left: i32,
  flat: f32,
  rounding: f32,
  sums: usize,
): void {
  const one = f32x4.splat(1);
  const zero = f32x4.splat(0);
  const constant = f32x4.splat(flat);
  const noise = f32x4.splat(rounding);
  let errors = zero;
  let errors4 = zero;
  for (let at: usize = 0; at < bytes; at += 16) {
    const mean1 = v128.load(original + part + at);
    const mean2 = v128.load(blurred + at);
    const square = v128.load(blurred + STRIP + at);
    const product = v128.load(blurred + 2 * STRIP + at);
    const within = lanesWithin(i32(at >> 2), left);
    const distance = f32x4.sub(mean1, mean2);
    const luma = f32x4.sub(one, f32x4.mul(distance, distance));
    const covariance = f32x4.sub(product, f32x4.mul(mean1, mean2));
    const variance = f32x4.sub(square, f32x4.mul(mean2, mean2));
    const similar = f32x4.mul(luma, f32x4.add(f32x4.add(covariance, covariance), constant));
    const possible = f32x4.add(f32x4.add(v128.load(original + 2 * part + at), variance), constant);
    const share = f32x4.div(one, possible);
    const error = v128.and(f32x4.max(f32x4.sub(one, f32x4.mul(similar, share)), zero), within);
    const rounded = v128.and(f32x4.mul(f32x4.mul(f32x4.mul(mean1, mean1), noise), share), within);
    const power = f32x4.add(f32x4.mul(error, error), f32x4.mul(rounded, rounded));
    errors = f32x4.add(errors, error);
    errors4 = f32x4.add(errors4, f32x4.mul(power, power));
  }
  addTo(sums, errors, errors4);
}

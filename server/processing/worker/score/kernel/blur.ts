// Blurs of nine taps, in strips that are narrow enough for the fastest cache: along each line into a ring of lines, then across the nine
// lines around one. Each line is in its ring twice, so that any nine lines in turn lie one after another.
import { MARGIN, VECTOR } from './lines';

/** Bytes of a line of a strip: 128 floats. */
export const STRIP: usize = 512;
/** Lines that the blur of one line needs. */
export const WINDOW = 9;
/** Bytes of a ring. */
export const RING: usize = 9216;

/** Blurs along `bytes` of a line that continues at both ends, into both places of a line of a ring. */
export function blurAlong(line: usize, ring: usize, bytes: usize, blur: usize): void {
  const b0 = v128.load32_splat(blur);
  const b1 = v128.load32_splat(blur, 4);
  const b2 = v128.load32_splat(blur, 8);
  const b3 = v128.load32_splat(blur, 12);
  const b4 = v128.load32_splat(blur, 16);
  const end = line + bytes;
  while (line < end) {
    let sum = f32x4.mul(b4, f32x4.add(v128.load(line - 16), v128.load(line, 16)));
    sum = f32x4.add(sum, f32x4.mul(b3, f32x4.add(v128.load(line - 12), v128.load(line, 12))));
    sum = f32x4.add(sum, f32x4.mul(b2, f32x4.add(v128.load(line - 8), v128.load(line, 8))));
    sum = f32x4.add(sum, f32x4.mul(b1, f32x4.add(v128.load(line - 4), v128.load(line, 4))));
    sum = f32x4.add(sum, f32x4.mul(b0, v128.load(line)));
    v128.store(ring, sum);
    v128.store(ring, sum, 4608);
    line += VECTOR;
    ring += VECTOR;
  }
}

/** Blurs across the nine lines of a ring that begin at `lines`. */
export function blurAcross(lines: usize, target: usize, bytes: usize, blur: usize): void {
  const b0 = v128.load32_splat(blur);
  const b1 = v128.load32_splat(blur, 4);
  const b2 = v128.load32_splat(blur, 8);
  const b3 = v128.load32_splat(blur, 12);
  const b4 = v128.load32_splat(blur, 16);
  const end = lines + bytes;
  while (lines < end) {
    let sum = f32x4.mul(b4, f32x4.add(v128.load(lines), v128.load(lines, 4096)));
    sum = f32x4.add(sum, f32x4.mul(b3, f32x4.add(v128.load(lines, 512), v128.load(lines, 3584))));
    sum = f32x4.add(sum, f32x4.mul(b2, f32x4.add(v128.load(lines, 1024), v128.load(lines, 3072))));
    sum = f32x4.add(sum, f32x4.mul(b1, f32x4.add(v128.load(lines, 1536), v128.load(lines, 2560))));
    v128.store(target, f32x4.add(sum, f32x4.mul(b0, v128.load(lines, 2048))));
    lines += VECTOR;
    target += VECTOR;
  }
}

/** Multiplies two lines, from four floats before them to four floats behind them. */
export function multiply(first: usize, second: usize, product: usize, bytes: usize): void {
  const end = first + bytes + MARGIN;
  first -= MARGIN;
  second -= MARGIN;
  product -= MARGIN;
  while (first < end) {
    v128.store(product, f32x4.mul(v128.load(first), v128.load(second)));
    first += VECTOR;
    second += VECTOR;
    product += VECTOR;
  }
}

/** Place of line `y` in its ring, for lines from -4 to 4 below the image. */
export function inRing(y: i32): usize {
  return STRIP * usize((y + WINDOW) % WINDOW);
}

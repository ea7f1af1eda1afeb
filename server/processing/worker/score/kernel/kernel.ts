// The arithmetic of the score, in AssemblyScript: `npm run kernel` compiles it to WebAssembly with SIMD, as `../kernel-code.ts`.
// It works on memory that `../layout.ts` lays out, and knows numbers only by the addresses that it is given. A pixel outside the image
// is 0, as in the reference.
import { blurAcross, blurAlong, inRing, multiply, RING, STRIP } from './blur';
import { compareEdges, compareStructure } from './errors';
import { lineBytes, MARGIN, VECTOR } from './lines';

export { halve, halveBytes, toLight, toPlanes } from './light';

/** Bytes of the workspace that `prepare` and `compare` need: three rings, a line of products with margins, three blurred lines. */
export const WORKSPACE: i32 = 3 * 9216 + 512 + 2 * 16 + 3 * 512;

const PRODUCT: usize = 3 * RING + MARGIN;
const BLURRED: usize = PRODUCT + STRIP + MARGIN;

/**
 * Writes what comparisons need of a plane of the original: at `edges`, 1 + its distance from its blur; at `structure`, the plane without
 * margins, its blur and its variance. Either may be 0, and is left out then. Works on the lines `from` up to `to`, exclusive.
 */
export function prepare(
  plane: usize,
  edges: usize,
  structure: usize,
  width: i32,
  height: i32,
  from: i32,
  to: i32,
  blur: usize,
  workspace: usize,
): void {
  const line = lineBytes(width);
  for (let x: usize = 0; x < line; x += STRIP) {
    const bytes = min(STRIP, line - x);
    memory.fill(workspace, 0, 3 * RING);
    for (let next = max(from - 4, 0); next < to + 4; next++) {
      const ring = workspace + inRing(next);
      if (next < height) {
        const source = plane + (line + 2 * MARGIN) * usize(next) + MARGIN + x;
        blurAlong(source, ring, bytes, blur);
        if (structure) {
          // Comparisons multiply these lines, also where a blur only reaches them.
          memory.copy(structure + line * usize(next) + x, source, bytes);
          blurProduct(source, source, ring + RING, bytes, blur, workspace + PRODUCT, x === 0, x + bytes === line);
        }
      } else {
        clearLine(ring);
        clearLine(ring + RING);
      }
      const y = next - 4;
      if (y < from) continue;
      const lines = workspace + inRing(y - 4);
      const source = plane + (line + 2 * MARGIN) * usize(y) + MARGIN + x;
      const place = line * usize(y) + x;
      const blurred = workspace + BLURRED;
      blurAcross(lines, blurred, bytes, blur);
      if (edges) writeEdges(source, blurred, edges + place, bytes);
      if (structure) {
        blurAcross(lines + RING, blurred + STRIP, bytes, blur);
        writeStructure(blurred, structure + place, line * usize(height), bytes);
      }
    }
  }
}

/** Blurs the product of two lines along them; it is 0 beyond the ends of the image, whatever lies there. */
function blurProduct(
  first: usize,
  second: usize,
  ring: usize,
  bytes: usize,
  blur: usize,
  product: usize,
  begins: bool,
  ends: bool,
): void {
  multiply(first, second, product, bytes);
  if (begins) v128.store(product - MARGIN, f32x4.splat(0));
  if (ends) v128.store(product + bytes, f32x4.splat(0));
  blurAlong(product, ring, bytes, blur);
}

/** Clears both places of a line of a ring. */
function clearLine(line: usize): void {
  memory.fill(line, 0, STRIP);
  memory.fill(line + 9 * STRIP, 0, STRIP);
}

function writeEdges(line: usize, mean: usize, target: usize, bytes: usize): void {
  const one = f32x4.splat(1);
  for (let x: usize = 0; x < bytes; x += VECTOR) {
    const distance = f32x4.sub(v128.load(line + x), v128.load(mean + x));
    v128.store(target + x, f32x4.add(one, f32x4.abs(distance)));
  }
}

/** Writes the means and variances; the means of the squares lie behind the means. */
function writeStructure(means: usize, target: usize, part: usize, bytes: usize): void {
  for (let x: usize = 0; x < bytes; x += VECTOR) {
    const mean = v128.load(means + x);
    v128.store(target + part + x, mean);
    v128.store(target + 2 * part + x, f32x4.sub(v128.load(means + STRIP + x), f32x4.mul(mean, mean)));
  }
}

/**
 * Compares a plane with what `prepare` wrote of the original's. Adds to six sums: errors of structure, new edges and lost edges, each
 * with its fourth powers. Where `edges` or `structure` is 0, theirs stay as they are. Works on the lines `from` up to `to`, exclusive.
 */
export function compare(
  plane: usize,
  edges: usize,
  structure: usize,
  width: i32,
  height: i32,
  from: i32,
  to: i32,
  blur: usize,
  flat: f32,
  rounding: f32,
  workspace: usize,
  sums: usize,
): void {
  const line = lineBytes(width);
  for (let x: usize = 0; x < line; x += STRIP) {
    const bytes = min(STRIP, line - x);
    memory.fill(workspace, 0, 3 * RING);
    for (let next = max(from - 4, 0); next < to + 4; next++) {
      const ring = workspace + inRing(next);
      if (next < height) {
        const source = plane + (line + 2 * MARGIN) * usize(next) + MARGIN + x;
        blurAlong(source, ring, bytes, blur);
        if (structure) {
          const original = structure + line * usize(next) + x;
          const product = workspace + PRODUCT;
          blurProduct(source, source, ring + RING, bytes, blur, product, x === 0, x + bytes === line);
          blurProduct(source, original, ring + 2 * RING, bytes, blur, product, x === 0, x + bytes === line);
        }
      } else {
        for (let index: usize = 0; index < 3; index++) clearLine(ring + index * RING);
      }
      const y = next - 4;
      if (y < from) continue;
      const lines = workspace + inRing(y - 4);
      const place = line * usize(y) + x;
      const left = width - i32(x >> 2);
      const blurred = workspace + BLURRED;
      blurAcross(lines, blurred, bytes, blur);
      if (edges) {
        const source = plane + (line + 2 * MARGIN) * usize(y) + MARGIN + x;
        compareEdges(source, blurred, edges + place, bytes, left, sums + 16);
      }
      if (structure) {
        blurAcross(lines + RING, blurred + STRIP, bytes, blur);
        blurAcross(lines + 2 * RING, blurred + 2 * STRIP, bytes, blur);
        compareStructure(structure + place, line * usize(height), blurred, bytes, left, flat, rounding, sums);
      }
    }
  }
}

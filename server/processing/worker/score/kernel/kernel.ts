// The arithmetic of the score, in AssemblyScript: `npm run kernel` compiles it to WebAssembly with SIMD, as `../kernel-code.ts`.
// It works on memory that `../kernel-memory.ts` lays out, and knows numbers only by the addresses that it is given.
//
// Lines of values have `padded(width)` floats: width rounded up to whole vectors of four. Lines that are blurred have a margin of four
// zeros at both ends. A pixel outside the image is 0, as in the reference.

const VECTOR = 16;
/** Bytes of the margin at each end of a line that is blurred. */
const MARGIN = 16;
/** Lines that the blur of one line needs. */
const WINDOW = 9;

/** Bytes of a line without margins. */
function lineBytes(width: i32): usize {
  return usize(((width + 3) >> 2) << 4);
}

/** All bits of the lanes below `width`, for the vector that begins at `x`. */
function lanesWithin(x: i32, width: i32): v128 {
  return i32x4.lt_s(i32x4.add(i32x4.splat(x), i32x4(0, 1, 2, 3)), i32x4.splat(width));
}

/** Turns bytes of interleaved RGB into planes of light by a table of 256 floats. */
export function toLight(pixels: usize, table: usize, light: usize, width: i32, height: i32): void {
  const bytes = lineBytes(width);
  const plane = bytes * usize(height);
  for (let y = 0; y < height; y++) {
    let target = light + bytes * usize(y);
    for (let x = 0; x < width; x++) {
      f32.store(target, f32.load(table + (usize(load<u8>(pixels)) << 2)));
      f32.store(target + plane, f32.load(table + (usize(load<u8>(pixels, 1)) << 2)));
      f32.store(target + 2 * plane, f32.load(table + (usize(load<u8>(pixels, 2)) << 2)));
      pixels += 3;
      target += 4;
    }
  }
}

/** Averages each two by two pixels of a plane; the last column and line of odd sizes count twice. */
export function halve(light: usize, half: usize, width: i32, height: i32): void {
  const bytes = lineBytes(width);
  const halfWidth = (width + 1) >> 1;
  const halfBytes = lineBytes(halfWidth);
  const quarter = f32x4.splat(0.25);
  for (let y = 0; y < height; y += 2) {
    const above = light + bytes * usize(y);
    const below = y + 1 < height ? above + bytes : above;
    if (width & 1) {
      f32.store(above + (usize(width) << 2), f32.load(above + (usize(width - 1) << 2)));
      f32.store(below + (usize(width) << 2), f32.load(below + (usize(width - 1) << 2)));
    }
    const target = half + halfBytes * usize(y >> 1);
    for (let x: usize = 0; x < halfBytes; x += VECTOR) {
      // The last vector may read into the next line, for lanes outside the image.
      const left = f32x4.add(v128.load(above + 2 * x), v128.load(below + 2 * x));
      const right = f32x4.add(v128.load(above + 2 * x, VECTOR), v128.load(below + 2 * x, VECTOR));
      const even = v128.shuffle<f32>(left, right, 0, 2, 4, 6);
      const odd = v128.shuffle<f32>(left, right, 1, 3, 5, 7);
      v128.store(target + x, f32x4.mul(f32x4.add(even, odd), quarter));
    }
  }
}

/** Cube roots by two of Halley's steps, from a third of the exponent. */
function cubeRoot(value: v128): v128 {
  const third = f32x4.mul(f32x4.convert_i32x4_s(value), f32x4.splat(1.0 / 3.0));
  let root = i32x4.add(i32x4.trunc_sat_f32x4_s(third), i32x4.splat(0x2a514067));
  for (let step = 0; step < 2; step++) {
    const cube = f32x4.mul(f32x4.mul(root, root), root);
    const twice = f32x4.add(value, value);
    root = f32x4.div(f32x4.mul(root, f32x4.add(cube, twice)), f32x4.add(f32x4.add(cube, cube), value));
  }
  return root;
}

/** Answer of the cones whose shares of red, green and blue are at `cone`. */
function answer(cone: usize, red: v128, green: v128, blue: v128, bias: v128, dark: v128): v128 {
  const mixed = f32x4.add(
    f32x4.add(f32x4.mul(v128.load32_splat(cone), red), f32x4.mul(v128.load32_splat(cone, 4), green)),
    f32x4.add(f32x4.mul(v128.load32_splat(cone, 8), blue), bias),
  );
  return f32x4.sub(cubeRoot(mixed), dark);
}

/** Factor and offset at `range`. */
function toUnit(value: v128, range: usize): v128 {
  return f32x4.add(f32x4.mul(value, v128.load32_splat(range)), v128.load32_splat(range, 4));
}

/**
 * Turns planes of light into the planes X, Y and B - Y, with margins. `colours` are floats: nine shares of the cones, their bias, its
 * cube root, and factor and offset of each plane.
 */
export function toPlanes(light: usize, planes: usize, width: i32, height: i32, colours: usize): void {
  const bytes = lineBytes(width);
  const lightPlane = bytes * usize(height);
  const plane = (bytes + 2 * MARGIN) * usize(height);
  const bias = v128.load32_splat(colours, 36);
  const dark = v128.load32_splat(colours, 40);
  const half = f32x4.splat(0.5);
  const zero = f32x4.splat(0);
  for (let y = 0; y < height; y++) {
    for (let index = 0; index < 3; index++) {
      const line = planes + plane * usize(index) + (bytes + 2 * MARGIN) * usize(y);
      v128.store(line, zero);
      v128.store(line + MARGIN + bytes, zero);
    }
    for (let x = 0; x < width; x += 4) {
      const source = light + bytes * usize(y) + (usize(x) << 2);
      const red = v128.load(source);
      const green = v128.load(source + lightPlane);
      const blue = v128.load(source + 2 * lightPlane);
      const long = answer(colours, red, green, blue, bias, dark);
      const middle = answer(colours + 12, red, green, blue, bias, dark);
      const short = answer(colours + 24, red, green, blue, bias, dark);
      const luma = f32x4.mul(f32x4.add(long, middle), half);
      const within = lanesWithin(x, width);
      const target = planes + (bytes + 2 * MARGIN) * usize(y) + MARGIN + (usize(x) << 2);
      const chroma = f32x4.mul(f32x4.sub(long, middle), half);
      v128.store(target, v128.and(toUnit(chroma, colours + 44), within));
      v128.store(target + plane, v128.and(toUnit(luma, colours + 52), within));
      v128.store(target + 2 * plane, v128.and(toUnit(f32x4.sub(short, luma), colours + 60), within));
    }
  }
}

/** Multiplies a line with margins by a line: both without their margins. */
function multiply(first: usize, second: usize, product: usize, bytes: usize): void {
  for (let x: usize = 0; x < bytes; x += VECTOR) {
    v128.store(product + x, f32x4.mul(v128.load(first + x), v128.load(second + x)));
  }
}

/** Blurs along a line with margins; `blur` are five floats, from the middle outwards. */
function blurAlong(line: usize, target: usize, bytes: usize, blur: usize): void {
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
    v128.store(target, f32x4.add(sum, f32x4.mul(b0, v128.load(line))));
    line += VECTOR;
    target += VECTOR;
  }
}

/** Address of line `y` in a ring of the last lines, or of a line of zeros outside the image. */
function inRing(ring: usize, zeros: usize, y: i32, height: i32, bytes: usize): usize {
  return y < 0 || y >= height ? zeros : ring + bytes * usize(y % WINDOW);
}

/** Addresses of the nine lines around line `y`, at `lines`. */
function findWindow(lines: usize, ring: usize, zeros: usize, y: i32, height: i32, bytes: usize): void {
  for (let index = 0; index < WINDOW; index++) {
    store<usize>(lines + (usize(index) << 2), inRing(ring, zeros, y + index - 4, height, bytes));
  }
}

/** Blurs across the nine lines at `lines`, at `x` bytes. */
function blurAcross(lines: usize, x: usize, b0: v128, b1: v128, b2: v128, b3: v128, b4: v128): v128 {
  let sum = f32x4.mul(b4, f32x4.add(v128.load(load<usize>(lines) + x), v128.load(load<usize>(lines, 32) + x)));
  sum = f32x4.add(
    sum,
    f32x4.mul(b3, f32x4.add(v128.load(load<usize>(lines, 4) + x), v128.load(load<usize>(lines, 28) + x))),
  );
  sum = f32x4.add(
    sum,
    f32x4.mul(b2, f32x4.add(v128.load(load<usize>(lines, 8) + x), v128.load(load<usize>(lines, 24) + x))),
  );
  sum = f32x4.add(
    sum,
    f32x4.mul(b1, f32x4.add(v128.load(load<usize>(lines, 12) + x), v128.load(load<usize>(lines, 20) + x))),
  );
  return f32x4.add(sum, f32x4.mul(b0, v128.load(load<usize>(lines, 16) + x)));
}

/** Bytes of the workspace that `prepare` and `compare` need for a width. */
export function workspaceBytes(width: i32): i32 {
  // Three rings, a line of zeros, a line of products with margins, the addresses of three windows.
  return i32(lineBytes(width)) * (3 * WINDOW + 2) + 2 * MARGIN + 3 * WINDOW * 4 + VECTOR;
}

/** Fills the margins of the line of products and the line of zeros of a workspace with zeros. */
function clearWorkspace(workspace: usize, bytes: usize): void {
  memory.fill(workspace + bytes * 3 * WINDOW, 0, 2 * bytes + 2 * MARGIN);
}

/**
 * Writes what comparisons need of a plane of the original: 1 + its distance from its blur and, with `structure`, the plane without
 * margins, its blur and its variance.
 */
export function prepare(
  plane: usize,
  prepared: usize,
  width: i32,
  height: i32,
  structure: bool,
  blur: usize,
  workspace: usize,
): void {
  const bytes = lineBytes(width);
  const means = workspace;
  const squares = means + bytes * WINDOW;
  const zeros = workspace + bytes * 3 * WINDOW;
  const product = zeros + bytes + MARGIN;
  const meanLines = product + bytes + MARGIN;
  const squareLines = meanLines + WINDOW * 4;
  const part = bytes * usize(height);
  const b0 = v128.load32_splat(blur);
  const b1 = v128.load32_splat(blur, 4);
  const b2 = v128.load32_splat(blur, 8);
  const b3 = v128.load32_splat(blur, 12);
  const b4 = v128.load32_splat(blur, 16);
  const one = f32x4.splat(1);
  clearWorkspace(workspace, bytes);
  for (let y = -4; y < height; y++) {
    const next = y + 4;
    if (next < height) {
      const line = plane + (bytes + 2 * MARGIN) * usize(next) + MARGIN;
      const place = bytes * usize(next % WINDOW);
      blurAlong(line, means + place, bytes, blur);
      if (structure) {
        multiply(line, line, product, bytes);
        blurAlong(product, squares + place, bytes, blur);
      }
    }
    if (y < 0) continue;
    findWindow(meanLines, means, zeros, y, height, bytes);
    findWindow(squareLines, squares, zeros, y, height, bytes);
    const line = plane + (bytes + 2 * MARGIN) * usize(y) + MARGIN;
    const target = prepared + bytes * usize(y);
    for (let x: usize = 0; x < bytes; x += VECTOR) {
      const value = v128.load(line + x);
      const mean = blurAcross(meanLines, x, b0, b1, b2, b3, b4);
      v128.store(target + x, f32x4.add(one, f32x4.abs(f32x4.sub(value, mean))));
      if (structure) {
        const square = blurAcross(squareLines, x, b0, b1, b2, b3, b4);
        v128.store(target + part + x, value);
        v128.store(target + 2 * part + x, mean);
        v128.store(target + 3 * part + x, f32x4.sub(square, f32x4.mul(mean, mean)));
      }
    }
  }
}

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

/**
 * Compares a plane with what `prepare` wrote of the original's. Adds to six sums: errors of structure, new edges and lost edges, each
 * with its fourth powers. Without `structure`, those of structure stay as they are.
 */
export function compare(
  plane: usize,
  prepared: usize,
  width: i32,
  height: i32,
  structure: bool,
  blur: usize,
  flat: f32,
  workspace: usize,
  sums: usize,
): void {
  const bytes = lineBytes(width);
  const means = workspace;
  const squares = means + bytes * WINDOW;
  const products = squares + bytes * WINDOW;
  const zeros = products + bytes * WINDOW;
  const product = zeros + bytes + MARGIN;
  const meanLines = product + bytes + MARGIN;
  const squareLines = meanLines + WINDOW * 4;
  const productLines = squareLines + WINDOW * 4;
  const part = bytes * usize(height);
  clearWorkspace(workspace, bytes);
  for (let y = -4; y < height; y++) {
    const next = y + 4;
    if (next < height) {
      const line = plane + (bytes + 2 * MARGIN) * usize(next) + MARGIN;
      const place = bytes * usize(next % WINDOW);
      blurAlong(line, means + place, bytes, blur);
      if (structure) {
        multiply(line, line, product, bytes);
        blurAlong(product, squares + place, bytes, blur);
        multiply(line, prepared + part + bytes * usize(next), product, bytes);
        blurAlong(product, products + place, bytes, blur);
      }
    }
    if (y < 0) continue;
    findWindow(meanLines, means, zeros, y, height, bytes);
    const line = plane + (bytes + 2 * MARGIN) * usize(y) + MARGIN;
    const original = prepared + bytes * usize(y);
    compareEdges(line, original, meanLines, width, blur, sums + 16);
    if (structure) {
      findWindow(squareLines, squares, zeros, y, height, bytes);
      findWindow(productLines, products, zeros, y, height, bytes);
      compareStructure(original + part, part, meanLines, width, blur, flat, sums);
    }
  }
}

/** Compares the edges of a line; `meanLines` are the addresses of the nine lines to blur. */
function compareEdges(line: usize, original: usize, meanLines: usize, width: i32, blur: usize, sums: usize): void {
  const b0 = v128.load32_splat(blur);
  const b1 = v128.load32_splat(blur, 4);
  const b2 = v128.load32_splat(blur, 8);
  const b3 = v128.load32_splat(blur, 12);
  const b4 = v128.load32_splat(blur, 16);
  const one = f32x4.splat(1);
  const zero = f32x4.splat(0);
  let added = zero;
  let added4 = zero;
  let lost = zero;
  let lost4 = zero;
  for (let x = 0; x < width; x += 4) {
    const at = usize(x) << 2;
    const mean = blurAcross(meanLines, at, b0, b1, b2, b3, b4);
    const edge = f32x4.add(one, f32x4.abs(f32x4.sub(v128.load(line + at), mean)));
    const ratio = f32x4.div(edge, v128.load(original + at));
    const change = v128.and(f32x4.sub(ratio, one), lanesWithin(x, width));
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

/** Compares the structure of a line; `meanLines` and the lines after them are the addresses of the lines to blur. */
function compareStructure(
  original: usize,
  part: usize,
  meanLines: usize,
  width: i32,
  blur: usize,
  flat: f32,
  sums: usize,
): void {
  const b0 = v128.load32_splat(blur);
  const b1 = v128.load32_splat(blur, 4);
  const b2 = v128.load32_splat(blur, 8);
  const b3 = v128.load32_splat(blur, 12);
  const b4 = v128.load32_splat(blur, 16);
  const one = f32x4.splat(1);
  const zero = f32x4.splat(0);
  const constant = f32x4.splat(flat);
  let errors = zero;
  let errors4 = zero;
  for (let x = 0; x < width; x += 4) {
    const at = usize(x) << 2;
    const mean1 = v128.load(original + part + at);
    const mean2 = blurAcross(meanLines, at, b0, b1, b2, b3, b4);
    const square = blurAcross(meanLines + WINDOW * 4, at, b0, b1, b2, b3, b4);
    const product = blurAcross(meanLines + 2 * WINDOW * 4, at, b0, b1, b2, b3, b4);
    const distance = f32x4.sub(mean1, mean2);
    const luma = f32x4.sub(one, f32x4.mul(distance, distance));
    const covariance = f32x4.sub(product, f32x4.mul(mean1, mean2));
    const variance = f32x4.sub(square, f32x4.mul(mean2, mean2));
    const similar = f32x4.mul(luma, f32x4.add(f32x4.add(covariance, covariance), constant));
    const possible = f32x4.add(f32x4.add(v128.load(original + 2 * part + at), variance), constant);
    const error = f32x4.max(f32x4.sub(one, f32x4.div(similar, possible)), zero);
    const within = v128.and(error, lanesWithin(x, width));
    errors = f32x4.add(errors, within);
    errors4 = f32x4.add(errors4, fourth(within));
  }
  addTo(sums, errors, errors4);
}

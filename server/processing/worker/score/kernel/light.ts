// From bytes to light, and from light to the colours that the eye reports.
import { lanesWithin, lineBytes, MARGIN, VECTOR } from './lines';

/** Turns bytes of interleaved RGB into planes of light by a table of 256 floats. */
export function toLight(pixels: usize, table: usize, light: usize, width: i32, height: i32): void {
  const bytes = lineBytes(width);
  const plane = bytes * usize(height);
  for (let y = 0; y < height; y++) {
    let target = light + bytes * usize(y);
    for (let x = 0; x < width; x++) {
      f32.store(target, lightAt(pixels, table));
      f32.store(target + plane, lightAt(pixels + 1, table));
      f32.store(target + 2 * plane, lightAt(pixels + 2, table));
      pixels += 3;
      target += 4;
    }
  }
}

/** Light of the byte at an address. */
function lightAt(address: usize, table: usize): f32 {
  return f32.load(table + (usize(load<u8>(address)) << 2));
}

/**
 * Turns rows of interleaved RGB into light of half the size, with planes `plane` bytes apart: as `toLight` and `halve` do, without light of the
 * full size. An even number of rows, unless they are the last ones.
 */
export function halveBytes(pixels: usize, table: usize, half: usize, plane: usize, width: i32, height: i32): void {
  const bytes = lineBytes((width + 1) >> 1);
  const row = 3 * usize(width);
  for (let y = 0; y < height; y += 2) {
    let above = pixels + row * usize(y);
    let below = y + 1 < height ? above + row : above;
    let target = half + bytes * usize(y >> 1);
    for (let x = 0; x < width; x += 2) {
      const right: usize = x + 1 < width ? 3 : 0;
      for (let channel: usize = 0; channel < 3; channel++) {
        const left = lightAt(above + channel, table) + lightAt(below + channel, table);
        const beside = lightAt(above + right + channel, table) + lightAt(below + right + channel, table);
        f32.store(target + channel * plane, (left + beside) * 0.25);
      }
      above += 6;
      below += 6;
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
      const right = f32x4.add(v128.load(above + 2 * x, 16), v128.load(below + 2 * x, 16));
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
 * Turns planes of light, `lightPlane` bytes apart, into the plane Y and, where they are asked for, X and B - Y; all with margins. `colours` are floats: nine shares
 * of the cones, their bias, its cube root, and factor and offset of each plane.
 */
export function toPlanes(
  light: usize,
  lightPlane: usize,
  planes: usize,
  width: i32,
  height: i32,
  colours: usize,
  withX: bool,
  withB: bool,
): void {
  const bytes = lineBytes(width);
  const plane = (bytes + 2 * MARGIN) * usize(height);
  const bias = v128.load32_splat(colours, 36);
  const dark = v128.load32_splat(colours, 40);
  const half = f32x4.splat(0.5);
  clearMargins(planes, bytes, 3 * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x += 4) {
      const source = light + bytes * usize(y) + (usize(x) << 2);
      const red = v128.load(source);
      const green = v128.load(source + lightPlane);
      const blue = v128.load(source + 2 * lightPlane);
      const long = answer(colours, red, green, blue, bias, dark);
      const middle = answer(colours + 12, red, green, blue, bias, dark);
      const luma = f32x4.mul(f32x4.add(long, middle), half);
      const within = lanesWithin(x, width);
      const target = planes + (bytes + 2 * MARGIN) * usize(y) + MARGIN + (usize(x) << 2);
      v128.store(target + plane, v128.and(toUnit(luma, colours + 52), within));
      if (withX) {
        const chroma = f32x4.mul(f32x4.sub(long, middle), half);
        v128.store(target, v128.and(toUnit(chroma, colours + 44), within));
      }
      if (withB) {
        const short = answer(colours + 24, red, green, blue, bias, dark);
        v128.store(target + 2 * plane, v128.and(toUnit(f32x4.sub(short, luma), colours + 60), within));
      }
    }
  }
}

function clearMargins(planes: usize, bytes: usize, lines: i32): void {
  const zero = f32x4.splat(0);
  for (let line = 0; line < lines; line++) {
    const begin = planes + (bytes + 2 * MARGIN) * usize(line);
    v128.store(begin, zero);
    v128.store(begin + MARGIN + bytes, zero);
  }
}

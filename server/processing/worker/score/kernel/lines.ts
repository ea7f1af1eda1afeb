// Lines of values have `padded(width)` floats: width rounded up to whole vectors of four. Lines of planes have a margin of four zeros at
// both ends.

/** Bytes of a vector. */
export const VECTOR: usize = 16;
/** Bytes of the margin at each end of a line of a plane. */
export const MARGIN: usize = 16;

/** Bytes of a line without margins. */
export function lineBytes(width: i32): usize {
  return usize(((width + 3) >> 2) << 4);
}

/** All bits of the lanes below `width`, for the vector that begins at `x`. */
export function lanesWithin(x: i32, width: i32): v128 {
  return i32x4.lt_s(i32x4.add(i32x4.splat(x), i32x4(0, 1, 2, 3)), i32x4.splat(width));
}

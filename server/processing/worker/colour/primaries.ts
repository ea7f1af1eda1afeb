/** Three rows of three numbers. */
export type Matrix = readonly number[];

/** Chromaticities x and y of white, red, green and blue. */
export type Chromaticities = readonly number[];

const D65 = [0.3127, 0.329] as const;
const D50_XYZ = [0.9642, 1, 0.8249] as const;
const ILLUMINANT_C = [0.31, 0.316] as const;
/** Responses of the cones (Bradford), by which one white is adapted to another. */
const CONES: Matrix = [0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296];

/** Primaries of ITU-T H.273, table 2, by code point. */
const PRIMARIES: Readonly<Record<number, Chromaticities>> = {
  1: [...D65, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06],
  4: [...ILLUMINANT_C, 0.67, 0.33, 0.21, 0.71, 0.14, 0.08],
  5: [...D65, 0.64, 0.33, 0.29, 0.6, 0.15, 0.06],
  6: [...D65, 0.63, 0.34, 0.31, 0.595, 0.155, 0.07],
  7: [...D65, 0.63, 0.34, 0.31, 0.595, 0.155, 0.07],
  8: [...ILLUMINANT_C, 0.681, 0.319, 0.243, 0.692, 0.145, 0.049],
  9: [...D65, 0.708, 0.292, 0.17, 0.797, 0.131, 0.046],
  10: [1 / 3, 1 / 3, 1, 0, 0, 1, 0, 0],
  11: [0.314, 0.351, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06],
  12: [...D65, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06],
  22: [...D65, 0.63, 0.34, 0.295, 0.605, 0.155, 0.077],
};

/** Code points of sRGB and BT.2020. */
export const SRGB_PRIMARIES = 1;
export const BT2020_PRIMARIES = 9;

/** Returns the chromaticities of a code point; undefined if it is reserved or unspecified. */
export function primariesOf(code: number): Chromaticities | undefined {
  return PRIMARIES[code];
}

/**
 * Returns the matrix from linear light of some primaries to linear light of others, both relative to their white.
 * @param to code point of the target. @default sRGB
 * @returns null if both are the same
 */
export function matrixBetween(from: Chromaticities, to: number = SRGB_PRIMARIES): Matrix | null {
  const target = PRIMARIES[to] as Chromaticities;
  if (from.every((value, index) => Math.abs(value - (target[index] ?? 0)) < 0.001)) return null;
  return fromConnectionSpace(to, toConnectionSpace(from));
}

/** Returns true for chromaticities that span a space of colours. */
export function arePossible(chromaticities: Chromaticities): boolean {
  return toConnectionSpace(chromaticities).every(Number.isFinite);
}

/** Returns the matrix from colours whose linear primaries are given in the connection space of ICC (XYZ, D50) to other primaries. */
export function fromConnectionSpace(to: number, colorants: Matrix): Matrix {
  return multiply(invert(toConnectionSpace(PRIMARIES[to] as Chromaticities)), colorants);
}

function toConnectionSpace([wx = 0, wy = 0, rx = 0, ry = 0, gx = 0, gy = 0, bx = 0, by = 0]: Chromaticities): Matrix {
  const white = [wx / wy, 1, (1 - wx - wy) / wy];
  const columns = [rx, gx, bx, ry, gy, by, 1 - rx - ry, 1 - gx - gy, 1 - bx - by];
  const scale = apply(invert(columns), white);
  const xyz = columns.map((value, index) => value * (scale[index % 3] ?? 0));
  const cones = apply(CONES, white);
  const wanted = apply(CONES, D50_XYZ);
  const adapted = CONES.map((value, index) => {
    const row = Math.floor(index / 3);
    return (value * (wanted[row] ?? 0)) / (cones[row] ?? 1);
  });
  return multiply(multiply(invert(CONES), adapted), xyz);
}

function apply(m: Matrix, vector: readonly number[]): number[] {
  return [0, 1, 2].map((row) => [0, 1, 2].reduce((sum, k) => sum + (m[row * 3 + k] ?? 0) * (vector[k] ?? 0), 0));
}

/** Multiplies two matrices. */
function multiply(a: Matrix, b: Matrix): Matrix {
  return Array.from({ length: 9 }, (_, index) => {
    const [row, column] = [Math.floor(index / 3), index % 3];
    return [0, 1, 2].reduce((sum, k) => sum + (a[row * 3 + k] ?? 0) * (b[k * 3 + column] ?? 0), 0);
  });
}

function invert([a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0]: Matrix): Matrix {
  const determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  const cofactors = [
    ...[e * i - f * h, c * h - b * i, b * f - c * e],
    ...[f * g - d * i, a * i - c * g, c * d - a * f],
    ...[d * h - e * g, b * g - a * h, a * e - b * d],
  ];
  return cofactors.map((value) => value / determinant);
}

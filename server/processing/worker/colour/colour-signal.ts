/** Linear light, 0 to 1, of an encoded value, 0 to 1. */
export type Curve = (value: number) => number;

/** Code points of ITU-T H.273 for high dynamic range. */
const PQ = 16;
const HLG = 18;

/** Luminance of white, and of the brightest light that is told apart, in cd/m² (ITU-R BT.2408). */
const WHITE = 203;
const PEAK = 1000;

/** Returns the curve of a power law. */
const power =
  (exponent: number): Curve =>
  (value) =>
    value ** exponent;

/** Curve of sRGB (IEC 61966-2-1). */
const srgbCurve: Curve = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);

/** Encodes linear light as sRGB. */
export function encodeSrgb(light: number): number {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
}

/** Curves of ITU-T H.273, table 3, that browsers show; those of HDR relative to white. */
const CURVES: Readonly<Record<number, Curve>> = {
  4: power(2.2),
  5: power(2.8),
  7: (value) => (value < 0.0913 ? value / 4 : ((value + 0.1115) / 1.1115) ** (1 / 0.45)),
  8: (value) => value,
  13: srgbCurve,
  [PQ]: pqCurve,
  17: (value) => (value ** 2.6 * 52.37) / 48,
  [HLG]: hlgCurve,
};

/** Curves of cameras: BT.709, BT.601, xvYCC, BT.2020. */
const CAMERA_CODES = new Set([1, 6, 11, 14, 15]);

/**
 * Returns the curve of a code point; undefined if it is reserved, unspecified or not shown by browsers.
 * @param camera curve that the code points of cameras are shown with
 */
function curveOf(code: number, camera: Curve): Curve | undefined {
  return CAMERA_CODES.has(code) ? camera : CURVES[code];
}

/** PQ (SMPTE ST 2084): light relative to white. */
function pqCurve(value: number): number {
  const [m1, m2, c1, c2, c3] = [2610 / 16384, (2523 / 4096) * 128, 3424 / 4096, (2413 / 4096) * 32, (2392 / 4096) * 32];
  const base = value ** (1 / m2);
  return (10_000 / WHITE) * (Math.max(0, base - c1) / (c2 - c3 * base)) ** (1 / m1);
}

/** HLG (ITU-R BT.2100): light of the scene, 0 to 1. */
function hlgCurve(value: number): number {
  const [a, b, c] = [0.17883277, 0.28466892, 0.55991073];
  return value <= 0.5 ? value ** 2 / 3 : (Math.exp((value - c) / a) + b) / 12;
}

/** Returns the factor from the light of a scene to that of a display for HLG, relative to white, by the luminance of the scene. */
export function hlgDisplayFactor(luminance: number): number {
  return (PEAK / WHITE) * luminance ** 0.2;
}

/** Returns the factor that maps the light of an HDR display to a standard one, by the largest channel relative to white (Reinhard, as browsers). */
export function toneFactor(largest: number): number {
  const peak = PEAK / WHITE;
  return (1 + largest / peak ** 2) / (1 + largest);
}

/** Three rows of three numbers. */
export type Matrix = readonly number[];

/** Chromaticities x and y of white, red, green and blue. */
type Chromaticities = readonly number[];

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
function arePossible(chromaticities: Chromaticities): boolean {
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

/** Transfer function, primaries and matrix of a file's samples. */
export interface ColourSignal {
  /** Curves of red, green and blue, or one for all. */
  curves: readonly [Curve] | readonly [Curve, Curve, Curve];
  /** Linear light to linear light of sRGB; of HDR to that of BT.2020. Null: the primaries are the same. */
  matrix: Matrix | null;
  /** High dynamic range, which is mapped to the standard one. */
  hdr: 'pq' | 'hlg' | null;
}

/** Code points of ITU-T H.273. */
export interface CodePoints {
  primaries: number;
  transfer: number;
}

/** Power law with which browsers show the code points of cameras in PNG (ITU-R BT.1886); in AVIF they take sRGB. */
const MONITOR = power(2.4);
const UNSPECIFIED = 2;

/** Describes the code points of an AVIF. Null: they are shown as sRGB. */
export function signalOfHeif({ primaries, transfer }: CodePoints): ColourSignal | null {
  const curve = transfer === UNSPECIFIED ? srgbCurve : curveOf(transfer, srgbCurve);
  if (!curve) return null;
  return describe(primariesOf(primaries) ?? (primariesOf(SRGB_PRIMARIES) as Chromaticities), curve, transfer);
}

/** Describes the code points of a PNG or an ICC profile. Undefined: they are incomplete and do not count. */
export function signalOfCodePoints({ primaries, transfer }: CodePoints): ColourSignal | null | undefined {
  const chromaticities = primariesOf(primaries);
  const curve = curveOf(transfer, MONITOR);
  return chromaticities && curve ? describe(chromaticities, curve, transfer) : undefined;
}

/**
 * Describes the gamma and the chromaticities of a PNG. Null: they are impossible and shown as sRGB.
 * @param gamma exponent that encoded the file
 */
export function signalOfGamma(gamma: number, chromaticities: Chromaticities | null): ColourSignal | null {
  if (gamma <= 0 || (chromaticities && !arePossible(chromaticities))) return null;
  return { curves: [power(1 / gamma)], matrix: chromaticities && matrixBetween(chromaticities), hdr: null };
}

function describe(chromaticities: Chromaticities, curve: Curve, transfer: number): ColourSignal | null {
  const hdr = transfer === PQ ? 'pq' : transfer === HLG ? 'hlg' : null;
  const matrix = matrixBetween(chromaticities, hdr ? BT2020_PRIMARIES : undefined);
  return matrix || curve !== srgbCurve ? { curves: [curve], matrix, hdr } : null;
}

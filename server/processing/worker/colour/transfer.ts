/** Linear light, 0 to 1, of an encoded value, 0 to 1. */
export type Curve = (value: number) => number;

/** Code points of ITU-T H.273 for high dynamic range. */
export const PQ = 16;
export const HLG = 18;

/** Luminance of white, and of the brightest light that is told apart, in cd/m² (ITU-R BT.2408). */
const WHITE = 203;
const PEAK = 1000;

/** Returns the curve of a power law. */
export const power =
  (exponent: number): Curve =>
  (value) =>
    value ** exponent;

/** Curve of sRGB (IEC 61966-2-1). */
export const srgbCurve: Curve = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);

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
export function curveOf(code: number, camera: Curve): Curve | undefined {
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

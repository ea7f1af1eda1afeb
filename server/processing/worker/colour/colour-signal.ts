import {
  arePossible,
  BT2020_PRIMARIES,
  type Chromaticities,
  type Matrix,
  matrixBetween,
  primariesOf,
  SRGB_PRIMARIES,
} from './primaries.ts';
import { type Curve, curveOf, HLG, PQ, power, srgbCurve } from './transfer.ts';

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

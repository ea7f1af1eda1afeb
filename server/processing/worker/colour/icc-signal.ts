import { type ColourSignal, signalOfCodePoints } from './colour-signal.ts';
import { fromConnectionSpace, SRGB_PRIMARIES } from './primaries.ts';
import type { Curve } from './transfer.ts';

const HEADER = 128;
const MOST_TAGS = 100;

/**
 * Reads an ICC profile of curves and a matrix (ICC.1:2022), or of a grey curve.
 * @returns undefined for other kinds (tables, CMYK) and for broken profiles
 */
export function signalOfProfile(icc: Buffer): ColourSignal | undefined {
  try {
    const tags = readTags(icc);
    const space = icc.toString('latin1', 16, 20);
    // Tables take precedence over the matrix.
    if (icc.toString('latin1', 20, 24) !== 'XYZ ' || tags.has('A2B0') || tags.has('A2B1')) return undefined;
    if (space === 'GRAY') return { curves: [readCurve(tags.get('kTRC'))], matrix: null, hdr: null };
    if (space !== 'RGB ') return undefined;
    const colorants = ['rXYZ', 'gXYZ', 'bXYZ'].map((name) => readXyz(tags.get(name)));
    const columns = Array.from({ length: 9 }, (_, index) => colorants[index % 3]?.[Math.floor(index / 3)] ?? 0);
    const [red, green, blue] = ['rTRC', 'gTRC', 'bTRC'].map((name) => readCurve(tags.get(name))) as [
      Curve,
      Curve,
      Curve,
    ];
    return { curves: [red, green, blue], matrix: fromConnectionSpace(SRGB_PRIMARIES, columns), hdr: null };
  } catch {
    return undefined;
  }
}

/** Reads the high dynamic range of a profile (its `cicp` tag); null if it has none. */
export function hdrOfProfile(icc: Buffer): ColourSignal | null {
  try {
    const tag = readTags(icc).get('cicp');
    const signal = tag && signalOfCodePoints({ primaries: tag.readUInt8(8), transfer: tag.readUInt8(9) });
    return signal?.hdr ? signal : null;
  } catch {
    return null;
  }
}

function readTags(icc: Buffer): Map<string, Buffer> {
  const tags = new Map<string, Buffer>();
  const count = Math.min(icc.readUInt32BE(HEADER), MOST_TAGS);
  for (let index = 0, at = HEADER + 4; index < count; index += 1, at += 12) {
    const offset = icc.readUInt32BE(at + 4);
    tags.set(icc.toString('latin1', at, at + 4), icc.subarray(offset, offset + icc.readUInt32BE(at + 8)));
  }
  return tags;
}

function readXyz(tag: Buffer | undefined): number[] {
  if (!tag) throw new RangeError('colorant');
  return [8, 12, 16].map((at) => fixed(tag, at));
}

function readCurve(tag: Buffer | undefined): Curve {
  const type = tag?.toString('latin1', 0, 4);
  if (tag && type === 'para') return parametric(tag);
  if (!tag || type !== 'curv') throw new RangeError('curve');
  const count = tag.readUInt32BE(8);
  if (count === 0) return (value) => value;
  if (count === 1) {
    const gamma = tag.readUInt16BE(12) / 256;
    return (value) => value ** gamma;
  }
  const points = Array.from({ length: count }, (_, index) => tag.readUInt16BE(12 + index * 2) / 65_535);
  return (value) => {
    const place = value * (count - 1);
    const below = Math.min(count - 2, Math.floor(place));
    const from = points[below] ?? 0;
    return from + (place - below) * ((points[below + 1] ?? 0) - from);
  };
}

/** Function types 0 to 4 (10.18). */
function parametric(tag: Buffer): Curve {
  const kind = tag.readUInt16BE(8);
  const count = [1, 3, 4, 5, 7][kind];
  if (count === undefined) throw new RangeError('function');
  const [g = 1, a = 1, b = 0, c = 0, d = 0, e = 0, f = 0] = Array.from({ length: count }, (_, index) =>
    fixed(tag, 12 + index * 4),
  );
  const above = (value: number) => Math.max(0, a * value + b) ** g;
  switch (kind) {
    case 0:
      return above;
    case 1:
      return (value) => (value >= -b / a ? above(value) : 0);
    case 2:
      return (value) => (value >= -b / a ? above(value) + c : c);
    case 3:
      return (value) => (value >= d ? above(value) : c * value);
    default:
      return (value) => (value >= d ? above(value) + e : c * value + f);
  }
}

function fixed(tag: Buffer, at: number): number {
  return tag.readInt32BE(at) / 65_536;
}

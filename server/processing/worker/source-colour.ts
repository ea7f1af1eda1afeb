import type { Metadata } from 'sharp';
import type { WarningCode } from '#contract';
import type { InputFormat } from '#contract/constants';
import {
  type ColourSignal,
  type Curve,
  fromConnectionSpace,
  SRGB_PRIMARIES,
  signalOfCodePoints,
  signalOfGamma,
} from './colour/colour-signal.ts';
import { type FileBytes, readHeifColour, withFileBytes } from './colour/heif-colour.ts';

/** Source of a file's colours. */
export interface SourceColour {
  /** Converted without the library, with all bits of the file; null: by the library. */
  signal: ColourSignal | null;
  /** True if the embedded profile does not count, or is part of the signal. */
  ignoresProfile: boolean;
  /** True if the library has to reduce 16 bits before it converts by the profile: of more bits it makes Display P3. */
  reducesFirst: boolean;
  /** True if the colours are multiplied by alpha. */
  premultiplied: boolean;
  warnings: WarningCode[];
}

const BY_LIBRARY: SourceColour = {
  signal: null,
  ignoresProfile: false,
  reducesFirst: false,
  premultiplied: false,
  warnings: [],
};

/** Decides how the colours of a file are read. The library knows embedded profiles of 8 bits alone. */
export function readSourceColour(input: string | Buffer, format: InputFormat, header: Metadata): SourceColour {
  if (header.space === 'cmyk') return { ...BY_LIBRARY, warnings: ['cmyk_converted'] };
  if (format === 'png') {
    const { signal, ignoresProfile } = readPngColour(input);
    if (signal) return bySignal(signal);
    if (ignoresProfile) return { ...BY_LIBRARY, ignoresProfile };
  }
  const heif = format === 'avif' || format === 'heic' ? readHeifColour(input) : null;
  const premultiplied = (heif?.premultiplied ?? false) && header.hasAlpha === true;
  // No browser shows TIFF, and other programs leave out a profile that does not fit; PNG does not allow one.
  if (header.icc) return byProfile(header, header.icc, premultiplied, format !== 'tiff');
  return heif?.signal ? { ...bySignal(heif.signal), premultiplied } : { ...BY_LIBRARY, premultiplied };
}

function bySignal(signal: ColourSignal): SourceColour {
  return {
    ...{ signal, ignoresProfile: true, reducesFirst: false, premultiplied: false },
    warnings: [signal.hdr ? 'hdr_dropped' : 'colour_converted'],
  };
}

/** @param readsCurve of grey whose profile is one for red, green and blue, as browsers do */
function byProfile(header: Metadata, icc: Buffer, premultiplied: boolean, readsCurve: boolean): SourceColour {
  const hdr = hdrOfProfile(icc);
  if (hdr) return { ...bySignal(hdr), premultiplied };
  const warnings: WarningCode[] = isSrgbProfile(icc) ? [] : ['colour_converted'];
  const isDeep = header.depth === 'ushort';
  const isGrey = header.space === 'grey16' || header.space === 'b-w';
  // The library leaves it out.
  const curveAlone = readsCurve && isGrey && warnings.length > 0 && icc.toString('latin1', 16, 20) === 'RGB ';
  if (!isDeep && !premultiplied && !curveAlone) return { ...BY_LIBRARY, warnings };
  const signal = signalOfProfile(icc, curveAlone);
  if (signal && (signal.curves.length === 1) === isGrey) return { ...bySignal(signal), premultiplied, warnings };
  return { ...BY_LIBRARY, reducesFirst: isDeep, premultiplied, warnings };
}

/** Colour chunks of a PNG. */
interface PngColour {
  /** Undefined: the embedded profile counts, or nothing is said. Null: sRGB. */
  signal: ColourSignal | null | undefined;
  /** True if the embedded profile does not count. */
  ignoresProfile: boolean;
}

/** Gamma that is shown as sRGB without chromaticities, in 1/100,000. */
const PLAIN_GAMMA = 45_455;
/** Bounds the work for a file of many tiny chunks. */
const MOST_CHUNKS = 1000;
const READ = new Set(['cICP', 'iCCP', 'sRGB', 'gAMA', 'cHRM']);

/** Reads the colour chunks of a PNG in the order in which browsers let them count: `cICP`, `iCCP`, `sRGB`, `gAMA` with `cHRM` (third edition, 4.3). */
function readPngColour(source: string | Buffer): PngColour {
  const chunks = withFileBytes(source, readChunks);
  const codePoints = chunks.get('cICP');
  // Only RGB in full range is defined for PNG.
  if (codePoints && codePoints.length >= 4 && codePoints[2] === 0 && codePoints[3] === 1) {
    const [primaries = 0, transfer = 0] = codePoints;
    const signal = signalOfCodePoints({ primaries, transfer });
    if (signal !== undefined) return { signal, ignoresProfile: true };
  }
  if (chunks.has('iCCP') || chunks.has('sRGB')) return { signal: undefined, ignoresProfile: false };
  const gamma = chunks.get('gAMA');
  if (!gamma || gamma.length < 4) return { signal: undefined, ignoresProfile: false };
  return { signal: ofGamma(gamma.readUInt32BE(0), chunks.get('cHRM')), ignoresProfile: false };
}

function ofGamma(gamma: number, chromaticities: Buffer | undefined): ColourSignal | null {
  const isUsable = chromaticities !== undefined && chromaticities.length >= 32;
  if (gamma === PLAIN_GAMMA && !isUsable) return null;
  const numbers = isUsable ? Array.from({ length: 8 }, (_, index) => chromaticities.readUInt32BE(index * 4)) : null;
  return signalOfGamma(gamma / 100_000, numbers?.map((value) => value / 100_000) ?? null);
}

function readChunks({ read }: FileBytes): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>();
  let at = 8;
  for (let count = 0; count < MOST_CHUNKS; count += 1) {
    const head = read(at, 8);
    if (head.length < 8) break;
    const type = head.toString('latin1', 4, 8);
    if (type === 'IDAT' || type === 'IEND') break;
    const length = head.readUInt32BE(0);
    if (READ.has(type) && !chunks.has(type)) chunks.set(type, read(at + 8, Math.min(length, 32)));
    at += 12 + length;
  }
  return chunks;
}

const HEADER = 128;
const MOST_TAGS = 100;

/**
 * Reads an ICC profile of curves and a matrix (ICC.1:2022), or of a grey curve.
 * @param curveAlone true to read the curve of green for grey, which stays grey under the matrix
 * @returns undefined for other kinds (tables, CMYK) and for broken profiles
 */
function signalOfProfile(icc: Buffer, curveAlone: boolean): ColourSignal | undefined {
  try {
    const tags = readTags(icc);
    const space = icc.toString('latin1', 16, 20);
    // Tables take precedence over the matrix.
    if (icc.toString('latin1', 20, 24) !== 'XYZ ' || tags.has('A2B0') || tags.has('A2B1')) return undefined;
    if (space === 'GRAY') return { curves: [readCurve(tags.get('kTRC'))], matrix: null, hdr: null };
    if (space !== 'RGB ') return undefined;
    if (curveAlone) return { curves: [readCurve(tags.get('gTRC'))], matrix: null, hdr: null };
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
function hdrOfProfile(icc: Buffer): ColourSignal | null {
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

/** Returns true if an ICC profile describes itself as sRGB (ICC.1:2022, 9.2.41), so that a conversion needs no warning. */
export function isSrgbProfile(icc: Buffer): boolean {
  if (icc.length < 132) return false;
  const count = Math.min(icc.readUInt32BE(128), 100);
  for (let at = 132; at + 12 <= icc.length && at < 132 + count * 12; at += 12) {
    if (icc.toString('latin1', at, at + 4) !== 'desc') continue;
    const offset = icc.readUInt32BE(at + 4);
    // Version 2 stores ASCII, version 4 UTF-16; without the zero bytes both are equal.
    const text = icc.toString('latin1', offset, offset + Math.min(icc.readUInt32BE(at + 8), 512));
    return text.replaceAll('\0', '').includes('sRGB');
  }
  return false;
}

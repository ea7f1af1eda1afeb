import { type ColourSignal, signalOfCodePoints, signalOfGamma } from './colour-signal.ts';
import { type FileBytes, withFileBytes } from './file-bytes.ts';

/** Colour chunks of a PNG. */
export interface PngColour {
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
export function readPngColour(source: string | Buffer): PngColour {
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

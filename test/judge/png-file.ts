import { crc32, deflateSync } from 'node:zlib';

/** Colour types of PNG (third edition, 11.2.1). */
const COLOUR_TYPES = { grey: 0, rgb: 2, palette: 3, 'grey-alpha': 4, rgba: 6 } as const;

/** Name of a colour type. */
export type ColourType = keyof typeof COLOUR_TYPES;

/** Samples in a pixel of each type. */
export const SAMPLES = { grey: 1, rgb: 3, palette: 1, 'grey-alpha': 2, rgba: 4 } as const satisfies Record<
  ColourType,
  number
>;

/** A chunk between the header and the pixels. */
export interface PngChunk {
  type: string;
  data: Buffer;
}

/** A PNG to write. */
export interface PngPicture {
  width: number;
  height: number;
  type: ColourType;
  depth: 1 | 2 | 4 | 8 | 16;
  /** Samples of the pixels, row by row. */
  samples: ArrayLike<number>;
  /** Written before the pixels, in this order; `PLTE` and `tRNS` too. */
  chunks?: PngChunk[];
  /** Written after the pixels. */
  tail?: PngChunk[];
}

/** Writes a PNG by its specification alone, without the image library of the product. */
export function writePng({ width, height, type, depth, samples, chunks = [], tail = [] }: PngPicture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, COLOUR_TYPES[type], 0, 0, 0], 8);
  const rows = packRows(samples, width * SAMPLES[type], height, depth);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunkBytes({ type: 'IHDR', data: header }),
    ...chunks.map(chunkBytes),
    chunkBytes({ type: 'IDAT', data: deflateSync(rows) }),
    ...tail.map(chunkBytes),
    chunkBytes({ type: 'IEND', data: Buffer.alloc(0) }),
  ]);
}

/** Rows without a filter: a zero, then the samples, packed from the left. */
function packRows(samples: ArrayLike<number>, perRow: number, height: number, depth: number): Buffer {
  const stride = 1 + Math.ceil((perRow * depth) / 8);
  const rows = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    for (let index = 0; index < perRow; index += 1) {
      const value = samples[y * perRow + index] ?? 0;
      const bit = index * depth;
      const at = y * stride + 1 + (bit >> 3);
      if (depth === 16) rows.writeUInt16BE(value, at);
      else rows[at] = (rows[at] ?? 0) | (value << (8 - depth - (bit & 7)));
    }
  }
  return rows;
}

function chunkBytes({ type, data }: PngChunk): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

/** Gamma of the file, as the exponent that encoded it, e.g. 1 / 2.2. */
export function gAMA(encoding: number): PngChunk {
  return { type: 'gAMA', data: numbers([encoding * 100_000]) };
}

/** Chromaticities: white, red, green, blue as x and y. */
export function cHRM(...xy: number[]): PngChunk {
  return { type: 'cHRM', data: numbers(xy.map((value) => value * 100_000)) };
}

/** Code points of ITU-T H.273, full range. */
export function cICP(primaries: number, transfer: number): PngChunk {
  return { type: 'cICP', data: Buffer.from([primaries, transfer, 0, 1]) };
}

/** Says that the colours are sRGB. */
export function sRGB(): PngChunk {
  return { type: 'sRGB', data: Buffer.from([0]) };
}

/** An embedded profile. */
export function iCCP(profile: Buffer): PngChunk {
  return { type: 'iCCP', data: Buffer.concat([Buffer.from('icc\0\0', 'latin1'), deflateSync(profile)]) };
}

/** An EXIF block of nothing but the orientation. */
export function eXIf(orientation: number): PngChunk {
  const block = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  block.writeUInt16BE(orientation, 18);
  return { type: 'eXIf', data: block };
}

function numbers(values: number[]): Buffer {
  const data = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    data.writeUInt32BE(Math.round(value), index * 4);
  });
  return data;
}

/** Photometric interpretations of TIFF 6.0. */
const PHOTOMETRIC = { whiteIsZero: 0, grey: 1, rgb: 2, palette: 3, cmyk: 5, ycbcr: 6, lab: 8 } as const;

/** Samples of colours in a pixel. */
const COLOURS = { whiteIsZero: 1, grey: 1, rgb: 3, palette: 1, cmyk: 4, ycbcr: 3, lab: 3 } as const;

/** A TIFF to write, in one strip without compression. */
export interface TiffPicture {
  width: number;
  height: number;
  kind: keyof typeof PHOTOMETRIC;
  bits: 1 | 8 | 12 | 16 | 32;
  /** 2: signed integers, 3: floating point. */
  sampleFormat?: 2 | 3;
  /** A number that the samples, which are not compressed, do not have. */
  compression?: number;
  samplesPerPixel: number;
  samples: ArrayLike<number>;
  icc?: Buffer;
  orientation?: number;
  /** 2: the last sample is alpha. 0: those beside the colours say nothing of themselves. */
  extraSample?: 0 | 2;
  /** 16-bit red, green and blue of each index, one after the other. */
  colourMap?: number[];
}

interface Entry {
  tag: number;
  type: 3 | 4 | 7;
  values: number[] | Buffer;
}

const TYPE_BYTES = { 3: 2, 4: 4, 7: 1 } as const;

/** Writes a TIFF by its specification alone, little-endian. */
export function writeTiff(picture: TiffPicture): Buffer {
  const { width, height, kind, bits, samplesPerPixel, icc, orientation, extraSample, colourMap } = picture;
  const { compression = 1, sampleFormat } = picture;
  const pixels = packSamples(picture);
  const short = (tag: number, values: number[]): Entry => ({ tag, type: 3, values });
  const entries: Entry[] = [
    short(256, [width]),
    short(257, [height]),
    short(258, Array<number>(samplesPerPixel).fill(bits)),
    short(259, [compression]),
    short(262, [PHOTOMETRIC[kind]]),
    { tag: 273, type: 4, values: [8] },
    short(274, [orientation ?? 1]),
    short(277, [samplesPerPixel]),
    short(278, [height]),
    { tag: 279, type: 4, values: [pixels.length] },
    short(284, [1]),
    ...(colourMap ? [short(320, colourMap)] : []),
    ...(extraSample === undefined
      ? []
      : [short(338, Array<number>(samplesPerPixel - COLOURS[kind]).fill(extraSample))]),
    ...(sampleFormat ? [short(339, Array<number>(samplesPerPixel).fill(sampleFormat))] : []),
    ...(icc ? [{ tag: 34_675, type: 7 as const, values: icc }] : []),
  ];
  const at = 8 + pixels.length + (pixels.length % 2);
  const head = Buffer.from('II*\0\0\0\0\0', 'latin1');
  head.writeUInt32LE(at, 4);
  return Buffer.concat([head, pixels, Buffer.alloc(pixels.length % 2), directory(entries, at)]);
}

function directory(entries: Entry[], at: number): Buffer {
  const table = Buffer.alloc(2 + entries.length * 12 + 4);
  table.writeUInt16LE(entries.length, 0);
  const values: Buffer[] = [];
  let next = at + table.length;
  entries.forEach(({ tag, type, values: given }, index) => {
    const bytes = Buffer.isBuffer(given) ? given : numbers(given, TYPE_BYTES[type]);
    const entry = 2 + index * 12;
    table.writeUInt16LE(tag, entry);
    table.writeUInt16LE(type, entry + 2);
    table.writeUInt32LE(given.length, entry + 4);
    if (bytes.length <= 4) bytes.copy(table, entry + 8);
    else {
      table.writeUInt32LE(next, entry + 8);
      const even = Buffer.concat([bytes, Buffer.alloc(bytes.length % 2)]);
      values.push(even);
      next += even.length;
    }
  });
  return Buffer.concat([table, ...values]);
}

function numbers(values: number[], bytes: number): Buffer {
  const data = Buffer.alloc(values.length * bytes);
  values.forEach((value, index) => {
    data.writeUIntLE(value, index * bytes, bytes);
  });
  return data;
}

function packSamples({ width, height, bits, samplesPerPixel, samples }: TiffPicture): Buffer {
  const perRow = width * samplesPerPixel;
  const stride = Math.ceil((perRow * bits) / 8);
  const data = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    for (let index = 0; index < perRow; index += 1) {
      const value = samples[y * perRow + index] ?? 0;
      const bit = index * bits;
      const at = y * stride + (bit >> 3);
      if (bits === 16) data.writeUInt16LE(value, at);
      else if (bits === 32) data.writeUInt32LE(value, at);
      else data[at] = (data[at] ?? 0) | (value << (8 - bits - (bit & 7)));
    }
  }
  return data;
}

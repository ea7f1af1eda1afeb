/** A frame of a GIF. */
export interface GifPicture {
  /** Left, top, width and height. @default the canvas */
  area?: readonly [number, number, number, number];
  /** Index of each pixel, or of all. */
  colours: number | readonly number[];
  disposal?: number;
}

/** Bits of a colour index; codes of more than these are not used but for clearing and the end. */
const BITS = 8;
const CLEAR = 1 << BITS;
const END = CLEAR + 1;
/** Codes after which the decoder's table is cleared, so that all have the same width. */
const RUN = 200;

/** Writes an endless GIF by its specification alone (GIF89a), with 256 greys, and frames of 200 milliseconds. */
export function writeGif(width: number, height: number, frames: readonly GifPicture[]): Buffer {
  const greys = Buffer.from(Array.from({ length: 256 }, (_, grey) => [grey, grey, grey]).flat());
  return Buffer.concat([
    ...[Buffer.from('GIF89a'), shorts(width, height), Buffer.from([0xf7, 0, 0]), greys],
    ...[Buffer.from('\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0', 'latin1')],
    ...frames.flatMap(({ area = [0, 0, width, height], colours, disposal = 0 }) => {
      const pixels = typeof colours === 'number' ? Array<number>(area[2] * area[3]).fill(colours) : colours;
      const control = Buffer.from([0x21, 0xf9, 4, disposal << 2, 20, 0, 0, 0]);
      return [control, Buffer.from([0x2c]), shorts(...area), Buffer.from([0]), pixelData(pixels)];
    }),
    Buffer.from([0x3b]),
  ]);
}

function shorts(...values: number[]): Buffer {
  const data = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) data.writeUInt16LE(value, index * 2);
  return data;
}

function pixelData(pixels: readonly number[]): Buffer {
  const codes = pixels.flatMap((pixel, index) => (index % RUN === 0 ? [CLEAR, pixel] : [pixel]));
  const bytes: number[] = [];
  let [held, bits] = [0, 0];
  for (const code of [...codes, END]) {
    held |= code << bits;
    for (bits += BITS + 1; bits >= 8; bits -= 8, held >>>= 8) bytes.push(held & 255);
  }
  if (bits > 0) bytes.push(held);
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.slice(at, at + 255);
    blocks.push(Buffer.from([block.length, ...block]));
  }
  return Buffer.concat([Buffer.from([BITS]), ...blocks, Buffer.from([0])]);
}

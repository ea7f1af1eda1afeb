import sharp from 'sharp';
import { photo } from './processor-harness.ts';

/** Repeats bytes up to a length. */
function repeated(unit: Buffer, bytes: number): Buffer {
  return Buffer.alloc(Math.floor(bytes / unit.length) * unit.length, unit);
}

const segment = (marker: number, text = '') => {
  const head = Buffer.from([0xff, marker, 0, text.length + 2]);
  return Buffer.concat([head, Buffer.from(text, 'latin1')]);
};
/** A private chunk without content, with its checksum. */
const PNG_CHUNK = Buffer.from('0000000061624364fd9ea5ec', 'hex');

/** Makes pictures that programs can show, each with `bytes` of empty parts: segments, chunks, blocks or boxes. */
export async function picturesOfManyParts(bytes: number): Promise<[name: string, file: Buffer][]> {
  const image = sharp(photo('photo-brushes.jpg')).resize(64);
  const [jpeg, png, webp, avif, gif] = await Promise.all([
    image.clone().jpeg().toBuffer(),
    image.clone().png().toBuffer(),
    image.clone().webp().toBuffer(),
    image.clone().avif().toBuffer(),
    image.clone().gif().toBuffer(),
  ]);
  const within = (file: Buffer, at: number, unit: Buffer) =>
    Buffer.concat([file.subarray(0, at), repeated(unit, bytes), file.subarray(at)]);
  const long = within(webp, webp.length, Buffer.from('C2PA\0\0\0\0', 'latin1'));
  long.writeUInt32LE(long.length - 8, 4);
  return [
    ['application.jpg', within(jpeg, 2, segment(0xe1))],
    ['jumbf.jpg', within(jpeg, 2, segment(0xeb, 'JP'))],
    ['chunks.png', within(png, 33, PNG_CHUNK)],
    ['chunks.webp', long],
    ['boxes.avif', within(avif, avif.length, Buffer.from('\0\0\0\x08free', 'latin1'))],
    ['blocks.gif', within(gif, gif.length - 1, Buffer.from('21f9040000000000', 'hex'))],
  ];
}

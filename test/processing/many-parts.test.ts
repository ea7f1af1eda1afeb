import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasFewParts } from '../../server/processing/worker/containers/count-parts.ts';
import { hasFewExifPointers } from '../../server/processing/worker/containers/exif-pointers.ts';
import { readSuperboxes } from '../../server/processing/worker/containers/jumbf.ts';
import { furtherImages, readGainMap } from '../../server/processing/worker/hdr/gain-map.ts';
import { probeOf } from '../support/turn.ts';
import { picturesOfManyParts } from './many-parts.ts';
import { type Harness, nasty, photo, startHarness } from './processor-harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const MANY_BYTES = 1_000_000;

it('a picture with a hundred thousand empty parts is refused, whatever its format', async () => {
  for (const [name, file] of await picturesOfManyParts(MANY_BYTES)) {
    const refused = await harness.processor.probe(probeOf(await harness.store(name, file))).catch((error) => error);
    expect({ name, code: refused.code, message: refused.message }).toEqual({
      ...{ name, code: 'invalid_image', message: expect.stringContaining('more than 65536 segments') },
    });
  }
  expect(harness.warnings).toEqual([]);
});

it('a picture with ten thousand of them is none of these', async () => {
  for (const [name, file] of await picturesOfManyParts(80_000)) {
    await expect(harness.processor.probe(probeOf(await harness.store(name, file))), name).resolves.toBeTruthy();
  }
});

it('credentials of a GIF in millions of sub-blocks of a byte take no more memory than the file', async () => {
  const [, file = Buffer.alloc(0)] = (await picturesOfManyParts(0)).find(([name]) => name.endsWith('.gif')) ?? [];
  const extension = Buffer.from('\x21\xff\x0bC2PA_GIF\x01\0\0', 'latin1');
  const bytes = Buffer.alloc(45_000_000, Buffer.from('\x01A', 'latin1'));
  const long = Buffer.concat([file.subarray(0, -1), extension, bytes, Buffer.from([0, 0x3b])]);
  const probed = harness.processor.probe(probeOf(await harness.store('sub-blocks.gif', long)));
  await expect(probed).resolves.toMatchObject({ carries: ['content_credentials'] });
  expect(harness.warnings).toEqual([]);
});

it('superboxes of credentials are read up to a number of boxes of all together', () => {
  const box = (type: string, ...content: Buffer[]) => {
    const data = Buffer.concat(content);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(data.length + 8);
    head.write(type, 4);
    return Buffer.concat([head, data]);
  };
  const description = box('jumd', Buffer.alloc(16), Buffer.from('\x03c2pa\0', 'latin1'));
  const superbox = (count: number) => box('jumb', description, Buffer.alloc(8 * count, box('free')));
  const nested = (times: number) => box('jumb', description, ...Array(times).fill(superbox(10_000)));
  expect(readSuperboxes(nested(3))[0]?.children).toHaveLength(3);
  expect(() => readSuperboxes(nested(7))).toThrow(RangeError);
});

it('EXIF that leads to itself thousands of times is refused at once, in each container', async () => {
  const count = 5000;
  const directory = Buffer.alloc(2 + count * 12 + 4);
  directory.writeUInt16LE(count);
  for (let at = 2; at < 2 + count * 12; at += 12) directory.write('\x69\x87\x04\0\x01\0\0\0\x08', at, 'latin1');
  const exif = Buffer.concat([Buffer.from('II*\0\x08\0\0\0', 'latin1'), directory]);
  const jpeg = await sharp(photo('photo-brushes.jpg')).resize(64).jpeg().toBuffer();
  const head = Buffer.from('\xff\xe1\0\0Exif\0\0', 'latin1');
  head.writeUInt16BE(exif.length + 8, 2);
  const files: [string, Buffer][] = [
    ['exif.jpg', Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)])],
    ['exif.webp', await sharp(jpeg).webp().toBuffer()],
  ];
  const [, webp = Buffer.alloc(0)] = files[1] ?? [];
  const chunk = Buffer.from('EXIF\0\0\0\0', 'latin1');
  chunk.writeUInt32LE(exif.length, 4);
  files[1] = ['exif.webp', Buffer.concat([webp, chunk, exif])];
  for (const [name, file] of files) {
    const refused = await harness.processor.probe(probeOf(await harness.store(name, file))).catch((error) => error);
    const message = expect.stringContaining('refers to its own directories');
    expect({ name, code: refused.code, message: refused.message }).toEqual({ name, code: 'invalid_image', message });
  }
  expect(hasFewExifPointers(readFileSync(nasty('jpeg-exif-orientation-6.jpg')))).toBe(true);
  // A file full of headers costs no more than its length.
  expect(hasFewExifPointers(Buffer.alloc(20_000_000, Buffer.from('II*\0\x08\0\0\0\x01\0', 'latin1')))).toBe(false);
});

it('files that are cut off anywhere are left to those who read them', async () => {
  for (const [name, file] of await picturesOfManyParts(100)) {
    const format = (name.split('.').at(-1) ?? '').replace('jpg', 'jpeg') as 'jpeg';
    for (let length = 0; length < file.length; length += 7) {
      expect(hasFewParts(format, file.subarray(0, length))).toBe(true);
    }
  }
});

/** A JPEG whose list of images names `count` times the bytes from `start` on. */
function listing(count: number, rest: Buffer): Buffer {
  const entries = Buffer.alloc(16 * 16);
  const directory = Buffer.alloc(2 + count * 12 + 4);
  directory.writeUInt16BE(count);
  for (let index = 0; index < count; index += 1) {
    const at = 2 + index * 12;
    directory.writeUInt16BE(0xb002, at);
    directory.writeUInt32BE(256, at + 4);
    directory.writeUInt32BE(8 + directory.length, at + 8);
  }
  const start = 8 + directory.length + entries.length;
  for (let image = 0; image < 16; image += 1) {
    entries.writeUInt32BE(0x7f_ff_ff_ff, image * 16 + 4);
    entries.writeUInt32BE(start, image * 16 + 8);
  }
  const list = Buffer.concat([Buffer.from('MPF\0MM\0*\0\0\0\x08', 'latin1'), directory, entries]);
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xe2, 0, 0]);
  head.writeUInt16BE(list.length + 2, 4);
  return Buffer.concat([head, list, rest]);
}

it('a list of images that names the same bytes 240 times is read once, and no map is looked for in millions of segments', () => {
  const segments = Buffer.alloc(4 * 1_000_000, Buffer.from([0xff, 0xe3, 0, 2]));
  const file = listing(16, Buffer.concat([Buffer.from([0xff, 0xd8]), segments]));
  expect(furtherImages(file)).toHaveLength(1);
  expect(readGainMap(file)).toBeNull();
});

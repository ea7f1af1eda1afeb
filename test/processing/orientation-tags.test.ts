import { readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChromiumEye, openChromiumEye } from '../judge/chromium-eye.ts';
import { distanceOf } from '../judge/picture.ts';
import { sharedBrowser } from '../support/browser.ts';
import { fixture, type Harness, only, startHarness } from './processor-harness.ts';

let harness: Harness;
let eye: ChromiumEye;
beforeAll(async () => {
  harness = await startHarness({ WORKERS: 1, QUALITY_SEARCH: 'off' });
  eye = await openChromiumEye(await sharedBrowser());
});
afterAll(async () => {
  await eye.close();
  await harness.close();
});

const [BYTE, SHORT, LONG] = [1, 3, 4];
const FORMATS = ['jpeg', 'png', 'webp'] as const;
const TAGS = FORMATS.flatMap(
  (format) =>
    [
      ['BYTE', BYTE, 1],
      ['SHORT', SHORT, 1],
      ['LONG', LONG, 1],
      ['SHORT, two values', SHORT, 2],
    ].map(([name, type, count]) => [format, name, type, count] as [typeof format, string, number, number]),
  // Of this one Chromium turns no file, whatever the type; we do, as we did.
).filter(([format, name]) => format !== 'webp' || name !== 'SHORT');

/** Makes a picture whose orientation, a quarter turn, is stored with a type and a number of values. */
async function withTag(format: (typeof FORMATS)[number], type: number, count: number): Promise<Buffer> {
  const data = Buffer.from(
    [...Array(96 * 64 * 3).keys()].map((at) => (at % 288 < 144 ? 220 : 40) - (at > 9216 ? 30 : 0)),
  );
  const image = sharp(data, { raw: { width: 96, height: 64, channels: 3 } }).withMetadata({ orientation: 6 });
  const file = await image[format]({ quality: 100 }).toBuffer();
  // Tag, type, number and value, of either order of bytes.
  for (const [little, tag] of [
    [true, Buffer.from([0x12, 1, 3, 0])],
    [false, Buffer.from([1, 0x12, 0, 3])],
  ] as const) {
    const at = file.indexOf(tag);
    if (at < 0) continue;
    file.writeUInt16BE(0, at + 2);
    file[at + (little ? 2 : 3)] = type;
    file[at + (little ? 4 : 7)] = count;
    file.fill(0, at + 8, at + 12);
    file[at + (little ? 8 : type === LONG ? 11 : type === BYTE ? 8 : 9)] = 6;
    if (format === 'png') return withChecksum(file);
    return file;
  }
  throw new Error('expected an orientation');
}

function withChecksum(png: Buffer): Buffer {
  const at = png.indexOf('eXIf');
  const end = at + 4 + png.readUInt32BE(at - 4);
  png.writeUInt32BE(crc32(png.subarray(at, end)), end);
  return png;
}

describe('an orientation', () => {
  it.each(TAGS)('of a %s stored as %s turns the image where Chromium does', async (format, _name, type, count) => {
    const bytes = await withTag(format, type, count);
    const source = await harness.store(`turned.${format}`, bytes);
    const wanted = await eye.see(bytes, `image/${format}`);
    const { width, height } = await harness.facts(source);
    expect({ width, height }).toEqual({ width: wanted.width, height: wanted.height });
    for (const output of ['png', 'original'] as const) {
      const made = only(await harness.render(source, { format: output, preset: 'maximum' }));
      const shown = await eye.see(await readFile(made.file), `image/${output === 'png' ? 'png' : format}`);
      const distance = distanceOf(wanted, shown);
      expect([output, distance, distance.mean < 3]).toEqual([output, distance, true]);
    }
  });

  it('of a file from the field is ignored as in Chromium', async () => {
    const file = fixture('field/o-long6.jpg');
    const made = only(await harness.render(file, { format: 'webp' }));
    expect(made).toMatchObject({ width: 96, height: 64 });
    expect(await eye.see(await readFile(file), 'image/jpeg')).toMatchObject({ width: 96, height: 64 });
  });
});

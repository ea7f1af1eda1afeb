import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_INPUT_FORMATS } from '#contract/constants';
import { blankTiff } from '../../server/processing/worker/containers/tiff.ts';
import { probeImage, tiffPages } from '../../server/processing/worker/probe-image.ts';
import { writeTiff } from '../judge/tiff-file.ts';
import { expectSteady } from '../support/cpu-time.ts';
import { makeTiff } from './made-tiff.ts';

const pixelsOf = async (file: Buffer) => [...(await sharp(file).toColourspace('b-w').raw().toBuffer())];
const GREY = [10, 90, 170, 250];
const ASCII = 2;
const LONG = 4;

describe('blankTiff', () => {
  it.each([false, true])('keeps only the pixels and the artist (BigTIFF: %s)', async (big) => {
    const { file } = makeTiff(
      [
        { tag: 270, type: ASCII, value: 'SecretText\0' },
        { tag: 315, type: ASCII, value: 'Ada Lovelace\0' },
      ],
      { big },
    );
    // Unreferenced data is removed.
    const clean = blankTiff(Buffer.concat([file, Buffer.from('SecretTail')]), true);
    expect(clean?.includes('Secret')).toBe(false);
    expect(clean?.includes('Ada Lovelace')).toBe(true);
    expect(await pixelsOf(clean ?? Buffer.alloc(0))).toEqual(GREY);
    expect(blankTiff(file, false)?.includes('Ada')).toBe(false);
  });

  it('empties the directories that SubIFDs and EXIF point to', async () => {
    const secret = Buffer.concat([
      Buffer.from('\x01\0\x0e\x01\x02\0\x20\0\0\0', 'latin1'),
      Buffer.from('SecretThumbnail'),
    ]);
    const { file } = makeTiff([
      { tag: 330, type: LONG, value: 200 },
      { tag: 34665, type: LONG, value: 200 },
      { tag: 65000, type: 1, value: secret },
    ]);
    for (const carrier of [file, Buffer.concat([file, secret])]) {
      const clean = blankTiff(carrier, true);
      expect(clean?.includes('Secret')).toBe(false);
      expect(await pixelsOf(clean ?? carrier)).toEqual(GREY);
    }
  });

  it('returns null for values outside the file or inside the pixels', () => {
    const secret = { tag: 270, type: ASCII, value: 'SecretText\0' };
    expect(blankTiff(makeTiff([{ ...secret, count: 0x7fffffff }]).file, true)).toBeNull();
    const { pixelsAt } = makeTiff([secret]);
    expect(blankTiff(makeTiff([{ ...secret, at: pixelsAt - 8 }]).file, true)).toBeNull();
    expect(blankTiff(makeTiff([{ ...secret, at: 4 }]).file, true)).toBeNull();
    expect(blankTiff(makeTiff([secret]).file, true)).not.toBeNull();
  });

  it('is fast for many entries that refer to the same bytes', () => {
    expectSteady((share) => {
      const entries = 60_000 * share;
      const file = Buffer.alloc(4_000_000);
      file.write('II*\0\x08\0\0\0', 'latin1');
      file.writeUInt16LE(entries, 8);
      for (let at = 10; at < 10 + entries * 12; at += 12) {
        file.set([0xe8, 0xfd, 1, 0], at);
        file.writeUInt32LE(3_000_000, at + 4);
        file.writeUInt32LE(900_000, at + 8);
      }
      expect(blankTiff(file, true)).toBeNull();
    });
  });
});

describe('tiffPages', () => {
  const limits = { maxPixels: 100, maxFrames: 1, maxAvifPixels: 100, formats: DEFAULT_INPUT_FORMATS };
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'imagewright-tiff-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Writes a TIFF of empty directories, one after the other; the last one points to `last`. */
  async function chain(directories: number, last = 0): Promise<string> {
    const file = Buffer.alloc(8 + directories * 6);
    file.write('II*\0\x08\0\0\0', 'latin1');
    for (let index = 0; index < directories; index += 1)
      file.writeUInt32LE(index + 1 < directories ? 8 + (index + 1) * 6 : last, 8 + index * 6 + 2);
    const path = join(folder, `${directories}-${last}.tif`);
    await writeFile(path, file);
    return path;
  }

  it('counts the directories up to 1,000 and refuses more', async () => {
    expect(tiffPages(await chain(2))).toBe(2);
    expect(tiffPages(await chain(1000))).toBe(1000);
    const path = await chain(1001);
    expect(() => tiffPages(path)).toThrow(
      expect.objectContaining({ code: 'too_many_frames', details: expect.objectContaining({ limit: 1000 }) }),
    );
  });

  it('refuses a circle of directories, and one outside the file', async () => {
    const circle = await chain(3, 8);
    expect(() => tiffPages(circle)).toThrow(expect.objectContaining({ code: 'too_many_frames' }));
    const outside = await chain(3, 9999);
    expect(() => tiffPages(outside)).toThrow(expect.objectContaining({ code: 'invalid_image' }));
  });

  it('refuses the colours that the library cannot read, and says so', async () => {
    const path = join(folder, 'lab.tif');
    const size = { width: 2, height: 2, samplesPerPixel: 3 };
    await writeFile(path, writeTiff({ ...size, kind: 'lab', bits: 8, samples: Array(12).fill(128) }));
    await expect(probeImage({ file: path, limits })).rejects.toMatchObject({
      code: 'unsupported_image',
      message: expect.stringMatching(/CIELAB.*save the image as RGB/),
    });
  });

  const picture = { width: 8, height: 4, kind: 'rgb', bits: 8, samplesPerPixel: 3, samples: [] } as const;
  const grey = { ...picture, kind: 'grey', samplesPerPixel: 1 } as const;

  it.each([
    ['tiff-samples', 'integers of 32 bits', { ...picture, bits: 32 }],
    ['tiff-samples', 'signed integers', { ...grey, bits: 16, sampleFormat: 2 }],
    ['tiff-samples', 'grey of floating point', { ...grey, bits: 32, sampleFormat: 3 }],
    ['tiff-samples', '12 bits', { ...grey, bits: 12 }],
    ['tiff-channels', 'two channels beside the colours', { ...picture, samplesPerPixel: 5, extraSample: 0 }],
    ['tiff-channels', 'two channels beside grey', { ...grey, samplesPerPixel: 3, extraSample: 0 }],
    ['tiff-channels', 'three channels beside the colours', { ...picture, samplesPerPixel: 6, extraSample: 0 }],
    ['tiff-compression', 'Zstandard', { ...picture, compression: 50_000 }],
  ] as const)('refuses as %s what would come out as other pixels or not at all: %s', async (detected, name, made) => {
    const path = join(folder, `${name}.tif`);
    await writeFile(path, writeTiff(made));
    await expect(probeImage({ file: path, limits })).rejects.toMatchObject({
      code: 'unsupported_image',
      details: { detected },
    });
  });

  it.each([
    ['floating point of red, green and blue', { ...picture, bits: 32, sampleFormat: 3 }],
    ['one channel beside the colours', { ...picture, samplesPerPixel: 4, extraSample: 0 }],
    ['CIELAB of 16 bits', { ...picture, kind: 'lab', bits: 16 }],
  ] as const)('reads %s', async (name, made) => {
    const path = join(folder, `${name}.tif`);
    await writeFile(path, writeTiff(made));
    await expect(probeImage({ file: path, limits })).resolves.toMatchObject({ format: 'tiff', width: 8 });
  });

  it.each([false, true])('counts the one page of a picture (BigTIFF: %s)', async (big) => {
    const path = join(folder, `${big}.tif`);
    await writeFile(path, makeTiff([], { big }).file);
    expect(tiffPages(path)).toBe(1);
  });
});

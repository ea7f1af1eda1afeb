import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { blankTiff } from '../../server/processing/worker/containers/tiff.ts';
import { cpuTimeOf } from '../support/cpu-time.ts';
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
    for (const entries of [4000, 60_000]) {
      const file = Buffer.alloc(4_000_000);
      file.write('II*\0\x08\0\0\0', 'latin1');
      file.writeUInt16LE(entries, 8);
      for (let at = 10; at < 10 + entries * 12; at += 12) {
        file.set([0xe8, 0xfd, 1, 0], at);
        file.writeUInt32LE(3_000_000, at + 4);
        file.writeUInt32LE(900_000, at + 8);
      }
      expect(cpuTimeOf(() => expect(blankTiff(file, true)).toBeNull())).toBeLessThan(500);
    }
  });
});

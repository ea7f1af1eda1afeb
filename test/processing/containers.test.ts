import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { rewriteContainer } from '../../server/processing/worker/containers/rewrite.ts';
import { nasty } from './processor-harness.ts';

const SAMPLES = [
  ['jpeg', 'jpeg-exif-orientation-6.jpg'],
  ['jpeg', 'jpeg-cmyk-no-profile.jpg'],
  ['png', 'png-1bit.png'],
  ['png', 'png-1x1.png'],
  ['webp', 'animated.webp'],
  ['gif', 'animated.gif'],
  ['avif', 'avif-input.avif'],
  ['tiff', 'tiff-float32.tif'],
] as const;
const NOTHING = { exif: null, xmp: null };

async function pixelsOf(file: Buffer): Promise<Buffer | null> {
  return sharp(file, { failOn: 'error', limitInputPixels: 5_000_000 })
    .raw()
    .toBuffer()
    .catch(() => null);
}

describe.each(SAMPLES)('rewriteContainer of a %s (%s)', (format, name) => {
  const file = readFileSync(nasty(name));

  it('never grows the file and is stable', () => {
    const once = rewriteContainer(format, file, NOTHING, false);
    expect(once).not.toBeNull();
    expect(once?.length).toBeLessThanOrEqual(file.length);
    expect(rewriteContainer(format, once ?? file, NOTHING, false)?.equals(once ?? file)).toBe(true);
  });

  it('returns null or a file for every truncation, and never throws', () => {
    const step = Math.max(1, Math.floor(file.length / 300));
    for (let length = 0; length < file.length; length += step) {
      const cut = file.subarray(0, length);
      expect(() => rewriteContainer(format, cut, NOTHING, false)).not.toThrow();
    }
  });

  it('survives wrong lengths, and accepted files still decode if the damaged one does', async () => {
    const accepted: [Buffer, Buffer][] = [];
    for (let at = 0; at < Math.min(file.length, 400); at += 1) {
      for (const value of [0x00, 0x7f, 0xff]) {
        const broken = Buffer.from(file);
        broken[at] = value;
        const result = rewriteContainer(format, broken, NOTHING, false);
        expect(result?.length ?? 0).toBeLessThanOrEqual(file.length);
        if (result) accepted.push([broken, result]);
      }
    }
    // The values include the original bytes.
    expect(accepted.length).toBeGreaterThan(0);
    let decoded = 0;
    for (const [broken, result] of accepted.slice(0, 40)) {
      const before = await pixelsOf(broken);
      if (!before) continue;
      expect((await pixelsOf(result))?.equals(before)).toBe(true);
      decoded += 1;
    }
    expect(decoded).toBeGreaterThan(0);
  });
});

describe('rewriteContainer', () => {
  it('removes data after the end', () => {
    for (const [format, name] of SAMPLES.slice(0, 6)) {
      const file = readFileSync(nasty(name));
      const clean = rewriteContainer(format, file, NOTHING, false);
      const tailed = rewriteContainer(format, Buffer.concat([file, Buffer.alloc(5000, 'PK')]), NOTHING, false);
      expect(clean && tailed?.equals(clean)).toBe(true);
    }
  });
});

describe('rewriteJpeg', () => {
  it('drops the thumbnail in the JFIF header, which may show what was cropped away', async () => {
    const bare = await sharp(nasty('jpeg-grey.jpg')).resize(64).jpeg().toBuffer();
    // 4 x 4 pixels of three bytes.
    const thumbnail = Buffer.from('SecretThumb!'.repeat(4), 'latin1');
    const fields = 'JFIF\0\x01\x01\x01\0\x48\0\x48';
    const jfif = Buffer.concat([Buffer.from(`\xff\xe0\0\x40${fields}\x04\x04`, 'latin1'), thumbnail]);
    const jfxx = Buffer.from('\xff\xe0\0\x11JFXX\0\x13SecretJfx', 'latin1');
    const laden = Buffer.concat([bare.subarray(0, 2), jfif, jfxx, bare.subarray(2)]);
    expect(await sharp(laden).metadata()).toMatchObject({ width: 64, density: 72 });
    const header = Buffer.from(`\xff\xe0\0\x10${fields}\0\0`, 'latin1');
    const plain = Buffer.concat([bare.subarray(0, 2), header, bare.subarray(2)]);
    const clean = rewriteContainer('jpeg', laden, NOTHING, false);
    expect(clean?.includes('Secret')).toBe(false);
    expect(clean?.equals(rewriteContainer('jpeg', plain, NOTHING, false) ?? laden)).toBe(true);
  });
});

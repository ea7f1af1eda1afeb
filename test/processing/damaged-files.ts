import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { rewriteContainer } from '../../server/processing/worker/containers/rewrite.ts';
import { nasty } from './processor-harness.ts';

/** Formats, each with a file of it. */
export const SAMPLES = [
  ['jpeg', 'jpeg-exif-orientation-6.jpg'],
  ['jpeg', 'jpeg-cmyk-no-profile.jpg'],
  ['png', 'png-1bit.png'],
  ['png', 'png-1x1.png'],
  ['webp', 'animated.webp'],
  ['gif', 'animated.gif'],
  ['avif', 'avif-input.avif'],
  ['tiff', 'tiff-float32.tif'],
] as const;
/** No metadata at all. */
export const NOTHING = { exif: null, xmp: null };

async function pixelsOf(file: Buffer): Promise<Buffer | null> {
  return sharp(file, { failOn: 'error', limitInputPixels: 5_000_000 })
    .raw()
    .toBuffer()
    .catch(() => null);
}

/** Defines tests with damaged files of each format: each `step`th byte is wrong, and `decodes` accepted files are decoded. */
export function testDamagedFiles({ step, decodes }: { step: number; decodes: number }): void {
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
      for (let at = 0; at < Math.min(file.length, 400); at += step) {
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
      const every = Math.ceil(accepted.length / decodes);
      for (const [broken, result] of accepted.filter((_, index) => index % every === 0)) {
        const before = await pixelsOf(broken);
        if (!before) continue;
        expect((await pixelsOf(result))?.equals(before)).toBe(true);
        decoded += 1;
      }
      expect(decoded).toBeGreaterThan(0);
    });
  });
}

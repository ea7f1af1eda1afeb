import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { rewriteContainer } from '../../server/processing/worker/containers/rewrite.ts';
import { NOTHING, SAMPLES, testDamagedFiles } from './damaged-files.ts';
import { nasty } from './processor-harness.ts';

testDamagedFiles({ step: 3, decodes: 14 });

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

import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageResult } from '#contract';
import { distanceOf } from '../judge/picture.ts';
import { bytesOf, exportAll, type FieldRig, openFieldRig } from './field-files.ts';

let rig: FieldRig;
beforeAll(async () => {
  rig = await openFieldRig();
});
afterAll(() => rig.close());

describe('files from the field', () => {
  it('of flat colours and exact formats have the score of unchanged pixels, which are right', async () => {
    const exported = await exportAll(
      rig,
      await rig.test.api.upload(['field/rgb16-srgb.png', 'field/gama-linear.png']),
      'png',
    );
    for (const { result } of exported.values()) expect(result.quality.score).toBe(100);
  });
});

describe('an animation with frames that are equal', () => {
  const files = ['d-real.gif', 'd-all.gif', 'd-control.gif', 'w-dup.webp', 'g-ui.gif', 'g-small-first.gif'];

  it('keeps its duration and repetitions', async () => {
    const uploaded = await rig.test.api.upload(files.map((file) => `field/${file}`));
    for (const [format, preset] of [
      ['webp', 'low'],
      ['original', 'low'],
    ] as const) {
      for (const [file, { files }] of await exportAll(rig, uploaded, format, preset)) {
        const source = await sharp(await bytesOf(file), { animated: true }).metadata();
        for (const [index, bytes] of files.entries()) {
          const read = await sharp(bytes, { animated: true }).metadata();
          const note = `${file} ${format} ${preset} ${index}`;
          expect([note, sum(read.delay ?? []), read.loop]).toEqual([note, sum(source.delay ?? []), source.loop]);
        }
      }
    }
  });

  it('is scored by what it shows at the same time, and shows its first frame', async () => {
    const exported = await exportAll(
      rig,
      await rig.test.api.upload(files.map((file) => `field/${file}`)),
      'webp',
      'high',
    );
    for (const [file, { result, files }] of exported) {
      expect([file, result.quality.score, (result.quality.score ?? 0) > 70]).toEqual([
        file,
        result.quality.score,
        true,
      ]);
      const shown = await rig.eye.see(files[0] as Buffer, 'image/webp');
      const upload = await rig.eye.see(
        await bytesOf(file),
        result.original.format === 'gif' ? 'image/gif' : 'image/webp',
      );
      const distance = distanceOf(upload, shown);
      expect([file, distance, distance.mean < 4]).toEqual([file, distance, true]);
    }
  });

  it('of flat colours is as small as lossless WebP at high presets', async () => {
    const lossless = await sharp(await bytesOf('g-ui.gif'), { animated: true })
      .webp({ lossless: true })
      .toBuffer();
    for (const preset of ['maximum', 'high'] as const) {
      const exported = await exportAll(rig, await rig.test.api.upload(['field/g-ui.gif']), 'webp', preset);
      expect(exported.get('g-ui.gif')?.files[0]?.length).toBeLessThanOrEqual(1.1 * lossless.length);
    }
  });
});

describe('a file that cannot be shown rightly', () => {
  it.each(['a-anim.avif', 't-ycbcr.tif'])('%s is refused as unsupported', async (file) => {
    await expect(rig.test.api.upload([`field/${file}`])).rejects.toThrow(/^415 .*unsupported_image/);
  });

  it('since it lacks pixels stays refused', async () => {
    const fullBytes = await bytesOf('j-noeoi.jpg');
    const cut = [3, 20, 400].map((missing) => ({
      name: `${missing}.jpg`,
      bytes: fullBytes.subarray(0, fullBytes.length - missing),
    }));
    const { last } = await rig.test.api.run('export', await rig.test.api.upload(cut), { format: 'webp' });
    expect((last.data.results as ImageResult[]).map(({ error }) => error?.code)).toEqual(
      cut.map(() => 'invalid_image'),
    );
  });
});

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

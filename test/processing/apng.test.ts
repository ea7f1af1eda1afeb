import { readFile } from 'node:fs/promises';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChromiumEye, openChromiumEye } from '../judge/chromium-eye.ts';
import { distanceOf } from '../judge/picture.ts';
import { gAMA, type PngChunk, writePng } from '../judge/png-file.ts';
import { sharedBrowser } from '../support/browser.ts';
import { fixture, type Harness, nasty, only, startHarness } from './processor-harness.ts';

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

const SIZE = 24;

/** A frame to write: its area, how it is disposed of and blended, its colour. */
interface Drawn {
  area: [left: number, top: number, width: number, height: number];
  dispose: 0 | 1 | 2;
  blend: 0 | 1;
  rgba: [number, number, number, number];
  delay?: number;
}

/** Writes an animated PNG by its specification alone. @param hidden true: the picture of the file, red, is no frame */
function animatedPng(frames: Drawn[], { hidden = false, chunks = [] as PngChunk[], loops = 0 } = {}): Buffer {
  const solid = (width: number, height: number, rgba: number[]) => Array.from({ length: width * height }, () => rgba);
  let sequence = 0;
  const control = ({ area: [left, top, width, height], dispose, blend, delay = 100 }: Drawn): PngChunk => {
    const data = Buffer.alloc(26);
    for (const [index, value] of [sequence++, width, height, left, top].entries()) data.writeUInt32BE(value, index * 4);
    data.writeUInt16BE(delay, 20);
    data.writeUInt16BE(1000, 22);
    data.set([dispose, blend], 24);
    return { type: 'fcTL', data };
  };
  const pixels = ({ area: [, , width, height], rgba }: Drawn): PngChunk => {
    const rows = Array.from({ length: height }, () => [0, ...solid(width, 1, rgba).flat()]).flat();
    const number = Buffer.alloc(4);
    number.writeUInt32BE(sequence++);
    return { type: 'fdAT', data: Buffer.concat([number, deflateSync(Buffer.from(rows))]) };
  };
  const declared = Buffer.alloc(8);
  declared.writeUInt32BE(frames.length, 0);
  declared.writeUInt32BE(loops, 4);
  const [first, ...others] = frames as [Drawn, ...Drawn[]];
  const before = hidden ? [] : [control(first)];
  const tail = (hidden ? frames : others).flatMap((frame) => [control(frame), pixels(frame)]);
  return writePng({
    ...{ width: SIZE, height: SIZE, type: 'rgba', depth: 8 },
    samples: solid(SIZE, SIZE, hidden ? [255, 0, 0, 255] : first.rgba).flat(),
    chunks: [...chunks, { type: 'acTL', data: declared }, ...before],
    tail,
  });
}

const WHOLE: Drawn['area'] = [0, 0, SIZE, SIZE];
const frame = (
  area: Drawn['area'],
  rgba: Drawn['rgba'],
  dispose: Drawn['dispose'] = 0,
  blend: Drawn['blend'] = 0,
  delay = 100,
): Drawn => ({ area, rgba, dispose, blend, delay });

const FILES: Record<string, Buffer> = {
  'of all disposals and blends': animatedPng([
    frame(WHOLE, [200, 30, 30, 255]),
    frame([4, 4, 12, 12], [30, 200, 30, 128], 0, 1, 250),
    frame([8, 8, 8, 8], [30, 30, 200, 255], 2, 0, 40),
    frame([0, 0, 8, 24], [250, 250, 20, 90], 1, 1),
    frame([12, 0, 12, 12], [0, 0, 0, 0], 0, 0),
    frame([2, 2, 20, 4], [90, 90, 90, 200], 2, 1),
  ]),
  'with a clear first frame that is disposed of to what was before': animatedPng([
    frame(WHOLE, [10, 120, 240, 160], 2),
    frame([6, 6, 6, 6], [240, 120, 10, 255], 0, 1),
    frame([0, 12, 24, 12], [40, 40, 40, 120], 1, 1),
    frame([20, 20, 4, 4], [250, 0, 0, 255], 0, 0),
  ]),
  'with a hidden picture and a small first frame': animatedPng(
    [frame([4, 4, 8, 8], [30, 200, 30, 255]), frame([10, 10, 12, 12], [30, 30, 200, 255])],
    { hidden: true },
  ),
  'of another gamma': animatedPng([frame(WHOLE, [120, 60, 200, 255]), frame([0, 0, 12, 12], [60, 200, 120, 255])], {
    chunks: [gAMA(1)],
  }),
};

describe('an animated PNG', () => {
  it.each(Object.keys(FILES))('%s moves as WebP, with the frames that Chromium shows of the upload', async (name) => {
    const bytes = FILES[name] as Buffer;
    const source = await harness.store('moving.png', bytes);
    const made = only(await harness.render(source, { format: 'webp', preset: 'maximum' }));
    expect(made.warnings.map(({ code }) => code)).not.toContain('animation_dropped');
    const wanted = await eye.frames(bytes, 'image/png');
    const shown = await eye.frames(await readFile(made.file), 'image/webp');
    expect(wanted.length).toBeGreaterThan(1);
    expect(shown.map(({ duration }) => duration)).toEqual(wanted.map(({ duration }) => duration));
    for (const [index, picture] of shown.entries()) {
      const distance = distanceOf(wanted[index] as (typeof wanted)[number], picture);
      expect([name, index, distance, distance.worst <= 6]).toEqual([name, index, distance, true]);
    }
  });

  it('moves in widths, and repeats as often as the upload', async () => {
    const bytes = animatedPng([frame(WHOLE, [9, 99, 200, 255]), frame(WHOLE, [200, 99, 9, 255])], { loops: 3 });
    const [full, small] = await harness.render(await harness.store('m.png', bytes), { format: 'webp', widths: [12] });
    for (const { file } of [full, small].flatMap((one) => one ?? [])) {
      const webp = await readFile(file);
      expect(webp.readUInt16LE(webp.indexOf('ANIM') + 12)).toBe(3);
      expect(await eye.frames(webp, 'image/webp')).toHaveLength(2);
    }
  });

  it('with a hidden picture shows its first frame wherever it is a still', async () => {
    const file = fixture('field/p-apng-hidden.png');
    const [first] = await eye.frames(await readFile(file), 'image/png');
    for (const format of ['avif', 'jpeg', 'png'] as const) {
      const made = only(await harness.render(file, { format, preset: 'maximum' }));
      expect(made.warnings.map(({ code }) => code)).toContain('animation_dropped');
      const shown = await eye.see(await readFile(made.file), `image/${format}`);
      const distance = distanceOf(first as NonNullable<typeof first>, shown);
      expect([format, distance, distance.worst <= 6]).toEqual([format, distance, true]);
    }
  });

  it('of one frame with a hidden picture is what Chromium shows of it', async () => {
    const bytes = animatedPng([frame(WHOLE, [30, 200, 30, 255])], { hidden: true });
    const file = await harness.store('one.png', bytes);
    expect((await harness.facts(file)).pages).toBe(1);
    const made = only(await harness.render(file, { format: 'webp', preset: 'maximum' }));
    const distance = distanceOf(
      await eye.see(bytes, 'image/png'),
      await eye.see(await readFile(made.file), 'image/webp'),
    );
    expect([distance, distance.worst <= 6]).toEqual([distance, true]);
  });

  it('is limited as other animations, and is told from one that is cut off or lies', async () => {
    const strict = await startHarness({ MAX_FRAMES: 7, WORKERS: 1 });
    await expect(strict.facts(nasty('animated-apng.png'))).rejects.toMatchObject({ code: 'too_many_frames' });
    await strict.close();
    const bytes = FILES['of all disposals and blends'] as Buffer;
    for (let length = 60; length < bytes.length; length += 31) {
      const file = await harness.store('cut.png', bytes.subarray(0, length));
      await harness.render(file, { format: 'webp' }).catch((error: { code?: string }) => {
        expect(error.code).toBe('invalid_image');
      });
    }
    const lying = Buffer.from(bytes);
    lying.writeUInt32BE(200, lying.indexOf('acTL') + 4);
    const made = only(await harness.render(await harness.store('lie.png', lying), { format: 'webp' }));
    expect((await eye.frames(await readFile(made.file), 'image/webp')).length).toBe(6);
  });
});

import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OutputFormat } from '#contract';
import { fixture, type Harness, nasty, only, photo, startHarness } from './processor-harness.ts';

describe("a variant's bytes", () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness.close());

  async function hashes(file: string, format: OutputFormat, variants: string[]): Promise<Record<string, string>> {
    const specs = variants.map((name) => (name === 'full' ? { name } : { name, width: Number.parseInt(name, 10) }));
    const rendered = await harness.render(file, { format, variants: specs });
    return Object.fromEntries(rendered.map(({ name, sha256 }) => [name, sha256]));
  }

  it.each<[string, OutputFormat]>([
    ['nasty/jpeg-display-p3.jpg', 'webp'],
    ['nasty/jpeg-exif-orientation-6.jpg', 'jpeg'],
    ['nasty/png-16bit-grey-alpha.png', 'avif'],
    ['nasty/png-palette.png', 'png'],
    ['nasty/animated.gif', 'webp'],
    ['nasty/animated.gif', 'original'],
    ['nasty/jpeg-cmyk.jpg', 'original'],
    ['photos/graphic-badge-alpha.png', 'webp'],
  ])('do not depend on the other variants: %s as %s', async (path, format) => {
    const file = fixture(path);
    const all = await hashes(file, format, ['full', '64w', '100w', '200w']);
    expect(new Set(Object.values(all)).size).toBe(4);
    expect(await hashes(file, format, ['full'])).toEqual({ full: all.full });
    expect(await hashes(file, format, ['100w'])).toEqual({ '100w': all['100w'] });
    expect(await hashes(file, format, ['200w', '64w'])).toEqual({ '200w': all['200w'], '64w': all['64w'] });
  });

  it('are those of full at the full width', async () => {
    const { full, '600w': wide } = await hashes(nasty('jpeg-exif-orientation-1.jpg'), 'original', ['full', '600w']);
    expect(wide).toBe(full);
  });

  it('equal those of one direct pipeline', async () => {
    const full = only(await harness.render(photo('photo-brushes.jpg'), { format: 'webp' }));
    const direct = await sharp(photo('photo-brushes.jpg'))
      .webp({ quality: Number(full.quality), effort: 4 })
      .toBuffer();
    expect((await readFile(full.file)).equals(direct)).toBe(true);
  });
});

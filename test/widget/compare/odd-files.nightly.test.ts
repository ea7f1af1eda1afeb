import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { FIXTURES } from '../../support/api-client.ts';
import type { SideInput } from './compare-page.ts';
import { blue, compareIn, plain, red, untilColours, useCompare } from './compare-rig.ts';

/** Photograph with an EXIF orientation. */
const turned = `${FIXTURES}/nasty/jpeg-exif-orientation-6.jpg`;

async function oddFiles(): Promise<Record<string, Uint8Array>> {
  return {
    'huge.png': await plain('#ff0000', 6000, 4000).png().toBuffer(),
    'turned.jpg': await readFile(turned),
    // More pixels than are decoded, with an EXIF orientation.
    'huge-turned.jpg': await sharp(turned)
      .resize(6000, 4000, { fit: 'fill' })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer(),
    'upright.webp': await sharp(turned).autoOrient().webp({ lossless: true }).toBuffer(),
    'float.tif': await readFile(`${FIXTURES}/nasty/tiff-float32.tif`),
    'broken.webp': new TextEncoder().encode('not an image'),
  };
}

describe('io-compare', () => {
  const { open, bytesOf } = useCompare(oddFiles);

  it.each<[string, SideInput]>([
    ['as they are', { file: 'turned.jpg' }],
    ['with fewer pixels', { file: 'huge-turned.jpg', width: 4000, height: 6000 }],
    ['with fewer pixels, if their number is unknown', { file: 'huge-turned.jpg' }],
  ])('shows photographs in their EXIF orientation, %s', async (_, original) => {
    const upright: SideInput = { file: 'upright.webp', format: 'webp' };
    const { page } = await open([{ name: 't.jpg', original, result: upright }]);
    // Both files show the same picture: neither side may differ from the other.
    const sides = await compareIn(page).evaluate(async (element) => {
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      return [...(element.shadowRoot?.querySelectorAll('canvas') ?? [])].map((canvas) => {
        const copy = document.createElement('canvas');
        [copy.width, copy.height] = [24, 24];
        const context = copy.getContext('2d');
        context?.drawImage(canvas, 0, 0, 24, 24);
        return [...(context?.getImageData(0, 0, 24, 24).data ?? [])];
      });
    });
    const [result = [], other = []] = sides;
    const difference = result.reduce((sum, value, index) => sum + Math.abs(value - (other[index] ?? 0)), 0);
    expect(new Set(result).size).toBeGreaterThan(8);
    expect(difference / result.length).toBeLessThan(4);
  });

  it('decodes at most sixteen million pixels of a large image, with a note', async () => {
    const huge: SideInput = { file: 'huge.png', width: 6000, height: 4000, format: 'png' };
    const { page } = await open([{ name: 'h.png', original: huge, result: { ...huge, format: 'webp' } }]);
    await expect.poll(() => compareIn(page).locator('.base').textContent()).toContain('Shown reduced');
    await untilColours(page, [0.3], ['red']);
  });

  it('shows a preview of formats the browser cannot decode, with a note', async () => {
    const tiff: SideInput = { file: 'float.tif', fallback: 'red.png', width: 1600, height: 800, format: 'tiff' };
    const { page } = await open([{ name: 'f.tif', original: tiff, result: blue }]);
    await untilColours(page, [0.4, 0.6], ['red', 'blue']);
    await expect.poll(() => compareIn(page).locator('.base').textContent()).toContain('you see a preview');
  });

  it('shows an error if a side cannot be loaded, and retries', async () => {
    const { page } = await open([{ name: 'a.png', original: red, result: { ...blue, file: 'broken.webp' } }]);
    const alert = compareIn(page).getByRole('alert');
    await expect.poll(() => alert.textContent()).toContain('could not be loaded');
    await expect.poll(() => page.getByRole('slider').isDisabled()).toBe(true);
    await page.route('**/broken.webp', (route) => route.fulfill({ body: bytesOf('blue.webp') }));
    await alert.getByRole('button', { name: 'Try again' }).click();
    await untilColours(page, [0.4, 0.6], ['red', 'blue']);
  });
});

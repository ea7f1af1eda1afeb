import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible } from '../../support/accessibility.ts';
import { FIXTURES } from '../../support/api-client.ts';
import { type SharedBrowser, sharedBrowser, type Tab } from '../../support/browser.ts';
import { type ComponentPage, serveComponent } from '../../support/component-page.ts';
import type { SideInput } from './compare-page.ts';

const plain = (colour: string, width = 1600, height = 800) =>
  sharp({ create: { width, height, channels: 3, background: colour } });

/** Photograph with an EXIF orientation. */
const turned = `${FIXTURES}/nasty/jpeg-exif-orientation-6.jpg`;

async function fixtures(): Promise<Record<string, Uint8Array>> {
  return {
    'red.png': await plain('#ff0000').png().toBuffer(),
    'blue.webp': await plain('#0000ff').webp({ lossless: true }).toBuffer(),
    'green.webp': await plain('#00ff00').webp({ lossless: true }).toBuffer(),
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
  let browser: SharedBrowser;
  let served: ComponentPage;
  let files: Awaited<ReturnType<typeof fixtures>>;

  beforeAll(async () => {
    files = await fixtures();
    served = await serveComponent({ entry: 'test/widget/compare/compare-page.ts', files });
    browser = await sharedBrowser();
  });
  afterAll(async () => {
    await served?.close();
  });

  const red: SideInput = { file: 'red.png', size: 1_200_000, width: 1600, height: 800, format: 'png' };
  const blue: SideInput = { file: 'blue.webp', size: 240_000, width: 1600, height: 800, format: 'webp' };
  const green: SideInput = { ...blue, file: 'green.webp', size: 2_400_000 };
  const pair = { name: 'a.png', original: red, result: blue };

  async function open(pairs = [pair], options: Parameters<SharedBrowser['open']>[0] = {}): Promise<Tab> {
    const tab = await browser.open(options);
    await tab.page.goto(served.url);
    await tab.page.waitForFunction(() => 'show' in window);
    await tab.page.evaluate(
      (shown) => (window as unknown as { show(pairs: unknown): void }).show(shown),
      pairs as unknown as Record<string, never>[],
    );
    // Its texts load first, so that there is no cover yet either.
    await compareIn(tab.page).locator('.stage[aria-busy=false]').waitFor();
    return tab;
  }

  const compareIn = (page: Page): Locator => page.locator('io-compare');
  const slider = (page: Page) => page.getByRole('slider');

  /** Reads the colours on the screen at shares of the stage's width. */
  async function coloursAt(page: Page, ...shares: number[]): Promise<string[]> {
    const picture = sharp(await compareIn(page).locator('.stage').screenshot()).removeAlpha();
    const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
    return shares.map((share) => {
      const x = Math.min(info.width - 1, Math.round(info.width * share));
      const at = (Math.round(info.height * 0.75) * info.width + x) * 3;
      const [r = 0, g = 0, b = 0] = data.subarray(at, at + 3);
      return r > 180 && g < 80 && b < 80
        ? 'red'
        : b > 180 && r < 80
          ? 'blue'
          : g > 180 && r < 80
            ? 'green'
            : `${r},${g},${b}`;
    });
  }
  const untilColours = (page: Page, shares: number[], colours: string[]) =>
    expect.poll(() => coloursAt(page, ...shares)).toEqual(colours);

  it('says in words how far a measured quality is visible, and nothing without a score', async () => {
    const scored = [95, 85, 75, 60, 20, null].map((score, at) => ({
      ...pair,
      name: `${at}.png`,
      result: { ...blue, score },
    }));
    const tab = await open(scored);
    const told: string[] = [];
    for (const [index] of scored.entries()) {
      await compareIn(tab.page).evaluate((element, at) => Object.assign(element, { index: at }), index);
      await expect.poll(() => compareIn(tab.page).locator('h3').textContent()).toBe(`${index}.png`);
      told.push((await compareIn(tab.page).locator('.quality').allTextContents()).join());
    }
    expect(told).toEqual([
      'no visible difference',
      'difference hardly visible',
      'difference visible only side by side',
      'difference visible',
      'difference clearly visible',
      '',
    ]);
  });

  it('shows both sides with the divider in the middle, and their sizes as text', async () => {
    const { page, expectQuiet } = await open();
    await untilColours(page, [0.2, 0.4, 0.6, 0.8], ['red', 'red', 'blue', 'blue']);
    const text = await compareIn(page).locator('header').textContent();
    expect(text).toContain('1.2 MB → 240 kB, 80% smaller');
    expect(text).toContain('PNG → WebP, 1600 × 800');
    expectQuiet();
  });

  it('states that the result is larger', async () => {
    const { page } = await open([{ name: 'a.png', original: red, result: green }]);
    await expect.poll(() => compareIn(page).locator('header').textContent()).toContain('1.2 MB → 2.4 MB, 100% larger');
  });

  it('moves the divider by arrow keys and exposes its value', async () => {
    const { page } = await open();
    await slider(page).focus();
    for (let press = 0; press < 20; press += 1) await page.keyboard.press('ArrowRight');
    expect(await slider(page).getAttribute('aria-valuetext')).toBe('70% original');
    await untilColours(page, [0.6, 0.8], ['red', 'blue']);
    await page.keyboard.press('Home');
    expect(await slider(page).getAttribute('aria-valuetext')).toBe('0% original');
    await untilColours(page, [0.1, 0.9], ['blue', 'blue']);
  });

  it('moves the divider by dragging it, and by a click anywhere', async () => {
    const { page } = await open();
    const box = await compareIn(page).locator('.stage').boundingBox();
    if (!box) throw new Error('no stage');
    const at = (share: number) => [box.x + box.width * share, box.y + box.height / 2] as const;
    await page.mouse.move(...at(0.5));
    await page.mouse.down();
    await page.mouse.move(...at(0.25), { steps: 5 });
    await page.mouse.up();
    await untilColours(page, [0.15, 0.4], ['red', 'blue']);
    const value = await slider(page).inputValue();
    expect(Number(value)).toBeGreaterThan(20);
    expect(Number(value)).toBeLessThan(26);
    // The button is up: the pointer moves alone.
    await page.mouse.move(...at(0.7));
    expect(await slider(page).inputValue()).toBe(value);
    await page.mouse.click(...at(0.9));
    await untilColours(page, [0.8, 0.95], ['red', 'blue']);
  });

  it('shows the original alone while its button is pressed', async () => {
    const { page } = await open();
    const button = page.getByRole('button', { name: 'Show original' });
    await button.click();
    expect(await button.getAttribute('aria-pressed')).toBe('true');
    await untilColours(page, [0.1, 0.9], ['red', 'red']);
    await button.click();
    await untilColours(page, [0.4, 0.6], ['red', 'blue']);
  });

  it('zooms to the pixels of the image, which keys and drags move', async () => {
    const { page } = await open([pair], { viewport: { width: 500, height: 600 } });
    await page.getByRole('button', { name: '2×' }).click();
    const scroller = compareIn(page).locator('.scroller');
    const scrolled = () => scroller.evaluate(({ scrollLeft, scrollWidth }) => ({ scrollLeft, scrollWidth }));
    // 1600 pixels at two screen pixels each; the middle stays in the middle.
    await expect.poll(scrolled).toMatchObject({ scrollWidth: 3200 });
    const before = (await scrolled()).scrollLeft;
    expect(before).toBeGreaterThan(1000);
    await scroller.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(async () => (await scrolled()).scrollLeft).toBeGreaterThan(before);
    const box = await scroller.boundingBox();
    if (!box) throw new Error('no stage');
    const moved = (await scrolled()).scrollLeft;
    await page.mouse.move(box.x + 60, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 160, box.y + 60, { steps: 4 });
    await page.mouse.up();
    expect((await scrolled()).scrollLeft).toBeLessThan(moved);
    await untilColours(page, [0.2, 0.8], ['red', 'blue']);
  });

  it('draws one canvas pixel for each pixel of a dense screen', async () => {
    const { page } = await open([pair], { deviceScaleFactor: 2 });
    const size = await compareIn(page)
      .locator('.stage')
      .evaluate(({ clientWidth }) => clientWidth);
    const width = () =>
      compareIn(page)
        .locator('canvas.original')
        .evaluate((canvas) => (canvas as HTMLCanvasElement).width);
    await expect.poll(width).toBe(size * 2);
  });

  it('steps to the next and the previous image, with an event', async () => {
    const { page } = await open([pair, { name: 'b.png', original: red, result: green }]);
    await page.evaluate(() => {
      Object.assign(window, { changes: [] });
      document.addEventListener('io-compare-change', (event) => {
        (window as unknown as { changes: unknown[] }).changes.push((event as CustomEvent).detail);
      });
    });
    await page.getByRole('button', { name: 'Next image' }).click();
    await untilColours(page, [0.4, 0.6], ['red', 'green']);
    expect(await compareIn(page).getByText('2 of 2').count()).toBe(1);
    // There is no third one: nothing happens.
    await page.getByRole('button', { name: 'Next image' }).click({ force: true });
    await page.getByRole('button', { name: 'Previous image' }).click();
    await untilColours(page, [0.4, 0.6], ['red', 'blue']);
    expect(await page.evaluate(() => (window as unknown as { changes: unknown[] }).changes)).toEqual([
      { id: 'b.png', index: 1 },
      { id: 'a.png', index: 0 },
    ]);
  });

  it('has the original on the right in right-to-left pages, also for arrow keys', async () => {
    const { page } = await open();
    await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'));
    await slider(page).focus();
    for (let press = 0; press < 20; press += 1) await page.keyboard.press('ArrowLeft');
    expect(await slider(page).getAttribute('aria-valuetext')).toBe('70% original');
    await untilColours(page, [0.2, 0.4, 0.9], ['blue', 'red', 'red']);
  });

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
    expect(await compareIn(page).locator('.base').textContent()).toContain('you see a preview');
  });

  it('shows an error if a side cannot be loaded, and retries', async () => {
    const { page } = await open([{ name: 'a.png', original: red, result: { ...blue, file: 'broken.webp' } }]);
    const alert = compareIn(page).getByRole('alert');
    expect(await alert.textContent()).toContain('could not be loaded');
    expect(await slider(page).isDisabled()).toBe(true);
    await page.route('**/broken.webp', (route) => route.fulfill({ body: files['blue.webp'] as Buffer }));
    await alert.getByRole('button', { name: 'Try again' }).click();
    await untilColours(page, [0.4, 0.6], ['red', 'blue']);
  });

  it('frees its memory when it is disconnected, and draws again when it is connected', async () => {
    const { page } = await open();
    await page.evaluate(async () => {
      const { element } = window as unknown as { element: HTMLElement };
      const parent = element.parentElement;
      element.remove();
      await new Promise((resolve) => setTimeout(resolve));
      parent?.append(element);
    });
    await untilColours(page, [0.4, 0.6], ['red', 'blue']);
  });

  it.each([
    ['light', 'ltr', 'none'],
    ['dark', 'rtl', 'none'],
    ['light', 'ltr', 'active'],
  ] as const)('is accessible (%s, %s, forced colours: %s)', async (colorScheme, dir, forcedColors) => {
    const { page, expectQuiet } = await open([pair, pair], {
      colorScheme,
      forcedColors,
      viewport: { width: 320, height: 700 },
    });
    await page.evaluate((value) => document.documentElement.setAttribute('dir', value), dir);
    await page.getByRole('button', { name: '1×' }).click();
    await expectAccessible(page, { off: ['page-has-heading-one', 'region', 'heading-order'] });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    expectQuiet();
  });
});

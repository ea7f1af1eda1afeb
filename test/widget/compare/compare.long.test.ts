import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../support/accessibility.ts';
import { blue, compareIn, green, pair, red, untilColours, useCompare } from './compare-rig.ts';

describe('io-compare', () => {
  const { open } = useCompare();
  const slider = (page: Page) => page.getByRole('slider');

  it('says in words how far a measured quality is visible and why a file stays below its preset, and nothing without a score', async () => {
    const qualities = [
      ...[95, 85, 75, 60, 20, null].map((score) => ({ score })),
      { score: 85, stopped: 'knee', estimatedBytes: 480_000 } as const,
      { score: 75, stopped: 'format' } as const,
    ];
    const scored = qualities.map((quality, at) => ({
      ...pair,
      name: `${at}.png`,
      result: { ...blue, ...quality },
    }));
    const tab = await open(scored);
    const reported: string[] = [];
    for (const [index] of scored.entries()) {
      await compareIn(tab.page).evaluate((element, at) => Object.assign(element, { index: at }), index);
      await expect.poll(() => compareIn(tab.page).locator('h3').textContent()).toBe(`${index}.png`);
      reported.push((await compareIn(tab.page).locator('.quality').allTextContents()).join());
    }
    expect(reported).toEqual([
      'no visible difference',
      'difference hardly visible',
      'difference visible only side by side',
      'difference visible',
      'difference clearly visible',
      '',
      'difference hardly visible,chosen quality takes about 480 kB',
      'difference visible only side by side,this format’s best',
    ]);
  });

  it('shows both sides with the divider in the middle, and their sizes as text', async () => {
    const { page, expectQuiet } = await open();
    await untilColours(page, [0.2, 0.4, 0.6, 0.8], ['red', 'red', 'blue', 'blue']);
    const text = await compareIn(page).locator('header').textContent();
    expect(text).toContain('1.2 MB → 240 kB · 80% smaller');
    expect(text).toContain('PNG → WebP · 1600 × 800');
    expectQuiet();
  });

  it('keeps the picture while another file of the same image is loaded', async () => {
    const { page } = await open();
    const colours = () => untilColours(page, [0.2, 0.4, 0.6, 0.8], ['red', 'red', 'blue', 'blue']);
    await colours();
    await compareIn(page).evaluate((element) => {
      const compare = element as unknown as { pairs: { result: object }[] };
      const [shown] = compare.pairs;
      compare.pairs = [{ ...shown, result: { ...shown?.result, blob: () => new Promise(() => {}) } }];
    });
    await expect.poll(() => compareIn(page).locator('.wait').count()).toBe(1);
    expect(await compareIn(page).locator('.cover').count()).toBe(0);
    expect(await slider(page).isEnabled()).toBe(true);
    await colours();
  });

  it('states that the result is larger', async () => {
    const { page } = await open([{ name: 'a.png', original: red, result: green }]);
    await expect.poll(() => compareIn(page).locator('header').textContent()).toContain('1.2 MB → 2.4 MB · 100% larger');
  });

  it('moves the divider by arrow keys and exposes its value', async () => {
    const { page } = await open();
    await slider(page).focus();
    for (let press = 0; press < 20; press += 1) await page.keyboard.press('ArrowRight');
    await expect.poll(() => slider(page).getAttribute('aria-valuetext')).toBe('70% original');
    await untilColours(page, [0.6, 0.8], ['red', 'blue']);
    await page.keyboard.press('Home');
    await expect.poll(() => slider(page).getAttribute('aria-valuetext')).toBe('0% original');
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
    await expect.poll(() => slider(page).inputValue()).toBe(value);
    await page.mouse.click(...at(0.9));
    await untilColours(page, [0.8, 0.95], ['red', 'blue']);
  });

  it('shows the original alone while its button is pressed', async () => {
    const { page } = await open();
    const button = page.getByRole('button', { name: 'Show original' });
    await button.click();
    await expect.poll(() => button.getAttribute('aria-pressed')).toBe('true');
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
    await expect.poll(() => compareIn(page).getByText('2 of 2').count()).toBe(1);
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
    await expect.poll(() => slider(page).getAttribute('aria-valuetext')).toBe('70% original');
    await untilColours(page, [0.2, 0.4, 0.9], ['blue', 'red', 'red']);
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

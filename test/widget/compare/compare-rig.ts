import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect } from 'vitest';
import { type SharedBrowser, sharedBrowser, type Tab } from '../../support/browser.ts';
import { type ComponentPage, serveComponent } from '../../support/component-page.ts';
import type { SideInput } from './compare-page.ts';

/** Creates an image of one colour. */
export const plain = (colour: string, width = 1600, height = 800) =>
  sharp({ create: { width, height, channels: 3, background: colour } });

async function colours(): Promise<Record<string, Uint8Array>> {
  return {
    'red.png': await plain('#ff0000').png().toBuffer(),
    'blue.webp': await plain('#0000ff').webp({ lossless: true }).toBuffer(),
    'green.webp': await plain('#00ff00').webp({ lossless: true }).toBuffer(),
  };
}

export const red: SideInput = { file: 'red.png', size: 1_200_000, width: 1600, height: 800, format: 'png' };
export const blue: SideInput = { file: 'blue.webp', size: 240_000, width: 1600, height: 800, format: 'webp' };
export const green: SideInput = { ...blue, file: 'green.webp', size: 2_400_000 };
export const pair = { name: 'a.png', original: red, result: blue };

export const compareIn = (page: Page): Locator => page.locator('io-compare');

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

/** Waits for colours on the screen at shares of the stage's width. */
export const untilColours = (page: Page, shares: number[], colours: string[]) =>
  expect.poll(() => coloursAt(page, ...shares)).toEqual(colours);

/** Serves the red, the blue and the green image, and other files, to the comparisons that `open` shows. */
export function useCompare(others: () => Promise<Record<string, Uint8Array>> = async () => ({})) {
  let browser: SharedBrowser;
  let served: ComponentPage;
  let files: Record<string, Uint8Array>;

  beforeAll(async () => {
    files = { ...(await colours()), ...(await others()) };
    served = await serveComponent({ entry: 'test/widget/compare/compare-page.ts', files });
    browser = await sharedBrowser();
  });
  afterAll(async () => {
    await served?.close();
  });

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

  return { open, bytesOf: (name: string) => files[name] as Buffer };
}

import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CreatedShare } from '#contract';
import { expectAccessible } from '../support/accessibility.ts';
import { type SharedBrowser, sharedBrowser } from '../support/browser.ts';
import { sharedService } from '../support/shared-service.ts';
import { plainImage } from '../support/small-images.ts';

const PHONE = { width: 390, height: 800 };
/** Pixels of the preview of a folded line, which asks for 160. */
const FOLDED = 192;

let browser: SharedBrowser;
let url: string;
beforeAll(async () => {
  const { api } = await sharedService();
  browser = await sharedBrowser();
  const images = ['harbour.png', 'hill.png'].map((name) => plainImage(name, { width: 600, height: 400 }));
  const uploaded = await api.upload(await Promise.all(images));
  await api.run('sample', { ...uploaded, images: uploaded.images.slice(0, 1) });
  ({ url } = await api.readJson<CreatedShare>(`/v1/sessions/${uploaded.sessionId}/shares`, { json: {} }));
});

interface Visit {
  page: Page;
  first: Locator;
  second: Locator;
  /** Endings of paths that fail, e.g. `/result` or `width=640`, and the body that stands in for them; null: no response. */
  failing: Map<string, string | null>;
  /** Requests for previews, as `width=640`. */
  previews: string[];
}

/** Opens the page of the link. Pictures held in memory are counted. */
async function visit(viewport?: typeof PHONE, failing: Visit['failing'] = new Map()): Promise<Visit> {
  const { page } = await browser.open({ locale: 'en', ...(viewport && { viewport }) });
  const previews: string[] = [];
  await page.route('**/shared/images/**', (route) => {
    const address = route.request().url();
    if (address.includes('/preview?')) previews.push(new URL(address).search.slice(1));
    const ending = [...failing.keys()].find((name) => `${address}?`.includes(`${name}?`));
    if (ending === undefined) return route.continue();
    const body = failing.get(ending);
    return body ? route.fulfill({ contentType: 'image/webp', body }) : route.abort();
  });
  await page.addInitScript(() => {
    const held = new Set<string>();
    const { createObjectURL, revokeObjectURL } = URL;
    URL.createObjectURL = (object) => {
      const address = createObjectURL.call(URL, object);
      held.add(address);
      return address;
    };
    URL.revokeObjectURL = (address) => {
      held.delete(address);
      revokeObjectURL.call(URL, address);
    };
    Object.assign(window, { held });
  });
  await page.goto(url);
  const cards = page.locator('share-image');
  return { page, first: cards.first(), second: cards.nth(1), failing, previews };
}

const countHeld = (page: Page) => page.evaluate(() => (window as unknown as { held: Set<string> }).held.size);

/** Pixels of the picture that an image shows; 0 without one. */
const pixelsOf = (image: Locator) =>
  image
    .locator('.frame img')
    .evaluateAll((shown) => (shown as HTMLImageElement[]).reduce((sum, { naturalWidth }) => sum + naturalWidth, 0));

const retryOf = (image: Locator) => image.getByRole('button', { name: 'Try again' });

describe('a picture of a link that cannot be loaded', () => {
  it('an opened line says that it shows a small copy, and loads the large one when it is asked again', async () => {
    const { page, second, failing } = await visit(PHONE, new Map([['width=640', null]]));
    await expect.poll(() => pixelsOf(second)).toBe(FOLDED);
    await second.getByRole('button', { name: 'Show' }).click();
    const said = second.getByRole('alert').filter({ hasText: 'Only a small copy of the picture could be loaded.' });
    await said.waitFor();
    expect(await pixelsOf(second)).toBe(FOLDED);
    await expectAccessible(page);

    await retryOf(second).focus();
    await page.keyboard.press('Enter');
    await said.waitFor();
    await second.locator('button:focus', { hasText: 'Try again' }).waitFor();
    failing.clear();
    await page.keyboard.press('Enter');
    await expect.poll(() => pixelsOf(second)).toBe(600);
    await second.locator('.box:focus').waitFor();
    expect(await retryOf(second).count()).toBe(0);
    await expectAccessible(page);
  });

  it('a line that is opened again tries again', async () => {
    const { page, first, second, failing, previews } = await visit(PHONE, new Map([['width=640', null]]));
    await expect.poll(() => pixelsOf(second)).toBe(FOLDED);
    await second.getByRole('button', { name: 'Show' }).click();
    await retryOf(second).waitFor();
    // The first had no picture while it was open, and has a small one now.
    await expect.poll(() => pixelsOf(first)).toBe(FOLDED);
    await first.getByRole('button', { name: 'Show' }).click();
    expect(await retryOf(second).count()).toBe(0);
    failing.clear();
    const before = previews.length;
    await second.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => pixelsOf(second)).toBe(600);
    expect(await second.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0);
    expect(previews.slice(before)).toContain('width=640');
    // The small copy is not kept beside the large one.
    expect(await countHeld(page)).toBe(2);
  });

  it('a line without any picture asks for the large one when it is opened, and once more', async () => {
    const none = new Map([['width=160', null] as const, ['width=640', 'no picture'] as const]);
    const { page, second, failing, previews } = await visit(PHONE, none);
    await expect.poll(() => previews.filter((width) => width === 'width=160').length).toBe(1);
    await second.getByRole('button', { name: 'Show' }).click();
    await second.getByRole('alert').filter({ hasText: 'The picture could not be loaded.' }).waitFor();
    expect(await countHeld(page)).toBe(0);
    failing.clear();
    await retryOf(second).click();
    await expect.poll(() => pixelsOf(second)).toBe(600);
  });

  it('a picture without a preview can be loaded again and its files be compared', async () => {
    const { page, first, failing } = await visit(undefined, new Map([['width=640', null]]));
    await first.getByText('The picture could not be loaded.').waitFor();
    await first.getByRole('button', { name: 'Compare before and after' }).click();
    await first.getByRole('slider').waitFor();
    await expectAccessible(page);
    failing.clear();
    await first.getByRole('button', { name: 'Close the comparison' }).click();
    await retryOf(first).click();
    await expect.poll(() => pixelsOf(first)).toBe(600);
  });
});

it('on a phone the picture that is open comes before those of folded lines', async () => {
  const { page } = await browser.open({ locale: 'en', viewport: PHONE });
  const widths: (string | null)[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/preview?*', async (route) => {
    const width = new URL(route.request().url()).searchParams.get('width');
    widths.push(width);
    if (width === '640') await held;
    await route.continue();
  });
  await page.goto(url);
  await expect.poll(() => widths).toEqual(['640']);
  await page.waitForTimeout(300);
  expect(widths).toEqual(['640']);
  release();
  await expect.poll(() => widths).toEqual(['640', '160']);
  await expect.poll(() => pixelsOf(page.locator('share-image').nth(1))).toBe(FOLDED);
});

describe('a comparison of a link that cannot be loaded', () => {
  it('keeps nothing of what was loaded, and is had when it is asked for again', async () => {
    const { page, first, failing } = await visit();
    await expect.poll(() => countHeld(page)).toBe(2);
    failing.set('/result', 'no picture');
    const compare = first.getByRole('button', { name: 'Compare before and after' });
    await compare.click();
    const said = first.getByRole('alert').filter({ hasText: 'The images could not be loaded. Is the device online?' });
    await said.waitFor();
    await expect.poll(() => countHeld(page)).toBe(2);
    failing.clear();
    await compare.click();
    await first.getByRole('slider').waitFor();
    expect(await said.count()).toBe(0);
    expect(await countHeld(page)).toBe(4);
    await first.getByRole('button', { name: 'Close the comparison' }).click();
    await compare.waitFor();
    expect(await countHeld(page)).toBe(2);
  });

  it('a closer look whose program cannot be loaded says so', async () => {
    const { page, first } = await visit();
    await page.route('**/assets/io-compare*', (route) => route.abort());
    await first.getByRole('button', { name: 'Look closely' }).click();
    await first.getByRole('alert').filter({ hasText: 'The images could not be loaded.' }).waitFor();
  });
});

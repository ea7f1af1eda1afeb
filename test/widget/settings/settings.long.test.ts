import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_RESPONSIVE_WIDTHS, RESPONSIVE_EDGE, responsiveSizeSchema } from '#contract';
import { parseKeywords } from '../../../widget/elements/io-settings/analysis-options.ts';
import {
  createRow,
  isEdge,
  mergeRows,
  rowsOf,
  sizesOf,
  suggestWidth,
} from '../../../widget/elements/io-settings/size-rows.ts';
import { expectAccessible } from '../../support/accessibility.ts';
import { type SharedBrowser, sharedBrowser } from '../../support/browser.ts';
import { type ComponentPage, serveComponent } from '../../support/component-page.ts';

describe('the choices of the settings', () => {
  it('are those of the contract', () => {
    for (const edge of [RESPONSIVE_EDGE.min, RESPONSIVE_EDGE.max]) {
      expect(responsiveSizeSchema.safeParse(edge).success).toBe(true);
      expect(isEdge(String(edge))).toBe(true);
    }
    for (const edge of [RESPONSIVE_EDGE.min - 1, RESPONSIVE_EDGE.max + 1]) {
      expect(responsiveSizeSchema.safeParse(edge).success).toBe(false);
      expect(isEdge(String(edge))).toBe(false);
    }
  });

  it('contain valid sizes, each once, smallest first', () => {
    const rows = [
      createRow({ width: '1024' }),
      createRow({ width: '8193' }),
      createRow({ width: '12.5' }),
      createRow({ width: ' 640 ' }),
      createRow({ width: '1024' }),
      createRow({ width: '640', height: '480', fit: 'cover' }),
    ];
    expect(sizesOf(rows)).toEqual([640, { width: 640, height: 480, fit: 'cover' }, 1024]);
    expect(mergeRows(rows)).toMatchObject({ merged: 1024, rows: { length: 5 } });
    expect(sizesOf(rowsOf(undefined))).toEqual(DEFAULT_RESPONSIVE_WIDTHS);
    expect(sizesOf(rowsOf([{ width: 300, height: 200, fit: 'inside' }, 900]))).toEqual([
      { width: 300, height: 200, fit: 'inside' },
      900,
    ]);
    expect(sizesOf(Array.from({ length: 14 }, (_, index) => createRow({ width: String(100 + index) })))).toHaveLength(
      10,
    );
  });

  it('suggest a width in the widest gap', () => {
    expect(suggestWidth(rowsOf([320, 640, 2560]))).toBe(1600);
    expect(suggestWidth([])).toBe(1280);
  });

  it('accept keywords with any separator', () => {
    expect(parseKeywords(' harbour, ships ;  harbour\nsea، بحر、海')).toEqual(['harbour', 'ships', 'sea', 'بحر', '海']);
    expect(parseKeywords('  ')).toEqual([]);
  });
});

describe('io-settings', () => {
  let browser: SharedBrowser;
  let served: ComponentPage;

  beforeAll(async () => {
    served = await serveComponent({ entry: 'test/widget/settings/settings-page.ts' });
    browser = await sharedBrowser();
  });
  afterAll(async () => {
    await served?.close();
  });

  async function open(options: Parameters<SharedBrowser['open']>[0] = {}) {
    const tab = await browser.open(options);
    await tab.page.goto(served.url);
    await tab.page.waitForFunction(() => 'around' in window);
    return tab;
  }
  const told = (page: Page) => page.evaluate(() => (window as unknown as { told: unknown[] }).told);
  const set = (page: Page, element: 'settings' | 'cost', values: Record<string, unknown>) =>
    page.evaluate(
      ([name, properties]) => {
        const { around } = window as unknown as { around: Record<string, object> };
        Object.assign(around[name] ?? {}, properties);
      },
      [element, values] as const,
    );
  const widths = (page: Page) =>
    page
      .locator('.sizes input[name^=width]')
      .evaluateAll((fields) => fields.map((each) => (each as HTMLInputElement).value));

  it('reports the chosen format and preset, also by arrow keys, and shows the hint of the choice', async () => {
    const { page, expectQuiet } = await open();
    await page.getByRole('radio', { name: 'AVIF' }).check({ force: true });
    await page.getByRole('radio', { name: 'High', exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await told(page)).toMatchObject([
      { format: 'avif', preset: 'high' },
      { format: 'avif', preset: 'medium' },
    ]);
    await page.locator('.choices > .hint', { hasText: 'Fine in the text of a page' }).waitFor();
    expectQuiet();
  });

  it('starts with the standard sizes, and reports a size when its field is left', async () => {
    const { page } = await open();
    await page.getByRole('switch', { name: 'Responsive sizes' }).check();
    expect(await widths(page)).toEqual(DEFAULT_RESPONSIVE_WIDTHS.map(String));
    await page.locator('.sizes input').first().fill('400');
    expect(await told(page)).toHaveLength(1);
    await page.keyboard.press('Tab');
    await expect
      .poll(async () => (await told(page)).at(-1))
      .toMatchObject({ responsiveSizes: [400, 768, 1024, 1440, 1920] });
  });

  it('keeps an invalid size in its field with an error, and does not report it', async () => {
    const { page } = await open();
    await set(page, 'settings', {
      settings: { format: 'webp', preset: 'high', responsive: true, responsiveSizes: [640, 900] },
    });
    const field = page.locator('.sizes input').first();
    await field.fill('12');
    await page.keyboard.press('Tab');
    await expect.poll(async () => (await told(page)).at(-1)).toMatchObject({ responsiveSizes: [900] });
    await expect.poll(() => field.inputValue()).toBe('12');
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    const error = await field.getAttribute('aria-describedby');
    await expect.poll(() => page.locator(`#${error}`).textContent()).toBe('A whole number from 16 to 8,192.');
  });

  it('merges a duplicate size and shows a note', async () => {
    const { page } = await open();
    await set(page, 'settings', {
      settings: { format: 'webp', preset: 'high', responsive: true, responsiveSizes: [640, 900] },
    });
    await page.locator('.sizes input[name^=width]').last().fill('640');
    await page.keyboard.press('Enter');
    await expect.poll(() => widths(page)).toEqual(['640']);
    await expect.poll(() => page.locator('.sizes [role=status]').textContent()).toContain('640 is already in the list');
  });

  it('adds up to ten sizes, focuses the new field, and moves the focus after a removal', async () => {
    const { page } = await open();
    await page.getByRole('switch', { name: 'Responsive sizes' }).check();
    const add = page.getByRole('button', { name: 'Add a size' });
    for (let count = 5; count < 10; count += 1) await add.click();
    await expect.poll(async () => (await widths(page)).length).toBe(10);
    expect(new Set(await widths(page)).size).toBe(10);
    await add.click({ force: true });
    await expect.poll(() => page.locator('.sizes [role=status]').textContent()).toContain('No more than 10 sizes');
    await page.getByRole('button', { name: 'Remove size 480' }).click();
    await expect.poll(async () => (await widths(page)).length).toBe(9);
    const focused = () =>
      page.evaluate(() => {
        let active = document.activeElement;
        while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
        return active?.getAttribute('aria-label');
      });
    await expect.poll(focused).toMatch(/^Remove size/);
    await page.getByRole('button', { name: 'Standard sizes' }).click();
    await expect.poll(() => widths(page)).toEqual(DEFAULT_RESPONSIVE_WIDTHS.map(String));
    expect((await told(page)).at(-1)).not.toHaveProperty('responsiveSizes.0');
  });

  it('keeps typed text while the page sets something else', async () => {
    const { page } = await open();
    await page.getByRole('switch', { name: 'Responsive sizes' }).check();
    const field = page.locator('.sizes input').first();
    await field.fill('4');
    await set(page, 'settings', { settings: { format: 'png', preset: 'low', responsive: true } });
    await expect.poll(() => page.getByRole('radio', { name: 'PNG' }).isChecked()).toBe(true);
    await expect.poll(() => field.inputValue()).toBe('4');
  });

  it('reports further formats behind the main one, and none if they are taken away', async () => {
    const { page, expectQuiet } = await open();
    await page.getByText('More about the files').click();
    const box = (name: string) => page.getByRole('checkbox', { name });
    expect(await box('WebP').count()).toBe(0);
    await box('JPEG').check();
    await expect
      .poll(async () => (await told(page)).at(-1))
      .toMatchObject({ format: 'webp', formats: ['webp', 'jpeg'] });
    await box('AVIF').focus();
    await page.keyboard.press('Space');
    await expect.poll(async () => (await told(page)).at(-1)).toMatchObject({ formats: ['webp', 'avif', 'jpeg'] });
    await page.getByRole('radio', { name: 'AVIF' }).check({ force: true });
    await expect
      .poll(async () => (await told(page)).at(-1))
      .toMatchObject({ format: 'avif', formats: ['avif', 'jpeg'] });
    await expect.poll(() => box('JPEG').isChecked()).toBe(true);
    await box('JPEG').uncheck();
    await expect.poll(async () => JSON.parse(JSON.stringify((await told(page)).at(-1)))).not.toHaveProperty('formats');
    expectQuiet();
  });

  it('reports longest edges in range, and no other ones', async () => {
    const { page } = await open();
    await page.getByText('More about the files').click();
    const width = page.getByLabel('Longest width');
    await width.fill('1600');
    await page.keyboard.press('Tab');
    await expect.poll(async () => (await told(page)).at(-1)).toMatchObject({ maxWidth: 1600 });
    await width.fill('12');
    await page.keyboard.press('Tab');
    expect(await told(page)).toHaveLength(1);
    await expect.poll(() => width.inputValue()).toBe('12');
    expect(await width.evaluate((field) => (field as HTMLInputElement).validity.rangeUnderflow)).toBe(true);
    await width.fill('');
    await page.keyboard.press('Tab');
    await expect.poll(async () => told(page)).toHaveLength(2);
    expect(JSON.parse(JSON.stringify((await told(page)).at(-1)))).not.toHaveProperty('maxWidth');
  });

  it('offers to keep HDR only for files that have it, and a placeholder', async () => {
    const { page } = await open();
    const hdr = page.getByRole('switch', { name: 'Keep HDR' });
    expect(await hdr.count()).toBe(0);
    await set(page, 'settings', { hdr: true });
    await hdr.check();
    await expect.poll(async () => (await told(page)).at(-1)).toMatchObject({ hdr: 'keep' });
    await hdr.uncheck();
    await page.getByText('More about the files').click();
    await page.getByRole('switch', { name: 'Placeholder' }).check();
    await expect.poll(async () => (await told(page)).at(-1)).toMatchObject({ placeholder: true });
    expect(JSON.parse(JSON.stringify((await told(page)).at(-1)))).not.toHaveProperty('hdr');
  });

  it('reports the options of the analysis', async () => {
    const { page } = await open();
    await page.getByText('How images are described').click();
    await page.getByLabel('Language of the texts').selectOption('pt-BR');
    await page.getByLabel('Keywords').fill('harbour, ships');
    await page.getByLabel('Tone').fill('plain words');
    await page.getByLabel('Overwrite texts').check();
    await expect
      .poll(async () => (await told(page)).at(-1))
      .toEqual({
        language: 'pt-BR',
        keywords: ['harbour', 'ships'],
        brandVoice: 'plain words',
        overwrite: true,
      });
    await set(page, 'settings', { noAnalyze: true });
    await expect.poll(() => page.getByText('How images are described').count()).toBe(0);
  });

  it('changes nothing while it is disabled', async () => {
    const { page } = await open();
    await set(page, 'settings', { disabled: true });
    await expect.poll(() => page.getByRole('radio', { name: 'AVIF' }).isDisabled()).toBe(true);
    await expect.poll(() => page.getByRole('switch', { name: 'Responsive sizes' }).isDisabled()).toBe(true);
  });

  it('shows the cost: charged, left, missing and unknown', async () => {
    const { page } = await open();
    const cost = {
      images: 12,
      costPerImage: 1,
      cost: 12,
      balance: 25,
      balanceAfter: 13,
      sufficient: true,
      shortfall: 0,
      affordable: 12,
    };
    const text = async () => (await page.locator('io-cost .cost').innerText()).replace(/\s+/g, ' ').trim();
    await set(page, 'cost', { loading: true });
    await expect.poll(text).toBe('Calculating the cost…');
    await set(page, 'cost', { loading: false, cost });
    await expect.poll(text).toBe('12 images 12 credits 13 left afterwards');
    expect(await page.getByRole('link', { name: 'Get credits' }).isVisible()).toBe(false);
    await set(page, 'cost', { cost: { ...cost, balance: 9, balanceAfter: -3, sufficient: false, shortfall: 3 } });
    await expect.poll(text).toContain('You need 3 more credits');
    await expect.poll(text).toContain('You have 9 credits.');
    await expect.poll(() => page.getByRole('link', { name: 'Get credits' }).isVisible()).toBe(true);
    await set(page, 'cost', { failed: true });
    await page.getByRole('button', { name: 'Try again' }).click();
    expect((await told(page)).at(-1)).toBe('retry');
  });

  it.each(['light', 'dark'] as const)('is accessible (%s) at 320 pixels', async (colorScheme) => {
    const { page } = await open({ colorScheme, viewport: { width: 320, height: 800 } });
    await page.getByRole('switch', { name: 'Responsive sizes' }).check();
    await page.locator('.sizes input').first().fill('1');
    await page.locator('.sizes input[name^=height]').last().fill('100');
    await page.getByText('How images are described').click();
    await page.getByText('More about the files').click();
    await set(page, 'settings', { hdr: true });
    await expectAccessible(page, { off: ['page-has-heading-one', 'region'] });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  });
});

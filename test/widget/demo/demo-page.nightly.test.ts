import { beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../../widget/version.ts';
import { expectAccessible } from '../../support/accessibility.ts';
import { findOddTexts } from '../../support/odd-texts.ts';
import { type DemoRig, openDemoRig, PROBE } from './demo-rig.ts';

describe('the demo page', () => {
  let rig: DemoRig;

  beforeAll(async () => {
    rig = await openDemoRig();
  });

  it('asks visitors for a key, explains a wrong one, and stores a valid one nowhere', async () => {
    const { page, account, connect, expectQuiet } = await rig.open({ connect: false });
    expect(await page.locator('#version').textContent()).toBe(`Imagewright ${VERSION}`);
    await page.getByLabel('API key').fill('iw_wrong');
    await page.getByRole('button', { name: 'Connect' }).click();
    await expect.poll(() => page.locator('#connect-error').textContent()).toBe('The service does not know this key.');
    expect(await page.locator('#uploads').evaluate((element) => (element as HTMLButtonElement).disabled)).toBe(true);
    await connect();
    await expect.poll(() => page.locator('#account').textContent()).toBe('25 credits · plan free');
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(kept).not.toContain(account.apiKey);
    expect(await page.content()).not.toContain(account.apiKey);
    expectQuiet([PROBE]);
  });

  it('asks signed-in users for nothing', async () => {
    const { page, account, visit } = await rig.open({ connect: false });
    // Simulates a log-in cookie.
    await page.route('**/account/visit', (route) =>
      route.fulfill({ json: { profile: { email: 'editor@example.com' } } }),
    );
    await page.route('**/v1/**', (route) =>
      route.continue({ headers: { ...route.request().headers(), 'x-api-key': account.apiKey } }),
    );
    await visit();
    await expect.poll(() => page.locator('#account').textContent()).toBe('25 credits · plan free');
    expect(await page.locator('#connect').isVisible()).toBe(false);
  });

  it('has one line above the work once there are images', async () => {
    const { page, widget, pick, untilState } = await rig.open();
    await pick(3);
    await untilState('ready');
    const topOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => element.getBoundingClientRect().top + window.scrollY);
    expect(await topOf('#frame')).toBeLessThanOrEqual(50);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => topOf('#uploads io-row')).toBeLessThanOrEqual(200);
    expect(await widget.locator('io-row').count()).toBe(3);
    await expectAccessible(page);
  });

  it('works from files to downloads and shows the balance', async () => {
    const { page, widget, pick, untilState, expectQuiet } = await rig.open();
    await pick(2);
    await untilState('ready');
    await widget.evaluate((element) => (element as unknown as { export(): Promise<void> }).export());
    await untilState('done');
    await expect.poll(() => page.locator('#account').textContent()).toBe('23 credits · plan free');
    const download = page.waitForEvent('download');
    await widget.evaluate((element) => {
      const { items, download } = element as unknown as { items: { id: string }[]; download(id?: string): void };
      download.call(element, items[0]?.id);
    });
    expect((await download).suggestedFilename()).toBe('photo-0.webp');
    expectQuiet([PROBE]);
  });

  it('shows the settings of the element as code: attributes, a property and the JSON of a request', async () => {
    const { page, widget, pick, untilState, expectQuiet } = await rig.open();
    await page.getByText('Settings as code').click();
    const [markup, request] = [page.locator('#settings code').first(), page.locator('#settings code').last()];
    await expect
      .poll(() => markup.textContent())
      .toBe('<image-optimizer format="webp" preset="high"></image-optimizer>');
    await pick(1);
    await untilState('ready');
    await widget.getByRole('button', { name: 'Change', exact: true }).click();
    await widget.getByRole('radio', { name: 'AVIF' }).check({ force: true });
    await widget.getByText('More about the files').click();
    await widget.getByRole('checkbox', { name: 'JPEG' }).check();
    await widget.getByLabel('Longest width').fill('1600');
    await page.keyboard.press('Tab');
    const settings = { format: 'avif', preset: 'high', responsive: false, formats: ['avif', 'jpeg'], maxWidth: 1600 };
    await expect.poll(async () => JSON.parse((await request.textContent()) ?? '')).toEqual({ settings });
    const code = (await markup.textContent()) ?? '';
    expect(code).toMatch(/^<image-optimizer format="avif" preset="high"><\/image-optimizer>\n<script type="module">/);
    expect(JSON.parse(/settings = ({.*});/s.exec(code)?.[1] ?? '')).toEqual({
      formats: ['avif', 'jpeg'],
      maxWidth: 1600,
    });
    await page.keyboard.press('Escape');
    await expectAccessible(page);
    await page.getByRole('radio', { name: 'Replace' }).check({ force: true });
    await expect.poll(() => markup.textContent()).toContain('format="webp"');
    expectQuiet([PROBE]);
  });

  it('shows at least seven of 30 images at 1280 x 800', async () => {
    const { page, widget, pick, untilState } = await rig.open({ credits: 40 });
    await page.setViewportSize({ width: 1280, height: 800 });
    await pick(30);
    await untilState('ready');
    const visibleRows = () =>
      widget.evaluate((element) => {
        const root = element.shadowRoot as ShadowRoot;
        const end = root.querySelector('.bar')?.getBoundingClientRect().top ?? 0;
        const places = [...(root.querySelector('io-list')?.shadowRoot?.querySelectorAll('io-row') ?? [])];
        return places.filter((row) => row.getBoundingClientRect().bottom <= end).length;
      });
    await page.evaluate(() => scrollTo(0, 0));
    await expect.poll(visibleRows).toBeGreaterThanOrEqual(7);
  });

  it('restores the images after a reload', async () => {
    const { page, widget, pick, untilState, visit, connect } = await rig.open();
    await pick(2);
    await untilState('ready');
    await visit();
    await connect();
    await untilState('ready');
    expect(await widget.evaluate((element) => (element as unknown as { items: unknown[] }).items.length)).toBe(2);
    expect(await page.locator('#connect').isVisible()).toBe(false);
  });

  it('changes language, theme and width at once, and keeps them in its address', async () => {
    const { page, widget, visit } = await rig.open();
    const option = (value: string) => page.locator(`#options input[value=${value}]`);
    const language = page.locator('#options select');
    await language.selectOption('ar');
    await expect
      .poll(() => widget.evaluate((element) => element.shadowRoot?.querySelector('.base')?.getAttribute('dir')))
      .toBe('rtl');
    await expect.poll(() => page.locator('#account').textContent()).toBe('25 رصيدًا · خطة free');
    expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])).toEqual([
      'ar',
      'rtl',
    ]);
    await expectAccessible(page);
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await option('light').check({ force: true });
    const light = await background();
    await option('dark').check({ force: true });
    expect(await background()).not.toBe(light);
    await option('phone').check({ force: true });
    await expect.poll(() => page.locator('#frame').evaluate((frame) => frame.getBoundingClientRect().width)).toBe(390);
    const { search } = new URL(page.url());
    await visit(search);
    await expect.poll(() => page.locator('#frame').evaluate((frame) => frame.getBoundingClientRect().width)).toBe(390);
    await expect.poll(() => language.inputValue()).toBe('ar');
    await expect.poll(() => option('dark').isChecked()).toBe(true);
    await page.setViewportSize({ width: 320, height: 640 });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  });

  it('logs events, newest first, at most 200', async () => {
    const { page, pick, untilState } = await rig.open();
    await pick(1);
    await untilState('ready');
    await page.locator('#log summary').click();
    await expect.poll(() => page.locator('#log b').allTextContents()).toContain('io-add');
    await page.evaluate(() => {
      for (let index = 0; index < 300; index += 1) {
        document.dispatchEvent(new CustomEvent('io-cost', { detail: { probe: index } }));
      }
    });
    await expect.poll(() => page.locator('#log li').count()).toBe(200);
    // The element may report a price of its own at any time, so only the probes are compared.
    const probes = await page
      .locator('#log li span')
      .evaluateAll((all) => all.flatMap(({ textContent }) => textContent?.match(/^\{"probe":(\d+)\}$/)?.[1] ?? []));
    expect(probes.length).toBeGreaterThan(190);
    expect(probes).toEqual(probes.map((_, index) => String(299 - index)));
    expect(Number(await page.locator('#log-count').textContent())).toBeGreaterThanOrEqual(301);
    await page.locator('#log-clear').click();
    await expect.poll(() => page.locator('#log li', { hasText: '"probe":299' }).count()).toBe(0);
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 320],
  ] as const)('is accessible and fits (%s, %i pixels)', async (colorScheme, width) => {
    const { page, visit, connect } = await rig.open({ connect: false });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 800 });
    await visit();
    await expectAccessible(page);
    await connect();
    await page.locator('#log summary').click();
    await expectAccessible(page);
    await page.getByRole('radio', { name: 'Replace' }).check({ force: true });
    expect(await findOddTexts(page)).toEqual([]);
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });
});

import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CreatedShare, ShareList, UploadResult } from '#contract';
import { VERSION } from '../../widget/version.ts';
import { expectAccessible } from '../support/accessibility.ts';
import type { ApiClient } from '../support/api-client.ts';
import { type SharedBrowser, sharedBrowser } from '../support/browser.ts';
import { readLayoutShift } from '../support/layout-shift.ts';
import { findOddTexts } from '../support/odd-texts.ts';
import { sharedService } from '../support/shared-service.ts';
import { plainImage } from '../support/small-images.ts';

let api: ApiClient;
let browser: SharedBrowser;
let uploaded: UploadResult;
let made: CreatedShare;
beforeAll(async () => {
  ({ api } = await sharedService());
  browser = await sharedBrowser();
  const images = ['harbour.png', 'hill.png'].map((name) => plainImage(name, { width: 600, height: 400 }));
  uploaded = await api.upload(await Promise.all(images));
  const [first] = uploaded.images;
  const path = `/v1/sessions/${uploaded.sessionId}`;
  const metadata = { alt: 'Boats <b>at</b> dusk', title: 'Harbour' };
  await api.readJson(`${path}/images/${first?.id}`, { method: 'PATCH', json: { metadata } });
  await api.run('sample', { ...uploaded, images: uploaded.images.slice(0, 1) });
  made = await api.readJson(`${path}/shares`, { json: { sender: 'The <b>Harbour</b> Gazette' } });
});

const answers = async () =>
  (await api.readJson<ShareList>(`/v1/sessions/${uploaded.sessionId}/shares`)).shares.flatMap((share) => share.answers);

describe('the page of a link', () => {
  it('shows pictures and texts, compares, and sends answers', async () => {
    const { page, expectQuiet } = await browser.open({ locale: 'en-GB' });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(`${request.url()} ${request.headers().referer ?? ''}`));
    const response = await page.goto(made.url);
    expect(response?.headers()).toMatchObject({
      'x-robots-tag': 'noindex, nofollow, noarchive',
      'referrer-policy': 'no-referrer',
    });
    expect(response?.headers()['content-security-policy']).toContain("default-src 'none'");
    const first = page.locator('share-image').first();
    await first.getByRole('img', { name: 'Boats <b>at</b> dusk' }).waitFor();
    await expect.poll(() => first.getByText('Boats <b>at</b> dusk').isVisible()).toBe(true);
    await expect
      .poll(() => page.locator('share-image').nth(1).getByText('You see the original').isVisible())
      .toBe(true);
    expect(await page.locator('footer').textContent()).toContain(`Imagewright ${VERSION}`);
    await expectAccessible(page);

    await first.getByRole('button', { name: 'Compare before and after' }).click();
    const divider = first.getByRole('slider', { name: 'Before and after: move the divider' });
    await divider.fill('20');
    const frame = first.locator('.frame');
    expect(await frame.evaluate((box) => getComputedStyle(box).getPropertyValue('--at'))).toBe('20%');
    const [before, after] = await frame.locator('img').evaluateAll((sides) => sides.map((side) => side.clientWidth));
    expect(before).toBe(after);
    await expectAccessible(page);
    await first.getByRole('button', { name: 'Close the comparison' }).click();
    await divider.waitFor({ state: 'detached' });

    await first.getByRole('button', { name: 'Look closely' }).click();
    for (const zoom of ['1×', '2×', 'Fit']) await first.getByRole('button', { name: zoom }).click();
    await expect.poll(() => first.locator('.stage').getAttribute('aria-busy')).toBe('false');
    expect(await first.locator('io-compare').getByRole('alert').count()).toBe(0);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await first.locator('dialog').waitFor({ state: 'detached' });

    await first.getByRole('button', { name: 'Please change' }).click();
    await first.getByRole('button', { name: 'Send' }).click();
    await first.getByText('Please write what should change.').waitFor();
    expect(await findOddTexts(page)).toEqual([]);
    await expectAccessible(page);
    await page.keyboard.type('<img src=x onerror=alert(1)> brighter');
    await first.getByRole('button', { name: 'Send' }).click();
    await first.getByText('Change asked for').waitFor();
    await first.locator('.again:focus').waitFor();
    await page.locator('share-image').nth(1).getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Thank you, all images are answered.').waitFor();
    expect(await findOddTexts(page)).toEqual([]);
    await expectAccessible(page);
    expect((await answers()).map(({ verdict, comment }) => [verdict, comment]).sort()).toEqual([
      ['approved', ''],
      ['change', '<img src=x onerror=alert(1)> brighter'],
    ]);
    await page.reload();
    await first.getByText('Change asked for').waitFor();
    await first.getByRole('button', { name: 'Change answer' }).click();
    await first.getByRole('button', { name: 'Please change' }).click();
    await expect.poll(() => first.getByRole('textbox').inputValue()).toBe('<img src=x onerror=alert(1)> brighter');
    expect(await page.locator('share-image').first().locator('img[src=x]').count()).toBe(0);
    expect(requests.filter((sent) => sent.includes('iwv_'))).toEqual([]);
    expectQuiet();
  });

  it.each([
    ['de', '\u2068The <b>Harbour</b> Gazette\u2069 bittet Sie, 2 Bilder anzusehen', 'light'],
    ['ar', 'يطلب منك \u2068The <b>Harbour</b> Gazette\u2069 الاطلاع على صورتين', 'dark'],
  ] as const)('speaks %s on a narrow screen without overflow', async (locale, title, colorScheme) => {
    const { page, expectQuiet } = await browser.open({ locale, colorScheme, viewport: { width: 390, height: 800 } });
    await page.goto(made.url);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await page.locator('share-image').first().getByRole('img').waitFor();
    const { scrollWidth, dir } = await page.evaluate(() => ({
      scrollWidth: document.documentElement.scrollWidth,
      dir: document.documentElement.dir,
    }));
    expect([scrollWidth, dir]).toEqual([390, locale === 'ar' ? 'rtl' : 'ltr']);
    expect(await readLayoutShift(page)).toBeLessThanOrEqual(0.03);
    await expectAccessible(page);
    expectQuiet();
  });

  it('says that a link is gone', async () => {
    const { page } = await browser.open({ locale: 'en' });
    await page.goto(`${api.url}/share/x#iwv_${'a'.repeat(43)}`);
    await page.getByText('This link cannot be opened').waitFor();
    await expectAccessible(page);
  });

  it('30 answers, of which 3 ask for a change, take at most 10 clicks; each answered image is one line', async () => {
    // A wide one stretched the page.
    const wide = plainImage('panorama.png', { width: 2400, height: 300 });
    const others = Array.from({ length: 29 }, (_, at) => plainImage(`picture-${at}.png`));
    const images = await Promise.all([wide, ...others]);
    const { sessionId } = await api.upload(images);
    const { url } = await api.readJson<CreatedShare>(`/v1/sessions/${sessionId}/shares`, { json: {} });
    const { page, expectQuiet } = await browser.open({ locale: 'en', viewport: { width: 320, height: 640 } });
    const widths: (string | null)[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/preview')) widths.push(searchParams.get('width'));
    });
    await page.goto(url);
    const cards = page.locator('share-image');
    await expect.poll(() => cards.count()).toBe(30);
    // The open image is large, the others are as small as their lines.
    const countLarge = () => widths.filter((width) => width === '640').length;
    await expect.poll(() => [countLarge(), new Set(widths)]).toEqual([1, new Set(['160', '640'])]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    let clicks = 0;
    const click = (place: Locator) => {
      clicks += 1;
      return place.click();
    };
    for (const at of [0, 11, 29]) {
      // The first is open, the others are lines that open.
      if (at > 0) await click(cards.nth(at).getByRole('button', { name: 'Show' }));
      await click(cards.nth(at).getByRole('button', { name: 'Please change' }));
      await page.keyboard.type('brighter');
      await click(cards.nth(at).getByRole('button', { name: 'Send' }));
      await cards.nth(at).getByText('Change asked for').waitFor();
      // The next image is open at the top of the window, and has the focus.
      await cards
        .nth((at + 1) % 30 || 1)
        .locator('h2:focus')
        .waitFor();
    }
    expect(await page.locator('article:not(.closed)').count()).toBe(1);
    // Five were open.
    await expect.poll(countLarge).toBe(5);
    await click(page.getByRole('button', { name: 'Approve the rest (27)' }));
    await expectAccessible(page);
    await click(page.getByRole('button', { name: 'Yes, approve all 27' }));
    await page.getByText('Thank you, all images are answered.').waitFor();
    expect(clicks).toBeLessThanOrEqual(10);
    const { shares } = await api.readJson<ShareList>(`/v1/sessions/${sessionId}/shares`);
    const verdicts = shares.flatMap((share) => share.answers).map(({ verdict }) => verdict);
    expect(verdicts.filter((verdict) => verdict === 'approved')).toHaveLength(27);
    expect(verdicts.filter((verdict) => verdict === 'change')).toHaveLength(3);
    const tallest = await cards.evaluateAll((all) => Math.max(...all.map((card) => card.clientHeight)));
    expect(tallest).toBeLessThanOrEqual(72);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await expectAccessible(page);
    expectQuiet();
  });

  it('the rest is approved also when the service asks to wait, and an answer that fails is not counted', async () => {
    const { sessionId } = await api.upload(
      await Promise.all(['a.png', 'b.png', 'c.png'].map((name) => plainImage(name))),
    );
    const { url } = await api.readJson<CreatedShare>(`/v1/sessions/${sessionId}/shares`, { json: {} });
    const { page } = await browser.open({ locale: 'en' });
    const statuses = [429, 500];
    await page.route('**/answer', (route) => {
      const status = statuses.shift();
      return status ? route.fulfill({ status, headers: { 'Retry-After': '1' } }) : route.continue();
    });
    await page.goto(url);
    const all = async (name: string) => {
      await page.getByRole('button', { name }).click();
      await page.getByRole('button', { name: 'Yes, approve all' }).click();
    };
    await all('Approve the rest (3)');
    await page.getByText('Your answer was not sent').waitFor();
    await page.getByText('0 of 3 answered').waitFor();
    await all('Approve the rest (3)');
    await page.locator('.end:focus').waitFor();
    const { shares } = await api.readJson<ShareList>(`/v1/sessions/${sessionId}/shares`);
    expect(shares.flatMap((share) => share.answers)).toHaveLength(3);
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import type { CreatedShare, ShareList, UploadResult } from '#contract';
import { expectAccessible } from '../support/accessibility.ts';
import type { ApiClient } from '../support/api-client.ts';
import { type SharedBrowser, sharedBrowser } from '../support/browser.ts';
import { readLayoutShift } from '../support/layout-shift.ts';
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
  made = await api.readJson(`${path}/shares`, { json: {} });
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
    expect(await first.getByText('Boats <b>at</b> dusk').isVisible()).toBe(true);
    expect(await page.locator('share-image').nth(1).getByText('You see the original').isVisible()).toBe(true);
    await expectAccessible(page);

    await first.getByRole('button', { name: 'Compare before and after' }).click();
    for (const zoom of ['1×', '2×', 'Fit']) await first.getByRole('button', { name: zoom }).click();
    await expect.poll(() => first.locator('.stage').getAttribute('aria-busy')).toBe('false');
    expect(await first.locator('io-compare').getByRole('alert').count()).toBe(0);
    await expectAccessible(page);

    await first.getByRole('button', { name: 'Please change' }).click();
    await first.getByText('Please write what should change.').waitFor();
    await page.keyboard.type('<img src=x onerror=alert(1)> brighter');
    await first.getByRole('button', { name: 'Please change' }).click();
    await first.getByText('You asked for a change').waitFor();
    await page.locator('share-image').nth(1).getByRole('button', { name: 'Approve' }).click();
    await page.getByText('2 of 2 answered').waitFor();
    expect((await answers()).map(({ verdict, comment }) => [verdict, comment]).sort()).toEqual([
      ['approved', ''],
      ['change', '<img src=x onerror=alert(1)> brighter'],
    ]);
    await page.reload();
    await first.getByText('You asked for a change').waitFor();
    expect(await first.getByRole('textbox').inputValue()).toBe('<img src=x onerror=alert(1)> brighter');
    expect(await page.locator('share-image').first().locator('img[src=x]').count()).toBe(0);
    expect(requests.filter((sent) => sent.includes('iwv_'))).toEqual([]);
    expectQuiet();
  });

  it.each([
    ['de', 'Bilder zum Ansehen', 'light'],
    ['ar', 'صور للاطلاع عليها', 'dark'],
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
    expect(await readLayoutShift(page)).toBeLessThanOrEqual(0.05);
    await expectAccessible(page);
    expectQuiet();
  });

  it('says that a link is gone', async () => {
    const { page } = await browser.open({ locale: 'en' });
    await page.goto(`${api.url}/share/x#iwv_${'a'.repeat(43)}`);
    await page.getByText('This link cannot be opened').waitFor();
    await expectAccessible(page);
  });
});

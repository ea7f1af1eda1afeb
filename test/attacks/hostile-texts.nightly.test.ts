import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { htmlOf } from '../../widget/elements/io-take-away/write-html.ts';
import type { Item } from '../../widget/state/index.ts';
import { enterAccount } from '../dashboard/dashboard-rig.ts';
import { createApiClient } from '../support/api-client.ts';
import { type SharedBrowser, sharedBrowser } from '../support/browser.ts';
import { type FakeVisionServer, GOOD_ANSWER, startFakeVisionServer } from '../support/fake-vision-server.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImage } from '../support/small-images.ts';

/** Ends attributes and elements, and would run in each of three ways. */
const HOSTILE = `"'></p><img src=x onerror="window.hacked=1"><script>window.hacked=1</script><svg onload="window.hacked=1">`;

let vision: FakeVisionServer;
let test: TestService;
let browser: SharedBrowser;
beforeAll(async () => {
  vision = await startFakeVisionServer();
  const texts = { title: HOSTILE, alt: HOSTILE, caption: HOSTILE, filename: HOSTILE, tags: [HOSTILE] };
  vision.answer = { ...GOOD_ANSWER, ...texts };
  const model = { AI_PROVIDER: 'openai-compatible', AI_BASE_URL: vision.url, AI_MODEL: 'fake', AI_CANARY: 'off' };
  test = await startTestService({ ...model, SIGN_UP: 'open' });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await test.close();
  await vision.close();
});

/** Expects that no text has become an element, also in shadow roots, and that nothing has run. */
async function expectHarmless(page: Page): Promise<void> {
  expect(await page.locator('img[src="x"], svg[onload], [onerror]').count()).toBe(0);
  expect(await page.evaluate(() => (window as { hacked?: number }).hacked)).toBeUndefined();
}

it('texts of a model stay texts in the element, the dashboard, the page of a link and the HTML of an image', async () => {
  const person = await enterAccount(test, browser);
  const { page } = person;
  const { apiKey } = await test.service.accounts.keys.create({
    accountId: person.accountId,
    name: HOSTILE.slice(0, 100),
  });
  const api = createApiClient({ url: test.url, apiKey });
  await page.goto(`${test.url}/dashboard/playground`);
  const element = page.locator('image-optimizer');
  const { bytes } = await plainImage('a.png', { width: 64, height: 48 });
  const file = { name: `${HOSTILE.replaceAll('/', '')}.png`, mimeType: 'image/png', buffer: Buffer.from(bytes) };
  await element.locator('input[type=file]').first().setInputFiles(file);
  await element.locator('io-row').first().waitFor();
  const { sessions } = await expect
    .poll(() => api.readJson<{ sessions: { sessionId: string }[] }>('/v1/sessions'))
    .toMatchObject({ sessions: [{ sessionId: expect.any(String) }] })
    .then(() => api.readJson<{ sessions: { sessionId: string }[] }>('/v1/sessions'));
  const sessionId = sessions[0]?.sessionId ?? '';
  const analysed = await api.request(`/v1/sessions/${sessionId}/analyze`, { json: {} });
  expect(await analysed.text()).toContain('window.hacked');
  const { images } = await api.readJson<{ images: { id: string }[] }>(`/v1/sessions/${sessionId}`);
  // Texts that a person, or a model without a filter, could have written.
  const metadata = { title: HOSTILE, alt: HOSTILE };
  const path = `/v1/sessions/${sessionId}/images/${images[0]?.id}`;
  expect((await api.request(path, { method: 'PATCH', json: { metadata } })).status).toBe(200);
  const { last } = await api.run('export', { sessionId, images } as never);
  if (last.event !== 'complete') throw new Error('the export failed');

  await page.reload();
  await element.locator('io-row').first().waitFor();
  await expect
    .poll(() => element.evaluate((it) => JSON.stringify((it as { items?: unknown }).items)))
    .toContain('hacked');
  await expectHarmless(page);
  for (const name of ['', '/keys', '/account']) {
    await page.goto(`${test.url}/dashboard${name}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await expectHarmless(page);
  }

  const { url } = await api.readJson<{ url: string }>(`/v1/sessions/${sessionId}/shares`, { json: {} });
  const visitor = await browser.open();
  await visitor.page.goto(url);
  await visitor.page.getByText('window.hacked').first().waitFor();
  await expectHarmless(visitor.page);

  const [result] = last.data.results;
  const item = { metadata: { ...metadata, decorative: false }, result, image: { format: 'png' } } as unknown as Item;
  for (const kind of ['img', 'picture'] as const) {
    await visitor.page.setContent(`<main>${htmlOf(item, kind)}</main>`);
    expect(await visitor.page.locator('main img').getAttribute('alt')).toBe(HOSTILE);
    expect(await visitor.page.locator('main img').count()).toBe(1);
    await expectHarmless(visitor.page);
  }
});

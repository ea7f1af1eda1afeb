import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { findAccessibilityProblems } from '../support/accessibility.ts';
import { findOddTexts } from '../support/odd-texts.ts';
import { type DashboardRig, expectHeading, openDashboardRig, REFUSED } from './dashboard-rig.ts';

/** Returns what axe finds, and by how much the page is wider than the window. */
async function findFaults(page: Page, place: string): Promise<string[]> {
  const found = await findAccessibilityProblems(page);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return [...found, ...(wider > 0 ? [`${wider} pixels too wide`] : [])].map((problem) => `${place}: ${problem}`);
}

let rig: DashboardRig;
beforeAll(async () => {
  rig = await openDashboardRig();
});

it('the reference needs no script, leads back to the dashboard, and to a page to try each request', async () => {
  const tab = await rig.browser.open({ javaScriptEnabled: true });
  const { page } = tab;
  await page.goto(`${rig.test.url}/docs`);
  expect(await findOddTexts(page)).toEqual([]);
  await page.getByRole('link', { name: 'POST /v1/sessions', exact: true }).click();
  await page.getByRole('heading', { name: 'POST /v1/sessions', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Try it (Export images: 1 credit each)' }).click();
  await page.locator('#operations-Export-exportImages .opblock-body').waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('/export');
  await page.getByRole('link', { name: '‹ Dashboard' }).click();
  await expectHeading(tab, 'Log in');
  tab.expectQuiet([REFUSED]);
});

it.each(['light', 'dark'] as const)(
  'axe finds nothing wrong on the pages of the API, also at 390 pixels (%s)',
  async (colorScheme) => {
    const problems: string[] = [];
    for (const width of [1280, 390]) {
      const { page } = await rig.browser.open({ colorScheme, viewport: { width, height: 844 } });
      for (const path of ['/docs', '/docs/try']) {
        await page.goto(rig.test.url + path);
        await page.waitForLoadState('networkidle');
        problems.push(...(await findFaults(page, `${path} at ${width}`)));
        const top = await page.locator('h1').evaluate((heading) => heading.getBoundingClientRect().top);
        if (top > 300) problems.push(`${path} at ${width}: its heading is ${top} pixels below the top`);
      }
      await page.getByRole('link', { name: 'POST /v1/sessions Create a session with images', exact: true }).click();
      await page.locator('.opblock-body').first().waitFor();
      problems.push(...(await findFaults(page, `/docs/try with a request at ${width}`)));
    }
    expect(problems).toEqual([]);
  },
);

it('the page to try requests loads Swagger UI once a request is chosen, and again after it failed', async () => {
  const { page } = await rig.browser.open();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${rig.test.url}/docs/try`);
  await page.waitForLoadState('networkidle');
  expect(asked.filter((path) => /swagger|openapi/.test(path))).toEqual([]);
  await page.route('**/swagger-ui-bundle.js', (route) => route.abort(), { times: 1 });
  const link = page.getByRole('link', { name: /^GET \/v1\/credits\/balance / });
  await link.click();
  await page.getByText('could not be loaded').waitFor();
  await link.click();
  await page.getByRole('button', { name: 'Execute' }).click();
  await page.locator('.responses-inner .response .response-col_status', { hasText: '401' }).first().waitFor();
  await expect.poll(() => page.getByRole('status').first().textContent()).toBe('');
});

it('the theme of the dashboard is that of the documentation, and the other way round', async () => {
  const { page } = await rig.browser.open({ colorScheme: 'light' });
  await page.goto(rig.at('log-in'));
  await page.getByRole('radio', { name: 'Dark' }).check();
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.goto(`${rig.test.url}/docs`);
  expect(await paper()).toBe('rgb(16, 19, 21)');
  await page.getByRole('combobox', { name: 'Theme' }).selectOption('light');
  expect(await paper()).toBe('rgb(244, 242, 236)');
  await page.goto(rig.at('log-in'));
  await expect.poll(() => page.getByRole('radio', { name: 'Light' }).isChecked()).toBe(true);
});

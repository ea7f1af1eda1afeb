import { beforeAll, expect, it } from 'vitest';
import { findAccessibilityProblems } from '../support/accessibility.ts';
import { type DashboardRig, expectHeading, openDashboardRig, REFUSED } from './dashboard-rig.ts';

let rig: DashboardRig;
beforeAll(async () => {
  rig = await openDashboardRig();
});

it('the reference needs no script, leads back to the dashboard, and to a page to try each request', async () => {
  const tab = await rig.browser.open({ javaScriptEnabled: true });
  const { page } = tab;
  await page.goto(`${rig.test.url}/docs`);
  await page.getByRole('link', { name: 'POST /v1/sessions', exact: true }).click();
  await page.getByRole('heading', { name: 'POST /v1/sessions', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Try it (Export images: 1 credit each)' }).click();
  await page.locator('#operations-Export-exportImages .opblock-body').waitFor();
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
        if (path === '/docs/try') await page.locator('.opblock').first().waitFor();
        const found = await findAccessibilityProblems(page);
        problems.push(...found.map((problem) => `${path} at ${width}: ${problem}`));
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (wider > 0) problems.push(`${path} at ${width}: ${wider} pixels too wide`);
      }
    }
    expect(problems).toEqual([]);
  },
);

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
  expect(await page.getByRole('radio', { name: 'Light' }).isChecked()).toBe(true);
});

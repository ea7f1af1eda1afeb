import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { findAccessibilityProblems } from '../support/accessibility.ts';
import type { Tab } from '../support/browser.ts';
import { findOddTexts } from '../support/odd-texts.ts';
import { findSmallTargets } from '../support/small-targets.ts';
import { type DashboardRig, openDashboardRig, PASSWORD, REFUSED } from './dashboard-rig.ts';

/** Pages of the dashboard by address, with the selector of an element that appears when the page has loaded its data. */
const PAGES: Record<string, string> = {
  '': '#balance',
  playground: 'image-optimizer[data-state]',
  credits: 'td time',
  'settings/keys': 'keys-page h3',
  'settings/account': 'account-page li',
  docs: 'docs-page pre',
  operator: 'operator-page li',
  'operator/service': 'service-page table',
  'operator/log': 'log-page td time',
  nowhere: 'not-found-page',
};
/** The same for pages that need no log-in. */
const FOR_VISITORS: Record<string, string> = {
  'log-in': 'input[name=password]',
  'sign-up': 'input[name=email]',
  forgot: 'input[name=email]',
  reset: '[role=alert]',
};

/** Returns violations found by axe, targets that are too small, texts off the scale, and tables that scroll sideways. */
async function findProblems(page: Page): Promise<string[]> {
  const tables = page.locator('.scroll');
  const wider = await tables.evaluateAll((all) => all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
  const cut = wider.filter((pixels) => pixels > 0).map((pixels) => `a table is ${pixels} pixels too wide`);
  const texts = await findOddTexts(page);
  return [...(await findAccessibilityProblems(page)), ...texts, ...cut, ...(await findSmallTargets(page))];
}

async function problemsOf(rig: DashboardRig, tab: Tab, [address, ready]: [string, string]): Promise<string[]> {
  const { page } = tab;
  await page.goto(rig.at(address));
  await page.locator(ready).first().waitFor();
  await page.waitForLoadState('networkidle');
  return (await findProblems(page)).map((problem) => `/${address}: ${problem}`);
}

/** Defines tests that axe finds no problem on any page of the dashboard in these colours. */
export function testAccessibility(colorScheme: 'light' | 'dark'): void {
  let rig: DashboardRig;
  beforeAll(async () => {
    rig = await openDashboardRig();
  });

  it(`axe finds nothing wrong on any page, and no page breaks its policy (${colorScheme})`, async () => {
    const person = await rig.enter({ role: 'operator', context: { colorScheme, reducedMotion: 'reduce' } });
    await rig.test.service.accounts.keys.create({ accountId: person.accountId, name: 'Website' });
    const problems: string[] = [];
    for (const page of Object.entries(PAGES)) problems.push(...(await problemsOf(rig, person, page)));
    expect(problems).toEqual([]);
    person.expectQuiet([REFUSED]);
  });

  it(`axe finds nothing wrong on the pages for visitors, in windows, in a table, with errors, and at 320 pixels (${colorScheme})`, async () => {
    const visitor = await rig.browser.open({ colorScheme, reducedMotion: 'reduce' });
    const problems: string[] = [];
    for (const page of Object.entries(FOR_VISITORS)) problems.push(...(await problemsOf(rig, visitor, page)));
    visitor.expectQuiet([REFUSED]);

    const person = await rig.enter({
      role: 'operator',
      plan: 'agency',
      context: { colorScheme, reducedMotion: 'reduce', viewport: { width: 320, height: 640 } },
    });
    const { page } = person;
    const check = async (state: string) => {
      problems.push(...(await findProblems(page)).map((problem) => `${state}: ${problem}`));
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (wider > 0) problems.push(`${state}: ${wider} pixels too wide`);
    };
    await page.getByRole('button', { name: 'Menu' }).click();
    await check('menu');
    await page.goto(rig.at());
    await page.getByRole('button', { name: 'Show as a table' }).click();
    await check('table');
    for (const address of ['credits', 'docs', 'settings/account', 'playground', 'operator/service', 'operator/log']) {
      await page.goto(rig.at(address));
      await page.waitForLoadState('networkidle');
      await check(address);
    }
    await page.goto(rig.at('settings/keys'));
    await page.getByRole('button', { name: 'Generate New Key' }).click();
    await page.locator('dash-dialog').getByRole('button', { name: 'Generate New Key' }).click();
    await check('new key with an error');
    await page
      .getByRole('textbox', { name: 'Name' })
      .fill('A name so long that it needs more than one line on a phone');
    await page.keyboard.press('Enter');
    const password = page.locator('password-prompt').getByRole('textbox', { name: 'Password' });
    await password.waitFor();
    await check('password asked');
    await password.fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.locator('secret-field').waitFor();
    await check('key shown');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page
      .getByRole('button', { name: /^Delete/ })
      .first()
      .waitFor();
    await check('keys');
    await page.goto(rig.at('operator'));
    await page
      .getByRole('link', { name: /^Manage/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Give credits' }).waitFor();
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click();
      await check(`manage: ${await tab.innerText()}`);
    }
    expect(problems).toEqual([]);
    person.expectQuiet([REFUSED]);
  });
}

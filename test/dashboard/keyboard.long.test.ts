import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { focusedName, tabTo } from '../widget/keys.ts';
import { type DashboardRig, expectHeading, openDashboardRig, PASSWORD, REFUSED } from './dashboard-rig.ts';

let rig: DashboardRig;
beforeAll(async () => {
  rig = await openDashboardRig();
});

/** Goes to a control and presses it. */
async function press(page: Page, name: string, key = 'Enter'): Promise<void> {
  await tabTo({ page }, name);
  await page.keyboard.press(key);
}

/** The link that the service prints for its operator, since it sends no mail here. */
async function printedLink(during: () => Promise<void>): Promise<string> {
  let printed = '';
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text;
    return true;
  });
  try {
    await during();
    await expect.poll(() => printed).toMatch(/\/dashboard\/confirm#token=\S+/);
  } finally {
    spy.mockRestore();
  }
  return /\/dashboard\/confirm#token=\S+/.exec(printed)?.[0] ?? '';
}

describe('with the keyboard alone', () => {
  it('somebody signs up, makes a key, copies it, logs out and in again', async () => {
    const tab = await rig.browser.open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = tab;
    await page.goto(rig.at());
    await expectHeading(tab, 'Log in');
    await press(page, 'Sign up');
    await expectHeading(tab, 'Sign up');
    // Whoever cannot see hears where they are.
    await expect.poll(() => focusedName(page)).toBe('Sign up');
    await page.locator('input[name=email]').waitFor();
    await tabTo({ page }, 'Email address');
    await page.keyboard.type('keys@example.com');
    const link = await printedLink(async () => {
      await page.keyboard.press('Enter');
      await page.getByText('Ask the operator').first().waitFor();
    });

    await page.goto(`${rig.test.url}${link}`);
    await page.locator('input[name=password]').waitFor();
    await tabTo({ page }, 'New password');
    await page.keyboard.type('short');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('input[name=password]').getAttribute('aria-invalid')).toBe('true');
    await page.keyboard.press('Control+A');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await expectHeading(tab, 'Overview');

    await press(page, 'API Keys');
    await expectHeading(tab, 'API Keys');
    await page.getByText('No keys yet.').waitFor();
    await press(page, 'Generate New Key');
    await expect.poll(() => focusedName(page)).toBe('Name');
    await page.keyboard.press('Escape');
    await expect.poll(() => focusedName(page)).toBe('Generate New Key');
    await page.keyboard.press('Enter');
    await expect.poll(() => focusedName(page)).toBe('Name');
    await page.keyboard.type('Website');
    await page.keyboard.press('Enter');
    await expect.poll(() => focusedName(page)).toBe('Copy');
    await page.keyboard.press('Enter');
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^iw_/);
    await press(page, 'I have saved it');
    await page.getByRole('heading', { name: /^Website/ }).waitFor();

    await press(page, 'Log out');
    await expectHeading(tab, 'Log in');
    await page.locator('input[name=email]').waitFor();
    await tabTo({ page }, 'Email address');
    await page.keyboard.type('keys@example.com');
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await expectHeading(tab, 'Overview');
    tab.expectQuiet([REFUSED]);
  });

  it('the first stop of a page leads past the navigation', async () => {
    const { page } = await rig.enter();
    await page.goto(rig.at('credits'));
    await page.getByRole('heading', { name: 'Credit history' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await focusedName(page)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await expect.poll(() => focusedName(page)).toBe('Credits');
    await page.keyboard.press('Tab');
    expect(await focusedName(page)).toBe('Download CSV');
  });
});

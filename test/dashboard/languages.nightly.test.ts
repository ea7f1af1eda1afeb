import { beforeAll, describe, expect, it } from 'vitest';
import { findAccessibilityProblems } from '../support/accessibility.ts';
import { textOf } from '../widget/read-page.ts';
import { type DashboardRig, openDashboardRig, PASSWORD, REFUSED } from './dashboard-rig.ts';

let rig: DashboardRig;
beforeAll(async () => {
  rig = await openDashboardRig();
});

const HEADINGS = { de: 'Anmelden', fr: 'Se connecter', es: 'Iniciar sesión', ja: 'ログイン', ar: 'تسجيل الدخول' };

it.each(Object.entries(HEADINGS))('a browser in %s gets its language', async (locale, heading) => {
  const { page } = await rig.browser.open({ locale });
  await page.goto(rig.at('log-in'));
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
  const root = await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]);
  expect(root).toEqual([locale, locale === 'ar' ? 'rtl' : 'ltr']);
});

it('a chosen language is shown at once, remembered, and used for errors, figures and the image tool', async () => {
  const person = await rig.enter({ context: { locale: 'en-GB' } });
  const { page } = person;
  await page.getByRole('combobox', { name: 'Language' }).selectOption('de');
  await page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor();
  expect(await page.title()).toBe('Übersicht – Imagewright');
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor();
  await page.getByRole('link', { name: 'Ausprobieren', exact: true }).click();
  await page.locator('image-optimizer[data-state]').waitFor();
  await page.getByText('Ziehen Sie').or(page.getByText('Bilder hierher')).first().waitFor();
  await page.getByRole('link', { name: 'Konto', exact: true }).click();
  const form = page.getByRole('form', { name: 'Passwort ändern' });
  await form.getByRole('button', { name: 'Passwort ändern' }).click();
  await form.getByText('Bitte füllen Sie dieses Feld aus.').first().waitFor();
  await form.getByLabel('Bisheriges Passwort').fill('falsch');
  await form.getByLabel('Neues Passwort').fill(PASSWORD);
  await form.getByRole('button', { name: 'Passwort ändern' }).click();
  await form.getByText('Das Passwort ist falsch.').waitFor();
  await form.getByLabel('Bisheriges Passwort').fill(PASSWORD);
  await form.getByLabel('Neues Passwort').fill('password12345');
  await form.getByRole('button', { name: 'Passwort ändern' }).click();
  await form.getByText('Dieses Passwort ist zu verbreitet. Bitte wählen Sie ein anderes.').waitFor();
  person.expectQuiet([REFUSED]);
});

it('a password can be looked at before it is sent, and is hidden again', async () => {
  const { page } = await rig.browser.open();
  await page.goto(rig.at('log-in'));
  const field = page.locator('input[name=password]');
  await field.fill('rain');
  const show = page.getByRole('button', { name: 'Show password' });
  await show.click();
  expect([await field.getAttribute('type'), await show.getAttribute('aria-pressed')]).toEqual(['text', 'true']);
  await show.click();
  expect([await field.getAttribute('type'), await field.inputValue()]).toEqual(['password', 'rain']);
});

describe('from right to left', () => {
  it('a password does not run below its button', async () => {
    const { page } = await rig.browser.open({ locale: 'ar' });
    await page.goto(rig.at('log-in'));
    const room = await page.locator('input[name=password]').evaluate((input) => {
      const box = input.getBoundingClientRect();
      const button = input.nextElementSibling?.getBoundingClientRect();
      const { paddingLeft, paddingRight } = getComputedStyle(input);
      const before = box.left + Number.parseFloat(paddingLeft) - (button?.right ?? Number.NaN);
      const after = (button?.left ?? Number.NaN) - (box.right - Number.parseFloat(paddingRight));
      return Math.max(before, after);
    });
    expect(room).toBeGreaterThanOrEqual(0);
  });

  it('on a phone, tables begin where their heading does, signs stand before numbers, and tabs and days are one line', async () => {
    const { page, accountId } = await rig.enter({
      role: 'operator',
      context: { locale: 'ar', viewport: { width: 390, height: 844 } },
    });
    await page.goto(rig.at(`operator/account?account=${accountId}`));
    const menu = await page.getByRole('button', { name: 'القائمة' }).boundingBox();
    expect(menu?.x).toBeLessThan(40);
    const ledger = page.locator('ledger-view');
    await ledger.locator('td time').first().waitFor();
    const indent = await ledger
      .locator('th')
      .first()
      .evaluate((cell) => {
        const text = document.createRange();
        text.selectNodeContents(cell);
        return (cell.closest('table')?.getBoundingClientRect().right ?? 0) - text.getBoundingClientRect().right;
      });
    expect(Math.abs(indent)).toBeLessThan(1);
    const [sign, digit] = await ledger
      .locator('td.plus bdi')
      .first()
      .evaluate((cell) => {
        const letters = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        const places: number[] = [];
        while (letters.nextNode()) {
          const letter = document.createRange();
          letter.selectNodeContents(letters.currentNode);
          places.push(letter.getBoundingClientRect().left);
        }
        return places;
      });
    expect(sign).toBeLessThan(digit ?? 0);
    const from = await ledger.locator('#from').boundingBox();
    expect((await ledger.locator('#to').boundingBox())?.y).toBe(from?.y);
    expect(await page.getByRole('tablist').evaluate((tabs) => tabs.clientHeight)).toBeLessThan(50);
  });

  it('every page fits at 390 pixels, and axe finds nothing wrong', async () => {
    const person = await rig.enter({
      role: 'operator',
      context: { locale: 'ar', viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' },
    });
    const { page } = person;
    const problems: string[] = [];
    for (const address of [
      '',
      'credits',
      'settings/keys',
      'settings/account',
      'docs',
      'operator',
      'operator/service',
    ]) {
      await page.goto(rig.at(address));
      await page.waitForLoadState('networkidle');
      problems.push(...(await findAccessibilityProblems(page)).map((problem) => `/${address}: ${problem}`));
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (wider > 0) problems.push(`/${address}: ${wider} pixels too wide`);
      expect(await textOf(page.locator('main'))).not.toMatch(/undefined|\{\w+\}/);
    }
    expect(problems).toEqual([]);
    person.expectQuiet([REFUSED]);
  });
});

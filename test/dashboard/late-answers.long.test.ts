import { beforeAll, expect, it } from 'vitest';
import { expectLastLanguage, holdFirst } from '../support/hold-first.ts';
import { type DashboardRig, expectHeading, openDashboardRig, PASSWORD, REFUSED } from './dashboard-rig.ts';

/** Browsers report each answer that fails, and each request without one. */
const FAILED = /status of 503|ERR_FAILED|ERR_INTERNET_DISCONNECTED/;

let rig: DashboardRig;
beforeAll(async () => {
  rig = await openDashboardRig();
});

it('a late error of an earlier filter is neither shown nor told', async () => {
  const person = await rig.enter();
  const { page } = person;
  await page.goto(rig.at('credits'));
  await page.locator('ledger-view tbody tr').waitFor();
  const held = await holdFirst(page, '**/account/ledger?*', 503);
  await page.getByLabel('From').fill('2020-01-01');
  await held.reached;
  await page.getByLabel('Kind').selectOption('refund');
  await page.getByText('No entries match this filter.').waitFor();
  await page.getByText('0 entries').waitFor();
  await page.evaluate(() => {
    const told: string[] = [];
    Object.assign(window, { told });
    document.addEventListener('dash-say', (event) => told.push((event as CustomEvent).detail), true);
  });
  await held.release();
  expect(await page.locator('ledger-view .notice').count()).toBe(0);
  expect(await page.evaluate(() => (window as unknown as { told: string[] }).told)).toEqual([]);
  person.expectQuiet([REFUSED, FAILED]);
});

it('the figures are those of the chosen days, whichever answer comes last', async () => {
  const person = await rig.enter();
  const { page } = person;
  await page.goto(rig.at());
  const days = page.getByRole('combobox', { name: 'Period' });
  await days.waitFor();
  const held = await holdFirst(page, '**/account/usage?days=90');
  await days.selectOption('90');
  await held.reached;
  await days.selectOption('7');
  await expect.poll(() => page.locator('usage-chart svg g').count()).toBe(7);
  await held.release();
  expect(await page.locator('usage-chart svg g').count()).toBe(7);
  person.expectQuiet();
});

it('the page speaks the language that was chosen last', async () => {
  const person = await rig.enter({ context: { locale: 'en-GB' } });
  const { page } = person;
  await expectLastLanguage(page);
  person.expectQuiet();
});

it('nobody is told to be logged out while the service does not know of it', async () => {
  const person = await rig.enter();
  const { page } = person;
  await page.waitForLoadState('networkidle');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Log out' }).click();
  const said = page.locator('.toast p');
  await said.waitFor();
  expect(await said.textContent()).toContain('cannot be reached');
  await expectHeading(person, 'Overview');
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Log out' }).click();
  await expectHeading(person, 'Log in');
  person.expectQuiet([REFUSED, FAILED]);
});

it('nobody who has logged out is shown again by an answer that comes late', async () => {
  const person = await rig.enter();
  const { page, email } = person;
  await page.waitForLoadState('networkidle');
  const held = await holdFirst(page, '**/account/profile');
  await page.getByRole('link', { name: 'API Keys' }).click();
  await held.reached;
  await page.getByRole('button', { name: 'Log out' }).click();
  await expectHeading(person, 'Log in');
  await held.release();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(await page.getByText(email).count()).toBe(0);
  person.expectQuiet([REFUSED]);
});

it('credits are given once if the answer was lost and the operator tries again', async () => {
  const user = await rig.enter();
  const { page } = await rig.enter({ role: 'operator' });
  await page.goto(rig.at(`operator/account?account=${user.accountId}`));
  const balance = async () => (await rig.test.service.accounts.find(user.accountId))?.balance;
  const before = (await balance()) ?? 0;
  let lost = 0;
  await page.route('**/credits', async (route) => {
    const response = await route.fetch();
    if (response.ok() && lost === 0) {
      lost += 1;
      return route.abort();
    }
    return route.fulfill({ response });
  });
  const grant = page.getByRole('form', { name: 'Give credits' });
  await grant.getByLabel('Credits', { exact: true }).fill('10');
  await grant.getByRole('button').click();
  const dialog = page.locator('dash-dialog');
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await dialog.getByLabel('Password', { exact: true }).press('Enter');
  await grant.getByText('The service cannot be reached').waitFor();
  await grant.getByRole('button').click();
  await page.getByText(`Done. The balance is ${before + 10}.`).waitFor();
  expect([await balance(), lost]).toEqual([before + 10, 1]);
  // The same once more is another grant.
  await grant.getByLabel('Credits', { exact: true }).fill('10');
  await grant.getByRole('button').click();
  await page.getByText(`Done. The balance is ${before + 20}.`).waitFor();
});

it('a new key stays until it is said to be saved, however often Escape is pressed', async () => {
  const { page } = await rig.enter();
  await page.goto(rig.at('settings/keys'));
  await page.getByRole('button', { name: 'Generate New Key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Website');
  await page.locator('dash-dialog').getByRole('button', { name: 'Generate New Key' }).click();
  const field = page.getByRole('textbox', { name: 'Your new key' });
  await field.waitFor();
  for (let time = 0; time < 4; time += 1) await page.keyboard.press('Escape');
  await page.waitForLoadState('networkidle');
  expect(await field.isVisible()).toBe(true);
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await field.waitFor({ state: 'detached' });
});

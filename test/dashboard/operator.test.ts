import { beforeAll, expect, it } from 'vitest';
import { type DashboardRig, expectHeading, openDashboardRig, REFUSED } from './dashboard-rig.ts';

let rig: DashboardRig;
beforeAll(async () => {
  rig = await openDashboardRig();
});

it('an operator finds an account, gives credits, changes its plan, suspends it and resumes it', async () => {
  const user = await rig.enter();
  const { accounts } = rig.test.service;
  const operator = await rig.enter({ role: 'operator' });
  const { page } = operator;
  await page.getByRole('link', { name: 'Accounts' }).click();
  await expectHeading(operator, 'Accounts');
  await page.getByRole('searchbox').fill(user.email);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('button', { name: /^Manage/ }).count()).toBe(1);
  await page.getByRole('button', { name: `Manage ${user.email}` }).click();
  await page.getByLabel('Credits', { exact: true }).fill('75');
  await page.getByLabel('Note').fill('For the fair');
  await page.getByRole('button', { name: 'Give credits' }).click();
  await page.getByText('Done. The balance is 100.').waitFor();
  expect((await accounts.find(user.accountId))?.balance).toBe(100);

  await page.getByRole('combobox', { name: 'Plan' }).selectOption('agency');
  await page.getByRole('button', { name: 'Change plan' }).click();
  await page.getByText('The plan is agency.').waitFor();
  await user.page.goto(rig.at('credits'));
  await user.page.getByText('For the fair').waitFor();

  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('The account is suspended.').waitFor();
  await user.page.getByRole('link', { name: 'API Keys' }).click();
  await user.page
    .getByText(/suspended|session has ended/i)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('The account works again.').waitFor();
  expect((await accounts.find(user.accountId))?.plan).toBe('agency');

  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Run the audit' }).click();
  await page.getByText(/^All balances match the ledger/).waitFor();
  operator.expectQuiet([REFUSED]);
});

it('an operator makes an account and passes its link on; nobody suspends themselves', async () => {
  const operator = await rig.enter({ role: 'operator' });
  const { page } = operator;
  await page.goto(rig.at('operator'));
  await page.getByRole('button', { name: 'Invite a user' }).click();
  await page.getByLabel('Mail address').fill('guest@example.com');
  await page.getByRole('button', { name: 'Create the account' }).click();
  expect(await page.getByRole('textbox', { name: 'Invite a user' }).inputValue()).toMatch(/\/dashboard\/claim#token=/);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('heading', { name: /^guest@example.com/ }).waitFor();
  await page.getByRole('button', { name: `Manage ${operator.email}` }).click();
  await page.getByRole('button', { name: 'Give credits' }).waitFor();
  expect(await page.getByRole('button', { name: 'Suspend' }).count()).toBe(0);
  operator.expectQuiet([REFUSED]);
});

it('others neither see the page nor its link', async () => {
  const user = await rig.enter();
  expect(await user.page.getByRole('link', { name: 'Accounts' }).count()).toBe(0);
  await user.page.goto(rig.at('operator'));
  await expectHeading(user, 'Page not found');
});

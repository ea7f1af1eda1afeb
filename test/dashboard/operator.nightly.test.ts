import { beforeAll, expect, it } from 'vitest';
import type { Tab } from '../support/browser.ts';
import { type DashboardRig, expectHeading, openDashboardRig, PASSWORD, REFUSED } from './dashboard-rig.ts';

let rig: DashboardRig;
beforeAll(async () => {
  rig = await openDashboardRig();
});

/** Returns the type of the focused field, in the page. */
function focusedType(): string | null | undefined {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused?.getAttribute('type');
}

/** Answers the question for the operator's password. */
async function confirm({ page }: Pick<Tab, 'page'>, password = PASSWORD): Promise<void> {
  const dialog = page.locator('password-prompt dash-dialog');
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await dialog.getByLabel('Password', { exact: true }).press('Enter');
}

it('an operator finds an account, gives credits, changes its plan, suspends it and resumes it', async () => {
  const user = await rig.enter();
  const { accounts } = rig.test.service;
  const operator = await rig.enter({ role: 'operator' });
  const { page } = operator;
  await page.getByRole('link', { name: 'Accounts' }).click();
  await expectHeading(operator, 'Accounts');
  await page.getByRole('searchbox').fill(user.email);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('link', { name: /^Manage/ }).count()).toBe(1);
  await page.getByRole('link', { name: `Manage ${user.email}` }).click();
  const grant = page.getByRole('form', { name: 'Give credits' });
  await grant.getByLabel('Credits', { exact: true }).fill('75');
  await grant.getByLabel('Note').fill('For the fair');
  await grant.getByRole('button').click();
  await confirm(operator);
  await page.getByText('Done. The balance is 100.').waitFor();
  expect((await accounts.find(user.accountId))?.balance).toBe(100);
  // The head and the credit history below show it.
  await page.getByRole('row').filter({ hasText: 'For the fair' }).getByText('+75').waitFor();
  await page.getByText('100 credits').waitFor();

  await page.getByRole('tab', { name: 'Plan' }).click();
  await page.getByRole('combobox', { name: 'Plan' }).selectOption('agency');
  await page.getByRole('button', { name: 'Change plan' }).click();
  await page.getByText('The plan is agency.').waitFor();
  await user.page.goto(rig.at('credits'));
  await user.page.getByText('For the fair').waitFor();

  await page.getByRole('tab', { name: 'Danger' }).click();
  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('The account is suspended.').waitFor();
  await user.page.getByRole('link', { name: 'API Keys' }).click();
  await user.page
    .getByText(/suspended/i)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('The account works again.').waitFor();
  expect((await accounts.find(user.accountId))?.plan).toBe('agency');

  await page.getByRole('link', { name: 'Back to the accounts' }).click();
  await page.getByRole('button', { name: 'Check balances' }).click();
  await page.getByText(/^All balances are correct/).waitFor();
  operator.expectQuiet([REFUSED]);
});

it('an operator makes an account and passes its link on; nobody suspends themselves', async () => {
  const operator = await rig.enter({ role: 'operator' });
  const { page } = operator;
  await page.goto(rig.at('operator'));
  await page.getByRole('button', { name: 'Invite a user' }).click();
  await page.getByLabel('Email address').fill('guest@example.com');
  await page.getByRole('button', { name: 'Create the account' }).click();
  await confirm(operator);
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Invite a user' }).inputValue())
    .toMatch(/\/dashboard\/claim#token=/);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('heading', { name: /^guest@example.com/ }).waitFor();
  await page.getByRole('link', { name: `Manage ${operator.email}` }).click();
  await page.getByRole('button', { name: 'Give credits' }).waitFor();
  expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Credits', 'Plan', 'Keys and log-in']);
  operator.expectQuiet([REFUSED]);
});

it('the password is asked in a dialog of its own: closed, nothing happens; a wrong one is said; the right one goes on', async () => {
  const user = await rig.enter();
  const operator = await rig.enter({ role: 'operator' });
  const { page } = operator;
  const dialog = page.locator('password-prompt dash-dialog');
  const plan = async () => (await rig.test.service.accounts.find(user.accountId))?.plan;
  await page.goto(rig.at('operator'));
  await page.getByRole('searchbox').fill(user.email);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: `Manage ${user.email}` }).click();
  await page.getByRole('tab', { name: 'Plan' }).click();
  await page.getByRole('combobox', { name: 'Plan' }).selectOption('agency');
  const change = page.getByRole('button', { name: 'Change plan' });
  await change.click();
  await page.getByRole('dialog', { name: 'Confirm with your password' }).waitFor();
  expect(await page.evaluate(focusedType)).toBe('password');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Confirm this with your password.').waitFor();
  await change.waitFor();
  expect(await plan()).toBe('free');

  await change.click();
  await confirm(operator, 'a wrong one');
  await dialog.getByText('The password is wrong.').waitFor();
  await confirm(operator);
  await page.getByText('The plan is agency.').waitFor();
  expect([await plan(), await dialog.count()]).toEqual(['agency', 0]);
  // Valid for some minutes. The arrow keys change the tab.
  await page.getByRole('tab', { name: 'Plan' }).press('ArrowRight');
  await page.getByRole('tab', { name: 'Keys and log-in' }).press('ArrowRight');
  expect(new URL(page.url()).searchParams.get('tab')).toBe('danger');
  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('The account is suspended.').waitFor();
  operator.expectQuiet([REFUSED]);
});

it('others neither see the page nor its link', async () => {
  const user = await rig.enter();
  expect(await user.page.getByRole('link', { name: 'Accounts' }).count()).toBe(0);
  await user.page.goto(rig.at('operator'));
  await expectHeading(user, 'Page not found');
});

it('the operator log shows who did what to whom, is filtered, and can be downloaded', async () => {
  const user = await rig.enter();
  const operator = await rig.enter({ role: 'operator' });
  const { page } = operator;
  const { accounts } = rig.test.service;
  const actor = { accountId: operator.accountId, name: operator.email, address: '192.0.2.4' };
  const change = { from: 'free', to: 'agency' };
  await accounts.operatorLog.record(actor, { action: 'account.plan', target: user.accountId, change }, async () => {});
  await page.goto(rig.at());
  await page.getByRole('link', { name: 'Operator log' }).click();
  await expectHeading(operator, 'Operator log');
  await page.getByRole('searchbox', { name: 'Account' }).fill(user.email);
  await page.keyboard.press('Enter');
  const rows = page.getByRole('row').filter({ hasText: user.email });
  await expect.poll(() => rows.count()).toBe(1);
  const row = await rows.innerText();
  for (const text of [operator.email, '192.0.2.4', 'Plan changed', 'free → agency']) expect(row).toContain(text);
  await page.getByRole('combobox', { name: 'Action' }).selectOption('Credits given');
  await page.getByText('No entries match this filter.').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download CSV' }).click();
  expect((await download).suggestedFilename()).toMatch(/^imagewright-operator-log-.*\.csv$/);
  operator.expectQuiet([REFUSED]);
});

it('an operator changes a role, takes credits back, makes a new link, reads the ledger and deletes an account', async () => {
  const user = await rig.enter();
  const operator = await rig.enter({ role: 'operator' });
  const { page } = operator;
  const { accounts } = rig.test.service;
  const open = async () => {
    await page.goto(rig.at('operator'));
    await page.getByRole('searchbox').fill(user.email);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: `Manage ${user.email}` }).click();
  };
  await open();
  await page.getByRole('tab', { name: 'Plan' }).click();
  await page.getByRole('combobox', { name: 'Role' }).selectOption('operator');
  await page.getByRole('button', { name: 'Change role' }).click();
  await confirm(operator);
  await page.getByText('The role is changed.').waitFor();
  expect((await accounts.find(user.accountId))?.role).toBe('operator');

  await page.getByRole('tab', { name: 'Credits' }).click();
  const withdrawal = page.getByRole('form', { name: 'Take credits back' });
  await withdrawal.getByLabel('Credits', { exact: true }).fill('26');
  await withdrawal.getByRole('button').click();
  await withdrawal.getByText('The account has only 25 credits.').waitFor();
  await withdrawal.getByLabel('Credits', { exact: true }).fill('20');
  await withdrawal.getByLabel('Note').fill('By mistake');
  await withdrawal.getByRole('button').click();
  await page.getByText('Taken back. The balance is 5.').waitFor();
  await page.getByRole('row').filter({ hasText: 'By mistake' }).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download CSV' }).click();
  expect((await download).suggestedFilename()).toMatch(/^imagewright-ledger-.*\.csv$/);

  await page.getByRole('tab', { name: 'Keys and log-in' }).click();
  await page.getByRole('button', { name: 'Create a link' }).click();
  const link = page.getByRole('textbox', { name: 'New link' });
  await expect.poll(() => link.inputValue()).toMatch(/\/dashboard\/reset#token=/);

  await page.getByRole('link', { name: 'Back to the accounts' }).click();

  await open();
  await page.getByRole('tab', { name: 'Danger' }).click();
  const removal = page.getByRole('form', { name: 'Delete account' });
  await removal.getByRole('textbox').fill('somebody@example.com');
  await removal.getByRole('button').click();
  await removal.getByText('This is not the email address of the account.').waitFor();
  await removal.getByRole('textbox').fill(user.email);
  await removal.getByRole('button').click();
  await page.getByText(`${user.email} is deleted.`).waitFor();
  expect(await accounts.find(user.accountId)).toBeNull();
  // 402: more credits than the account has.
  operator.expectQuiet([REFUSED, /status of 402/]);
});

it('an operator sees disk, descriptions, mail, queue, usage and plans of the whole service', async () => {
  const operator = await rig.enter({ role: 'operator' });
  const { page } = operator;
  await page.getByRole('link', { name: 'Service' }).click();
  await expectHeading(operator, 'Service');
  const state = page.getByRole('region', { name: 'State' });
  for (const text of [
    /GB of [\d.]+ [GT]B free/,
    'Off: no AI service is set up',
    'Off: links are printed in the log',
    /Workers busy: \d+ of \d+/,
    /^0 of \d+ failed$/,
    /^\d+ refused$/,
    /^Version [\d.]+\. Since the start, .+: \d+ requests, /,
  ])
    await state.getByText(text).waitFor();
  const checked = await state.getByText(/^Checked at/).innerText();
  await state.getByRole('button', { name: 'Check again' }).click();
  await expect.poll(() => state.getByText(/^Checked at/).innerText()).not.toBe(checked);
  await page.getByRole('region', { name: 'Usage' }).getByText('Images exported').waitFor();
  const plans = page.getByRole('region', { name: 'Plans' });
  await expect.poll(() => plans.getByRole('row').count()).toBe(3);
  await expect.poll(() => plans.innerText()).toMatch(/free\s+for new accounts/);
  operator.expectQuiet([REFUSED]);
});

it('an operator sees the last hour: its queue drawn and in words, what failed and what was refused', async () => {
  const operator = await rig.enter({ role: 'operator' });
  const { page } = operator;
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const looks = [
    { at: ago(50), waiting: 0, busy: 1 },
    { at: ago(10), waiting: 12, busy: 1 },
    { at: ago(5), waiting: 3, busy: 0 },
  ];
  await page.route('**/account/operator/state', async (route) => {
    const response = await route.fetch();
    const state = (await response.json()) as { lastHour: { queue: unknown[] } };
    const lastHour = { ...state.lastHour, all: 40, failed: 2, refused: 5, images: 0 };
    // What the server sends is as it was just started.
    expect(state.lastHour.queue.length).toBeGreaterThan(0);
    await route.fulfill({ response, json: { ...state, lastHour: { ...lastHour, queue: looks } } });
  });
  await page.goto(rig.at('operator/service'));
  const chart = page.getByRole('img', { name: 'Queue of the last hour' });
  await chart.waitFor();
  const told = page.locator('#queue-hour');
  expect(await told.innerText()).toMatch(
    /^Most images that waited: 12, at \d+:\d\d.[AP]M\.\s+Most busy workers: 1 of \d+\.$/,
  );
  expect(await chart.getAttribute('aria-describedby')).toBe('queue-hour');
  const boxes = await chart.locator('g').evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON()));
  const [early, long, late] = boxes.map(({ x, height }: DOMRect) => ({ x, height }));
  const { width, height } = (await chart.boundingBox()) ?? { width: 0, height: 0 };
  expect(long?.height).toBeCloseTo(height, -1);
  expect((early?.height ?? 0) / (long?.height ?? 1)).toBeCloseTo(1 / 13, 1);
  expect((late?.height ?? 0) / (long?.height ?? 1)).toBeCloseTo(3 / 13, 1);
  expect(((long?.x ?? 0) - (early?.x ?? 0)) / width).toBeCloseTo(40 / 60, 2);
  const lamp = page.locator('.lamp.bad');
  expect(await lamp.innerText()).toMatch(/Requests, last hour\s+2 of 40 failed\s+5 refused/);
  operator.expectQuiet([REFUSED]);
});

it('an operator checks the installation, and reads what was tried and what came', async () => {
  const { page } = await rig.enter({ role: 'operator' });
  await page.getByRole('link', { name: 'Service' }).click();
  const card = page.locator('installation-check');
  await card.getByRole('button', { name: 'Check now' }).click();
  await card.getByText(/^Nothing is wrong\./).waitFor();
  const rows = card.getByRole('listitem');
  await rows.filter({ hasText: 'Public address' }).getByText('this installation answers there').waitFor();
  expect(await rows.filter({ hasText: 'Database' }).getByText('Good').count()).toBe(1);
});

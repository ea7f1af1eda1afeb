import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApiClient } from '../support/api-client.ts';
import { newGate } from '../support/gate.ts';
import { plainImages } from '../support/small-images.ts';
import { type DashboardRig, expectHeading, openDashboardRig, PASSWORD, REFUSED } from './dashboard-rig.ts';

let rig: DashboardRig;
beforeAll(async () => {
  rig = await openDashboardRig();
});

describe('log-ins', () => {
  it('a page that needs one leads to the log-in page and back', async () => {
    const { email } = await rig.enter();
    const tab = await rig.browser.open();
    const { page } = tab;
    await page.goto(rig.at('settings/account'));
    await expectHeading(tab, 'Log in');
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').getByText(/wrong/).waitFor();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await expectHeading(tab, 'Account');
    expect(page.url()).toBe(rig.at('settings/account'));
    tab.expectQuiet([REFUSED]);
  });

  it('one that was ended elsewhere leads to the log-in page at the next request', async () => {
    const person = await rig.enter();
    const { page } = person;
    await page.goto(rig.at('credits'));
    await page.getByRole('heading', { name: 'Credit history' }).waitFor();
    // A request of this page that comes later would lead to the log-in page before the press.
    await page.waitForLoadState('networkidle');
    await rig.test.service.signIn.browserSessions.revokeAll(person.accountId);
    await page.getByRole('link', { name: 'API Keys' }).click();
    await expectHeading(person, 'Log in');
    await page.getByText('You were logged out. Log in to continue.').waitFor();
    expect(new URL(page.url()).searchParams.get('next')).toBe('settings/keys');
  });

  it('others are listed and ended, one by one and by a new password', async () => {
    const person = await rig.enter();
    const { page } = person;
    const other = await rig.browser.open();
    await other.page.goto(rig.at('log-in'));
    await other.page.getByLabel('Email address').fill(person.email);
    await other.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await other.page.getByRole('button', { name: 'Log in' }).click();
    await expectHeading(other, 'Overview');

    await page.goto(rig.at('settings/account'));
    await page.getByRole('button', { name: /^Log out Chrome/ }).click();
    await page.getByText('1 browser was logged out.').waitFor();
    // The message comes before the list is read anew.
    await expect.poll(() => page.getByRole('button', { name: /^Log out Chrome/ }).count()).toBe(0);
    await other.page.goto(rig.at());
    await expectHeading(other, 'Log in');

    const form = page.getByRole('form', { name: 'Change password' });
    await form.getByLabel('Current password').fill('not the password');
    await form.getByLabel('New password').fill('another row of words');
    await form.getByRole('button', { name: 'Change password' }).click();
    await expect.poll(() => form.getByLabel('Current password').getAttribute('aria-invalid')).toBe('true');
    await form.getByLabel('Current password').fill(PASSWORD);
    await form.getByLabel('New password').fill('password12');
    await form.getByRole('button', { name: 'Change password' }).click();
    await expect.poll(() => form.getByLabel('New password').getAttribute('aria-invalid')).toBe('true');
    await form.getByLabel('New password').fill('another row of words');
    await form.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The password is changed.').waitFor();
    await page.reload();
    await expectHeading(person, 'Account');
    person.expectQuiet([REFUSED]);
  });

  it('says when to try again after too many attempts', async () => {
    const tab = await rig.browser.open();
    const { page } = tab;
    await page.goto(rig.at('log-in'));
    await page.getByLabel('Email address').fill('nobody@example.com');
    const said = page.getByRole('alert').getByText(/Try again in \d+ minutes|Try again in a minute/);
    for (let attempt = 0; attempt < 30 && (await said.count()) === 0; attempt += 1) {
      await page.getByLabel('Password', { exact: true }).fill(`wrong ${attempt}`);
      const answered = page.waitForResponse((response) => response.url().endsWith('/account/log-in'));
      await page.getByRole('button', { name: 'Log in' }).click();
      await answered;
      await page.getByRole('button', { name: 'Log in' }).waitFor();
    }
    await said.waitFor();
  });
});

it('the overview shows the use of each limit; an account without limits sees none', async () => {
  const limited = await rig.enter();
  const limits = limited.page.getByRole('region', { name: 'Limits of your plan' });
  await limits.getByText('0 of 50', { exact: true }).first().waitFor();
  await limits.getByText(/^0 bytes of 2 GB$/).waitFor();
  await limits.getByText('0 of 100', { exact: true }).waitFor();
  await limited.context.close();
  const open = await rig.enter({ plan: 'agency' });
  await expect.poll(() => open.page.locator('#balance').textContent()).toMatch(/^25/);
  expect(await open.page.getByRole('region', { name: 'Limits of your plan' }).count()).toBe(0);
  await open.context.close();
});

it('the ledger is filtered and downloaded', async () => {
  const person = await rig.enter();
  const { page } = person;
  await rig.test.service.accounts.ledger.grant({
    accountId: person.accountId,
    ref: 'gift',
    amount: 40,
    note: 'For the fair',
  });
  const { apiKey } = await rig.test.service.accounts.keys.create({ accountId: person.accountId, name: 'Website' });
  const api = createApiClient({ url: rig.test.url, apiKey });
  await api.run('export', await api.upload(await plainImages(2)), { format: 'jpeg', preset: 'very_high' });
  await page.goto(rig.at('credits'));
  await page.getByText('For the fair').waitFor();
  await expect.poll(() => page.getByRole('row').count()).toBe(4);
  // In words, without ids.
  const charge = page.getByRole('row').filter({ hasText: '−2' });
  expect((await charge.innerText()).replace(/\s+/g, ' ')).toMatch(/^Export ?2 images · JPEG Very high/);
  expect(await page.getByRole('table').innerText()).not.toMatch(/(job|grant|acct)_|gift/);
  await page.getByLabel('Kind').selectOption('grant');
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download CSV' }).click(),
  ]);
  const csv = await readFile(await download.path(), 'utf8');
  expect(csv.trim().split('\n')).toHaveLength(2);
  expect(csv).toContain('For the fair');
  await page.getByLabel('From').fill('2020-01-01');
  await page.getByLabel('To', { exact: true }).fill('2020-01-02');
  await page.getByText('No entries match this filter.').waitFor();
  person.expectQuiet([REFUSED]);
});

it('a double click on More reads the next entries once, and a late answer to an earlier filter is dropped', async () => {
  const person = await rig.enter();
  const { page } = person;
  for (let gift = 0; gift < 30; gift += 1) {
    await rig.test.service.accounts.ledger.grant({
      accountId: person.accountId,
      ref: `gift-${gift}`,
      amount: 1,
      note: '',
    });
  }
  await page.goto(rig.at('credits'));
  const rows = page.locator('ledger-view tbody tr');
  await expect.poll(() => rows.count()).toBe(25);
  await page.getByRole('button', { name: 'Show more' }).dblclick();
  await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle');
  // The grants and the credits of a new account.
  expect(await rows.count()).toBe(31);

  // The answer for all kinds comes after that for refunds.
  const gate = newGate();
  await page.route('**/account/ledger?*', async (route) => {
    await gate.pass();
    await route.continue();
  });
  await page.getByLabel('From').fill('2020-01-01');
  await gate.reached;
  await page.getByLabel('Kind').selectOption('refund');
  await page.getByText('No entries match this filter.').waitFor();
  const late = page.waitForResponse((response) => !response.url().includes('kind=refund'));
  gate.open();
  await (await late).finished();
  await page.waitForLoadState('networkidle');
  expect(await rows.count()).toBe(0);
  person.expectQuiet([REFUSED]);
});

it('a page of an account is shown again after a log-in on the way', async () => {
  const user = await rig.enter();
  const operator = await rig.enter({ role: 'operator' });
  const { page } = operator;
  await page.goto(rig.at(`operator/account?account=${user.accountId}&tab=plan`));
  await page.getByRole('button', { name: 'Change plan' }).waitFor();
  await rig.test.service.signIn.browserSessions.revokeAll(operator.accountId);
  await page.getByRole('button', { name: 'Change plan' }).click();
  await expectHeading(operator, 'Log in');
  await page.getByLabel('Email address').fill(operator.email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { level: 2, name: user.email }).waitFor();
  await page.getByRole('button', { name: 'Change plan' }).waitFor();
  operator.expectQuiet([REFUSED]);
});

it('an account is deleted with its password, and is gone', async () => {
  const person = await rig.enter();
  const { page } = person;
  await page.goto(rig.at('settings/account'));
  await page.getByRole('button', { name: 'Delete account…' }).click();
  const form = page.locator('dash-dialog');
  await form.getByLabel('Current password').fill('not the password');
  await form.getByRole('button', { name: 'Delete permanently' }).click();
  await expect.poll(() => form.getByLabel('Current password').getAttribute('aria-invalid')).toBe('true');
  await form.getByLabel('Current password').fill(PASSWORD);
  await form.getByRole('button', { name: 'Delete permanently' }).click();
  await expectHeading(person, 'Log in');
  await page.getByText('Your account is deleted.').waitFor();
  expect(await rig.test.service.accounts.find(person.accountId)).toBeNull();
  person.expectQuiet([REFUSED]);
});

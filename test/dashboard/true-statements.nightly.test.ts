import { beforeAll, describe, expect, it } from 'vitest';
import { type SharedBrowser, sharedBrowser, type Tab } from '../support/browser.ts';
import { startFakeVisionServer } from '../support/fake-vision-server.ts';
import { startMailServer } from '../support/mail-server.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImages } from '../support/small-images.ts';
import { textOf } from '../widget/read-page.ts';
import {
  type DashboardRig,
  enterAccount,
  expectHeading,
  openDashboardRig,
  PASSWORD,
  REFUSED,
} from './dashboard-rig.ts';

let rig: DashboardRig;
beforeAll(async () => {
  rig = await openDashboardRig();
});

/** Opens another service with these settings, and closes it. */
async function withService(
  env: Record<string, string>,
  run: (test: TestService, browser: SharedBrowser) => Promise<void>,
) {
  const test = await startTestService({ SIGN_UP: 'open', ...env });
  try {
    await run(test, await sharedBrowser());
  } finally {
    await test.close();
  }
}

async function invite({ page }: Tab, email: string): Promise<void> {
  await page.getByRole('link', { name: 'Accounts' }).click();
  await page.getByRole('button', { name: 'Invite a user' }).click();
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Create the account' }).click();
  await page.locator('password-prompt').getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.keyboard.press('Enter');
}

describe('a mail is promised', () => {
  it('only by a service that sends mail: not at an invitation, a sign-up, a reset or a new address', async () => {
    const operator = await rig.enter({ role: 'operator' });
    const { page } = operator;
    await invite(operator, 'no-mail@example.com');
    await page.getByText('no-mail@example.com has an account now. Pass the link on.').waitFor();
    await page.goto(rig.at('settings/account'));
    const form = page.getByRole('form', { name: 'Change email address' });
    await form.getByLabel('New email address').fill('elsewhere@example.com');
    await form.getByLabel('Current password').fill(PASSWORD);
    await form.getByRole('button', { name: 'Change email address' }).click();
    await page.getByText('elsewhere@example.com is not confirmed yet. Ask the operator').waitFor();
    expect(await textOf(page.locator('body'))).not.toMatch(/link in the email|on its way/);
    for (const address of ['sign-up', 'forgot']) {
      const visitor = await rig.browser.open();
      await visitor.page.goto(rig.at(address));
      await visitor.page.getByText('The operator of this service will give you a link').waitFor();
      await visitor.page.getByLabel('Email address').fill('somebody@example.com');
      await visitor.page.getByRole('button', { name: 'Request a link' }).click();
      await visitor.page.getByText('This service sends no email.').waitFor();
      expect(await visitor.page.getByText('Check your mail').count()).toBe(0);
    }
  });

  it('by one that sends it', async () => {
    const mail = await startMailServer();
    await withService({ SMTP_URL: mail.url, MAIL_FROM: 'images@example.com' }, async (test) => {
      const operator = await enterAccount(test, rig.browser, { role: 'operator' });
      await invite(operator, 'mailed@example.com');
      await operator.page.getByText('mailed@example.com has an account now, and will receive an email').waitFor();
      await mail.mailTo('mailed@example.com');
    });
    await mail.close();
  });
});

describe('what leaves the server', () => {
  it('is told where somebody describes images, and never denied', async () => {
    const vision = await startFakeVisionServer();
    const model = { AI_PROVIDER: 'openai-compatible', AI_MODEL: 'fake-model', AI_CANARY: 'off' };
    const statement = async (env: Record<string, string>) => {
      let text = '';
      await withService(env, async (test) => {
        const visitor = await rig.browser.open();
        await visitor.page.goto(`${test.url}/dashboard/log-in`);
        await visitor.page.getByText('No tracking').waitFor();
        expect(await textOf(visitor.page.locator('body'))).not.toMatch(/nothing leaves/i);
        const { page } = await enterAccount(test, rig.browser);
        await page.getByRole('navigation').getByRole('link', { name: 'Playground' }).click();
        await page.locator('image-optimizer[data-state]').waitFor();
        text = await textOf(page.locator('playground-page'));
      });
      return text;
    };
    expect(await statement({})).not.toMatch(/describe/i);
    expect(await statement({ ...model, AI_BASE_URL: vision.url })).toContain(
      'described within the network of this server',
    );
    expect(await statement({ ...model, AI_BASE_URL: 'https://ai.example.com/v1' })).toContain(
      'a reduced copy is sent to the AI service',
    );
    await vision.close();
  });
});

it('recent jobs have names, and what a free sample saves is not counted as saved', async () => {
  const person = await rig.enter();
  const { page } = person;
  const { apiKey } = await rig.test.service.accounts.keys.create({ accountId: person.accountId, name: 'jobs' });
  const { createApiClient } = await import('../support/api-client.ts');
  const api = createApiClient({ url: rig.test.url, apiKey });
  const uploaded = await api.upload(await plainImages(2, { width: 640, height: 480 }));
  await api.run('sample', uploaded);
  const analysis = await api.request(`/v1/sessions/${uploaded.sessionId}/analyze`, { json: {} });
  await analysis.text();
  await page.goto(rig.at());
  const jobs = page.getByRole('region', { name: 'Recent jobs' });
  await jobs.getByText('Description').waitFor();
  const text = await textOf(jobs);
  expect(text).toMatch(/Sample/);
  expect(text).not.toMatch(/analyze|saved|credit/);
  const figure = (name: string) => page.locator('.figure', { hasText: name }).innerText();
  expect(await figure('Saved')).toMatch(/0 bytes/);
  await api.run('export', uploaded);
  await page.reload();
  await jobs.getByText('Export').waitFor();
  await expect.poll(() => jobs.innerText()).toMatch(/2 credits/);
  // The share says of which bytes it is one.
  expect(await figure('Saved')).toMatch(/\d+% of [\d.,]+ (kB|bytes|byte)/);
});

it('one is not many: accounts, entries, keys, images', async () => {
  await withService({}, async (test) => {
    // The only account besides that of the test service.
    const operator = await enterAccount(test, rig.browser, { role: 'operator' });
    const { page } = operator;
    await page.getByRole('link', { name: 'Accounts' }).click();
    await page.getByRole('button', { name: 'Check balances' }).click();
    const statement = await page.getByText(/^All balances are correct/).innerText();
    expect(statement).toMatch(/ \d+ accounts?, \d+ entr(y|ies)\.$/);
    expect(statement).not.toMatch(/\b1 (accounts|entries)|\b[02-9] (account|entry)\b/);
  });
});

it('a suspended account is told why, and can log out', async () => {
  const person = await rig.enter();
  const { page } = person;
  // A request of the overview that is refused shows the notice before the click.
  await page.waitForLoadState('networkidle');
  await rig.test.service.accounts.setSuspended(person.accountId, true);
  await page.getByRole('link', { name: 'Credits', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Account suspended' }).waitFor();
  await page.reload();
  await page.getByText('Your account is suspended. Ask the operator of this service.').waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();
  await expectHeading(person, 'Log in');
  // The cookie is gone, so another account can log in.
  const other = await rig.enter();
  await page.getByLabel('Email address').fill(other.email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  await expectHeading(person, 'Overview');
  person.expectQuiet([REFUSED]);
});

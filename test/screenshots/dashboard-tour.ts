import type { Page } from 'playwright-core';
import type { Snap } from './journeys.ts';
import type { Scene, Stage } from './stage.ts';

const PASSWORD = 'nine photographs of rain';

/** Pages are at rest when nothing is fetched any more and transitions are over. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(400);
}

/** The path of a link that makes a new account the reader's, as the first start prints it. */
export async function claimPath({ test }: Stage, account: { accountId: string }): Promise<string> {
  const link = new URL(await test.service.signIn.claims.createLink(account.accountId));
  return `${link.pathname}${link.hash}`;
}

/** Every page of the dashboard, from the link to the operator's page. */
export async function tourDashboard(stage: Stage, { page, account }: Scene, snap: Snap): Promise<void> {
  const { url, service } = stage.test;
  const go = async (path: string) => {
    await page.goto(`${url}/dashboard/${path}`);
    await settle(page);
  };
  const visit = async (name: string, path: string) => {
    await go(path);
    await snap(name, { full: true });
  };
  await visit('01-log-in', '');
  await visit('02-sign-up', 'sign-up');
  await page.getByLabel('Mail address').fill('someone@example.com');
  await page.getByRole('button', { name: 'Send me the link' }).click();
  await settle(page);
  await snap('03-sent');
  await page.goto(`${url}${await claimPath(stage, account)}`);
  await settle(page);
  await page.getByLabel('New password').fill('short');
  await page.getByRole('button', { name: 'Make it mine' }).click();
  await snap('04-claim');
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Make it mine' }).click();
  await page.getByRole('heading', { name: 'From here' }).waitFor();
  await settle(page);
  await snap('05-overview-new', { full: true });
  if ((page.viewportSize()?.width ?? 0) < 860) {
    await page.getByRole('button', { name: 'Menu' }).click();
    await snap('06-menu');
    await page.getByRole('button', { name: 'Menu' }).click();
  }
  await visit('07-keys-full', 'settings/keys');
  await service.accounts.setPlan(account.accountId, 'agency');
  await go('settings/keys');
  await page.getByRole('button', { name: 'Generate New Key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Website');
  await snap('08-key-new');
  await page.locator('dash-dialog').getByRole('button', { name: 'Generate New Key' }).click();
  await page.locator('secret-field').waitFor();
  await settle(page);
  await snap('09-key-shown');
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await page.getByRole('button', { name: 'Deactivate test' }).click();
  await settle(page);
  await snap('10-keys', { full: true });
  await page.getByRole('button', { name: 'Delete test' }).click();
  await settle(page);
  await snap('11-key-delete');

  await go('playground');
  const widget = page.locator('image-optimizer');
  await widget.locator('input[type=file]').first().setInputFiles(stage.photos);
  await page.waitForFunction(
    () => {
      const app = document.querySelector('dash-app')?.shadowRoot?.querySelector('playground-page')?.shadowRoot;
      return (app?.querySelector('image-optimizer') as unknown as { state: string } | null)?.state === 'ready';
    },
    null,
    { timeout: 60_000 },
  );
  await widget.locator('button.export').click();
  await page.waitForTimeout(400);
  await page.keyboard.press('Enter');
  await widget
    .getByRole('button', { name: /^Download/ })
    .first()
    .waitFor({ timeout: 60_000 });
  await settle(page);
  await snap('12-playground', { full: true });
  await visit('13-overview', '');
  await page.getByRole('button', { name: 'Show as a table' }).click();
  await snap('14-overview-table', { full: true });
  await visit('15-credits', 'credits');
  await visit('16-account', 'settings/account');
  await visit('17-docs', 'docs');
  await service.accounts.setRole(account.accountId, 'operator');
  await go('operator');
  await page.getByRole('button', { name: 'Check the books' }).click();
  await settle(page);
  await snap('18-operator', { full: true });
  await page
    .getByRole('button', { name: /^Manage/ })
    .first()
    .click();
  await settle(page);
  await snap('19-manage');
  await visit('20-not-found', 'nowhere');
}

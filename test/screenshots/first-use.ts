import { claimPath } from './dashboard-tour.ts';
import type { Snap } from './journeys.ts';
import type { Scene, Stage } from './stage.ts';

/** What the first start leads to, as a new user sees it: the link was opened, photographs were exported. */
export async function showFirstUse(stage: Stage, { page, account }: Scene, snap: Snap): Promise<void> {
  const { url, service } = stage.test;
  const claimed = { email: 'you@example.com', passwordHash: 'of a password' };
  for await (const { id, email } of service.accounts.list())
    if (id === account.accountId) await service.accounts.claim({ id, email }, claimed);
  await page.goto(`${url}${await claimPath(stage, account)}`);
  await page.getByLabel('New password').fill('nine photographs of rain');
  await page.getByRole('button', { name: 'Make it mine' }).click();
  await page.getByRole('link', { name: 'Playground' }).click();
  const widget = page.locator('image-optimizer');
  for (const photos of [stage.photos.slice(0, 4), stage.photos.slice(4)]) {
    await widget.locator('input[type=file]').first().setInputFiles(photos);
    await widget.locator('button.export:not([aria-disabled=true], [disabled])').click({ timeout: 60_000 });
    await widget.locator('dialog button[value=yes]').click();
    await widget.locator('dialog button[value=yes]').waitFor({ state: 'detached' });
    await page.waitForTimeout(4000);
  }
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByLabel('Period').selectOption('7');
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(500);
  await snap('overview');
}

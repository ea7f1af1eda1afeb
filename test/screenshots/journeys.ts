import type { Page } from 'playwright-core';
import type { Scene, Stage } from './stage.ts';

/** Keeps a picture of the window as `docs/images/<name>.webp`. */
export type Keep = (name: string) => Promise<void>;

const element = (page: Page) => page.locator('image-optimizer:visible').first();

async function untilReady(page: Page): Promise<void> {
  await page.waitForFunction(
    () => (document.querySelector('image-optimizer') as unknown as { state: string }).state === 'ready',
  );
  await settle(page);
}

/** Waits until thumbnails are there and transitions are over. */
async function settle(page: Page): Promise<void> {
  await page.waitForTimeout(500);
}

/** Uploads and describes photographs in the demo page, and compares a sample. */
export async function reviewAndCompare(stage: Stage, { page, url, account }: Scene, keep: Keep): Promise<void> {
  await page.goto(url);
  await page.getByLabel('API key').fill(account.apiKey);
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.locator('#connect').waitFor({ state: 'hidden' });

  const widget = element(page);
  await widget.locator('input[type=file]').first().setInputFiles(stage.photos);
  await untilReady(page);
  await widget.evaluate((each) => (each as unknown as { analyze(): Promise<void> }).analyze());
  await untilReady(page);
  await widget.evaluate((each) => each.scrollIntoView());
  await settle(page);
  await keep('review');

  await widget.locator('button.sample').click();
  await widget.locator('io-compare').waitFor();
  await widget.locator('io-compare .cover').waitFor({ state: 'detached' });
  await settle(page);
  await keep('compare');
}

/** Opens the first account by its link, exports photographs in the playground and shows the dashboard's overview. */
export async function firstUse(stage: Stage, { page, account }: Scene, keep: Keep): Promise<void> {
  const { url, service } = stage.test;
  const claimed = { email: 'you@example.com', passwordHash: 'of a password' };
  for await (const { id, email } of service.accounts.list())
    if (id === account.accountId) await service.accounts.claim({ id, email }, claimed);
  const { pathname, hash } = new URL(await service.signIn.claims.createLink(account.accountId));
  await page.goto(`${url}${pathname}${hash}`);
  await page.getByLabel('New password').fill('nine photographs of rain');
  await page.getByRole('button', { name: 'Create my log-in' }).click();
  await page.getByRole('link', { name: 'Playground' }).click();
  const widget = page.locator('image-optimizer');
  for (const photos of [stage.photos.slice(0, 4), stage.photos.slice(4)]) {
    await widget.locator('input[type=file]').first().setInputFiles(photos);
    await widget.locator('button.export:not([aria-disabled=true], [disabled])').click();
    await widget.locator('dialog button[value=yes]').click();
    await widget.locator('dialog button[value=yes]').waitFor({ state: 'detached' });
    await page.waitForTimeout(4000);
  }
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByLabel('Period').selectOption('7');
  await page.waitForLoadState('networkidle');
  await settle(page);
  await keep('dashboard');
}

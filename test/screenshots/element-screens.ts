import type { Locator, Page } from 'playwright-core';
import { createShoot, settle } from './screens.ts';
import type { Stage } from './stage.ts';

/** Waits until the element is idle. */
async function untilReady(page: Page, widget: Locator): Promise<void> {
  const state = () => widget.evaluate((each) => (each as unknown as { state: string }).state);
  while ((await state()) !== 'ready') await page.waitForTimeout(200);
  await settle(page);
}

/** Takes pictures of the demo page and of the element with 30 images, from the first look to the files. */
export async function elementScreens(stage: Stage, page: Page): Promise<void> {
  const { apiKey } = await stage.test.createAccount({ credits: 300 });
  const shoot = await createShoot(page, (locale) => page.locator('#options select').selectOption(locale));
  await page.goto(`${stage.test.url}/demo/`);
  await page.getByLabel('API key').waitFor();
  await shoot('demo', 'light');
  await page.getByLabel('API key').fill(apiKey);
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.locator('#connect').waitFor({ state: 'hidden' });

  const widget = page.locator('image-optimizer:visible').first();
  const pictures = (await stage.thirty()).map(({ name, bytes: buffer }) => ({ name, mimeType: 'image/jpeg', buffer }));
  await widget.locator('input[type=file]').first().setInputFiles(pictures);
  await untilReady(page, widget);
  await widget.evaluate((each) => (each as unknown as { analyze(): Promise<void> }).analyze());
  await untilReady(page, widget);
  await shoot('list', 'light', 'dark', 'phone', 'arabic');
  await widget.getByRole('button', { name: 'Grid' }).click();
  await widget.locator('.card canvas').nth(11).waitFor();
  await shoot('grid', 'light');
  await widget.getByRole('button', { name: 'List', exact: true }).click();
  await widget.locator('.settings button').first().click();
  await shoot('settings', 'light', 'arabic');
  await page.keyboard.press('Escape');

  await widget.locator('button.review').click();
  await widget.locator('io-review .strip canvas').nth(13).waitFor();
  await shoot('review', 'light', 'dark', 'phone', 'arabic');
  for (let image = 0; image < pictures.length; image += 1) await page.keyboard.press('Enter');
  await shoot('review-end', 'light');
  await page.keyboard.press('Escape');

  await widget.locator('button.sample').click();
  await widget.locator('io-compare').waitFor();
  await widget.locator('io-compare .cover').waitFor({ state: 'detached' });
  await widget.locator('.presets button', { hasText: /\d/ }).nth(5).waitFor({ timeout: 300_000 });
  await shoot('compare', 'light', 'dark', 'phone', 'arabic');
  await page.keyboard.press('Escape');

  await widget.locator('button.export').click();
  await shoot('export-asked', 'light');
  await widget.locator('dialog button[value=yes]').click();
  await widget.locator('.download-all').waitFor({ timeout: 300_000 });
  await shoot('exported', 'light', 'phone');
}

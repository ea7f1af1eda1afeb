import type { Page } from 'playwright-core';
import type { CreatedShare } from '#contract';
import { createShoot } from './screens.ts';
import type { Stage } from './stage.ts';

/** Takes pictures of a shared link with 30 images: at first, compared while a change is asked for, half answered, and at the end. */
export async function shareScreens(stage: Stage, page: Page): Promise<void> {
  const { api } = await stage.test.createAccount({ credits: 100 });
  const uploaded = await api.upload(await stage.thirty());
  await stage.describe(api, uploaded);
  await api.run('export', uploaded);
  const json = { sender: 'The Harbour Gazette' };
  const { url } = await api.readJson<CreatedShare>(`/v1/sessions/${uploaded.sessionId}/shares`, { json });
  const shoot = await createShoot(page, (locale) => page.locator('header select').selectOption(locale));

  await page.goto(url);
  await page.locator('share-image img').first().waitFor();
  await shoot('share', 'light', 'dark', 'phone', 'arabic');
  const cards = page.locator('share-image');
  await cards.first().getByRole('button', { name: 'Compare before and after' }).click();
  await cards.first().getByRole('slider').waitFor();
  await cards.first().getByRole('button', { name: 'Please change' }).click();
  await page.keyboard.type('Could the sky be a little brighter?');
  await shoot('share-change', 'phone');
  await cards.first().getByRole('button', { name: 'Send' }).click();
  for (const at of [1, 2, 3]) await cards.nth(at).getByRole('button', { name: 'Approve' }).click();
  await shoot('share-answered', 'light');
  await page.getByRole('button', { name: /^Approve the rest/ }).click();
  await page.getByRole('button', { name: /^Yes, approve/ }).click();
  await page.getByText('Thank you').waitFor();
  await shoot('share-end', 'phone');
}

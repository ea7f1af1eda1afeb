import { beforeAll, expect, it } from 'vitest';
import type { SharedImages } from '#contract';
import { type DashboardRig, openDashboardRig } from '../dashboard/dashboard-rig.ts';
import { expectAccessible } from '../support/accessibility.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { plainImage } from '../support/small-images.ts';

let rig: DashboardRig;
beforeAll(async () => {
  rig = await openDashboardRig();
});

it('the editor creates a link, sees the answer beside the image while the page is open, and withdraws the link', async () => {
  const { page } = await rig.enter();
  await page.goto(rig.at('playground'));
  const element = page.locator('image-optimizer');
  const { name, bytes } = await plainImage('wall.png', { width: 300 });
  await element
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name, mimeType: 'image/png', buffer: Buffer.from(bytes) });
  const open = page.getByRole('button', { name: 'Share for approval' });
  await open.click();
  await page.getByLabel('Your name or site').fill('The Harbour Gazette');
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = await page.getByRole('textbox', { name: 'Link', exact: true }).inputValue();
  expect(link).toMatch(/\/share\/share_\w+#iwv_\w{43}$/);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Close' }).click();

  const headers = { 'X-Share-Token': new URL(link).hash.slice(1), 'Content-Type': 'application/json' };
  const listed = await fetch(`${rig.test.url}/shared/images`, { headers });
  const shared = (await listed.json()) as SharedImages;
  expect(shared.sender).toBe('The Harbour Gazette');
  const [image] = shared.images;
  const body = JSON.stringify({ verdict: 'change', comment: '<b>darker</b>', textsVersion: image?.textsVersion });
  const path = `/shared/images/${image?.id}/answer`;
  expect((await fetch(rig.test.url + path, { method: 'POST', headers, body })).status).toBe(200);
  // The page becomes visible again, as when the editor comes back to the tab.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  const note = element.locator('io-share-answer');
  await note.getByText('Please change').waitFor();
  await expect.poll(() => note.getByText('<b>darker</b>').isVisible()).toBe(true);
  await expectAccessible(page);

  await open.click();
  await page.getByRole('button', { name: /^Withdraw: Works until/ }).click();
  await page.getByText('Withdrawn').waitFor();
  expect((await fetch(`${rig.test.url}/shared/images`, { headers })).status).toBe(404);
});

it('a double click makes one link for a site owner, and the focus stays when it is withdrawn', async () => {
  const person = await rig.enter();
  const { page } = person;
  await page.goto(rig.at('playground'));
  const { name, bytes } = await plainImage('wall.png');
  await page
    .locator('image-optimizer input[type=file]')
    .first()
    .setInputFiles({ name, mimeType: 'image/png', buffer: Buffer.from(bytes) });
  await page.getByRole('button', { name: 'Share for approval' }).click();
  await page.getByRole('button', { name: 'Create link' }).dblclick();
  await page.getByRole('textbox', { name: 'Link', exact: true }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(await page.getByRole('button', { name: /^Withdraw/ }).count()).toBe(1);
  await page.getByRole('button', { name: /^Withdraw/ }).press('Enter');
  await page.getByText('Withdrawn').waitFor();
  await page.locator('io-share-link h2:focus').waitFor();
});

it('the link follows the language of the element', async () => {
  const { page } = await rig.enter();
  await page.goto(rig.at('playground'));
  const element = page.locator('image-optimizer');
  const { name, bytes } = await plainImage('door.png', { width: 300 });
  const files = { name, mimeType: 'image/png', buffer: Buffer.from(bytes) };
  await element.locator('input[type=file]').first().setInputFiles(files);
  await page.getByRole('button', { name: 'Share for approval' }).waitFor();
  await element.evaluate((element) => Object.assign(element, { locale: 'de' }));
  await page.getByRole('button', { name: 'Zur Freigabe teilen' }).waitFor({ timeout: PATIENCE_MS });
  // Without a language of its own, the element speaks that of the nearest `lang`.
  await element.evaluate((element) => {
    element.parentElement?.setAttribute('lang', 'fr');
    Object.assign(element, { locale: null });
  });
  await page.getByRole('button', { name: 'Partager pour approbation' }).waitFor({ timeout: PATIENCE_MS });
});

it('recent work is on the overview and goes on in the playground', async () => {
  const { page } = await rig.enter();
  await page.goto(rig.at('playground'));
  const { name, bytes } = await plainImage('tower.png', { width: 300 });
  const files = { name, mimeType: 'image/png', buffer: Buffer.from(bytes) };
  await page.locator('image-optimizer input[type=file]').first().setInputFiles(files);
  await page.getByRole('button', { name: 'Share for approval' }).waitFor();
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(rig.at());
  const recent = page.getByRole('region', { name: 'Recent work' });
  await recent.getByRole('heading', { name: '1 image Uploaded' }).waitFor();
  await recent.getByText('tower.png').waitFor();
  await expectAccessible(page);
  await recent.getByRole('button', { name: 'Continue' }).click();
  await page.locator('io-row').getByText('tower.png').first().waitFor();
  // The tab goes on with it after a reload.
  await page.waitForFunction(() =>
    Object.keys(sessionStorage).some((key) => key.startsWith('imagewright:playground-')),
  );
  await page.reload();
  await page.locator('io-row').getByText('tower.png').first().waitFor();
});

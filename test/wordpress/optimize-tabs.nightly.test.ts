import type { Page } from 'playwright-core';
import { afterEach, expect, it } from 'vitest';
import { photograph } from './rig.ts';
import { LIBRARY_TAB, openMenu, PATIENCE, useBrowser, useRig } from './use-rig.ts';

const tests = useRig({ delivery: 'beside' });
const { rig, admin, emptyLibrary } = tests;
const { openPage } = useBrowser(tests);
afterEach(emptyLibrary);

const upload = async (name: string) => admin.upload(name, await photograph(500), 'image/jpeg');
const balance = () => rig.account.api.balance();
const tab = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true });
const section = (page: Page, name: string) => page.locator(`#imagewright-tab-${name}`);

it('tabs keep what they hold, have addresses of their own, and the report counts anew', async () => {
  const id = await upload('one.jpg');
  const { page, expectQuiet } = await openPage('upload.php?page=imagewright-optimize');
  await section(page, 'review').getByRole('button', { name: 'Choose from the media library' }).waitFor(PATIENCE);
  expect(await section(page, 'library').isVisible()).toBe(false);
  await tab(page, 'Report').click();
  await section(page, 'report').getByText('No image has been optimized yet.').waitFor(PATIENCE);
  await tab(page, 'Weigh a page').click();
  await page.getByLabel('Address of the page').fill(`${rig.site.url}/?p=1`);
  await admin.json('POST', `/attachments/${id}/optimize`);
  await tab(page, 'Report').click();
  await section(page, 'report')
    .getByText(/1 of 1 images are optimized: [\d.]+ [KM]B became [\d.]+ [KM]B \(−\d+ %\)\./)
    .waitFor(PATIENCE);
  await page.goBack();
  expect(new URL(page.url()).searchParams.get('tab')).toBe('weigh');
  await expect.poll(() => page.getByLabel('Address of the page').inputValue()).toBe(`${rig.site.url}/?p=1`);
  await expect.poll(() => tab(page, 'Weigh a page').getAttribute('aria-current')).toBe('page');
  await page.reload(PATIENCE);
  await expect.poll(() => section(page, 'weigh').isVisible()).toBe(true);
  // From the report to the images of a state.
  await tab(page, 'Report').click();
  await section(page, 'report').getByRole('link', { name: 'Optimized', exact: true }).click();
  await page.locator(`#post-${id}`).waitFor(PATIENCE);
  expectQuiet();
});

it('a run asks with its price before it spends, and ends with the ways to its images and back', async () => {
  const early = await upload('early.jpg');
  await admin.json('POST', `/attachments/${early}/optimize`);
  const ids = [await upload('two.jpg'), await upload('three.jpg')];
  const before = await balance();
  const { page } = await openPage(LIBRARY_TAB);
  const start = section(page, 'library').getByRole('button', { name: 'Optimize 2 images for 2 credits' });
  const question = page.getByRole('dialog');
  await start.click(PATIENCE);
  await question.getByRole('heading', { name: 'Optimize 2 images for 2 credits?' }).waitFor(PATIENCE);
  await question.getByText(`You have ${before} credits.`).waitFor(PATIENCE);
  await question.getByText(`at least ${before - 2} credits are left`).waitFor(PATIENCE);
  for (const refuse of [() => page.keyboard.press('Escape'), () => page.keyboard.press('Enter')]) {
    await refuse();
    await question.waitFor({ ...PATIENCE, state: 'detached' });
    expect(await admin.json('GET', '/run')).toEqual({ run: null });
    await start.click();
    await question.waitFor(PATIENCE);
  }
  await question.getByRole('button', { name: 'Optimize 2 images for 2 credits' }).click();
  await section(page, 'library').getByText('Done: 2 of 2.').first().waitFor(PATIENCE);
  expect(before - (await balance())).toBe(2);

  const see = section(page, 'library').getByRole('link', { name: 'See the 2 images' });
  const list = (await see.getAttribute('href')) ?? '';
  await section(page, 'library').getByRole('button', { name: 'Restore these originals' }).click();
  await question.getByRole('button', { name: 'Restore these originals' }).waitFor(PATIENCE);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await see.click();
  await page.locator(`#post-${ids[0]}`).waitFor(PATIENCE);
  expect(list).toContain('imagewright_run=');
  await expect.poll(() => page.locator('tr[id^="post-"]').count()).toBe(2);

  await page.goBack();
  await section(page, 'library').getByRole('button', { name: 'Restore these originals' }).click(PATIENCE);
  await question.getByRole('button', { name: 'Restore these originals' }).click(PATIENCE);
  const state = async (id: number) => (await admin.json('GET', `/attachments/${id}`)).status;
  await expect
    .poll(() => Promise.all([early, ...ids].map(state)), { ...PATIENCE, interval: 300 })
    .toEqual(['optimized', 'none', 'none']);
});

it('a run of which nothing is left restores nothing', async () => {
  const id = await upload('kept.jpg');
  await admin.json('POST', `/attachments/${id}/optimize`);
  const [status, body] = await tests.post('/run', { kind: 'restore', of: 'another' });
  expect([status, body.code]).toEqual([409, 'imagewright_no_images']);
  expect(await admin.json('GET', `/attachments/${id}`)).toMatchObject({ status: 'optimized' });
});

it('the list shows a pill with a menu, which closes, and a waiting image is not offered again', async () => {
  const id = await upload('pill.jpg');
  const waiting = await upload('waits.jpg');
  await admin.json('POST', `/attachments/${id}/optimize`);
  await rig.site.php(
    'imagewright()->get( Imagewright_Queue::class )->add( array( $waiting ), "optimize", time() + 9000, 1, "" );',
    { waiting },
  );
  const { page, expectQuiet } = await openPage('upload.php?mode=list');
  const pill = (of: number) => page.locator(`[data-imagewright-id="${of}"] .imagewright-pill`);
  await expect.poll(() => pill(id).innerText()).toMatch(/^−\d+ %$/);
  await expect.poll(() => pill(waiting).innerText()).toBe('Waiting');
  const menu = await openMenu(page, id);
  await menu.getByText(/^Optimized: /).waitFor(PATIENCE);
  await page.keyboard.press('Escape');
  expect(await menu.getByRole('button').count()).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('SUMMARY');
  await openMenu(page, id);
  await page.getByRole('heading', { level: 1 }).click();
  expect(await menu.getByRole('button').count()).toBe(0);
  expect(await (await openMenu(page, waiting)).getByRole('button').count()).toBe(0);
  expectQuiet();
});

it('the grid is filtered by state', async () => {
  const done = await upload('grid-done.jpg');
  const open = await upload('grid-open.jpg');
  await admin.json('POST', `/attachments/${done}/optimize`);
  const { page, expectQuiet } = await openPage('upload.php?mode=grid');
  const tile = (id: number) => page.locator(`.attachment[data-id="${id}"]`);
  await tile(open).waitFor(PATIENCE);
  const filter = page.getByLabel('Optimized or not');
  await filter.selectOption({ label: 'Optimized' });
  await tile(open).waitFor({ ...PATIENCE, state: 'detached' });
  await tile(done).waitFor(PATIENCE);
  await filter.selectOption({ label: 'Not optimized' });
  await tile(done).waitFor({ ...PATIENCE, state: 'detached' });
  await filter.selectOption({ label: 'Optimized or not' });
  await Promise.all([tile(open), tile(done)].map((one) => one.waitFor(PATIENCE)));
  expectQuiet();
});

it('Stop stays while the progress is read, and says so if the site does not answer', async () => {
  await upload('stay-one.jpg');
  await upload('stay-two.jpg');
  const { page } = await openPage(LIBRARY_TAB);
  await page.route('**/run/work?*', (route) => route.fulfill({ json: { worked: 0 } }));
  const panel = section(page, 'library');
  const readTwice = async () => {
    for (let reading = 0; reading < 2; reading += 1) {
      await page.waitForResponse((response) => /\/run\?/.test(response.url()), PATIENCE);
    }
  };
  await panel.getByRole('button', { name: 'Optimize 2 images for 2 credits' }).click(PATIENCE);
  await page.getByRole('dialog').getByRole('button', { name: 'Optimize 2 images for 2 credits' }).click(PATIENCE);
  const stop = panel.getByRole('button', { name: 'Stop' });
  await stop.hover(PATIENCE);
  await page.mouse.down();
  await readTwice();
  await page.route('**/run?*', (route) => (route.request().method() === 'GET' ? route.continue() : route.abort()));
  await page.mouse.up();
  await panel.getByText('The site does not respond.').waitFor(PATIENCE);
  await readTwice();
  expect(await panel.getByText('The site does not respond.').isVisible()).toBe(true);
  await page.unroute('**/run?*');
  await stop.focus();
  await readTwice();
  await page.keyboard.press('Enter');
  await panel.locator('.imagewright-run', { hasText: /Stopped: \d of 2 done/ }).waitFor(PATIENCE);
});

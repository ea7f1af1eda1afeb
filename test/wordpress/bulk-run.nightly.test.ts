import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterEach, expect, it } from 'vitest';
import { photograph, tinyPicture } from './rig.ts';
import { LIBRARY_TAB, openMenu, PATIENCE, useBrowser, useRig } from './use-rig.ts';

const tests = useRig();
const { rig, admin, emptyLibrary } = tests;
const { openPage } = useBrowser(tests);
afterEach(emptyLibrary);
async function uploadMany(count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let index = 0; index < count; index += 1) {
    ids.push(await admin.upload(`many-${index}.jpg`, await photograph(420 + index), 'image/jpeg'));
  }
  return ids;
}

const button = (page: Page, name: string | RegExp) => page.locator('#imagewright-bulk').getByRole('button', { name });
/** Presses a button of the panel, and the same one in the question that follows. */
async function agree(page: Page, name: string) {
  await button(page, name).click();
  await page.getByRole('dialog').getByRole('button', { name }).click(PATIENCE);
}
/** Returns the text of the element that has the keyboard's focus. */
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);
const status = (page: Page, text: string | RegExp) => page.locator('.imagewright-run', { hasText: text });
const mimes = (ids: number[]) => Promise.all(ids.map(async (id) => (await rig.attachment(id)).mime));
const spent = async () => 100 - (await rig.account.api.balance());

/** Withholds the requests with which pages work on the queue, until `open` is called. */
async function holdWork(page: Page) {
  let isOpen = false;
  await page.route('**/run/work?*', async (route) => {
    if (isOpen) await route.continue().catch(() => {});
    else await route.fulfill({ json: { worked: 0 } });
  });
  return () => {
    isOpen = true;
  };
}

/** Works on the queue as WP-Cron does, one image at a time. */
const workOnce = () =>
  rig.site.php(
    'imagewright()->get( Imagewright_Runs::class )->fill(); return imagewright()->get( Imagewright_Worker::class )->run( 0.05 );',
  );

/** Presses Stop and waits until the server has stored it. */
async function stop(page: Page) {
  const told = page.waitForResponse((response) => response.request().method() === 'PATCH', PATIENCE);
  await button(page, 'Stop').click();
  await told;
}

it('shows the cost, goes on without a page, stops and resumes, and pays once per image', async () => {
  const ids = await uploadMany(7);
  const before = await spent();
  const page = (await openPage(LIBRARY_TAB)).page;
  await page.getByText('Optimizing 7 images costs 7 credits').waitFor(PATIENCE);
  await page.getByText('Format: WebP. Quality: High.').waitFor(PATIENCE);
  expect(await spent()).toBe(before);
  await holdWork(page);
  await agree(page, 'Optimize 7 images for 7 credits');
  await status(page, '0 of 7 done').waitFor(PATIENCE);
  await page.getByText('You can close this page.').waitFor(PATIENCE);
  await workOnce();
  await status(page, '1 of 7 done').waitFor(PATIENCE);
  await page.close({ runBeforeUnload: false });
  await workOnce();

  const again = (await openPage(LIBRARY_TAB)).page;
  const open = await holdWork(again);
  await status(again, /[23] of 7 done/).waitFor(PATIENCE);
  await stop(again);
  await status(again, /Stopped: \d of 7 done/).waitFor(PATIENCE);
  const done = await spent();
  await workOnce();
  expect(await spent()).toBe(done);
  open();
  await button(again, 'Resume').click();
  await status(again, 'Done: 7 of 7.').waitFor(PATIENCE);
  expect(await mimes(ids)).toEqual(Array(7).fill('image/webp'));
  expect((await spent()) - before).toBe(7);

  // One run restores all of them.
  await button(again, 'Close').click();
  await agree(again, 'Restore all originals');
  await status(again, 'Done: 7 of 7.').waitFor(PATIENCE);
  expect(await mimes(ids)).toEqual(Array(7).fill('image/jpeg'));
});

it('stops with the reason when the credits are used up, and resumes with new credits', async () => {
  const ids = await uploadMany(4);
  const poor = await rig.service.createAccount({ credits: 2 });
  await rig.site.define({ IMAGEWRIGHT_URL: rig.service.url, IMAGEWRIGHT_API_KEY: poor.apiKey });
  const page = (await openPage(LIBRARY_TAB)).page;
  await page.getByText('You have fewer credits than that').waitFor(PATIENCE);
  await agree(page, 'Optimize 4 images for 4 credits');
  await status(page, 'Stopped: 2 of 4 done.').waitFor(PATIENCE);
  await page
    .getByText(/Insufficient credits/)
    .first()
    .waitFor(PATIENCE);
  expect((await mimes(ids)).filter((mime) => mime === 'image/webp')).toHaveLength(2);
  // Missing credits are not stored as a failure of an image.
  for (const id of ids) expect((await admin.json('GET', `/attachments/${id}`)).status).not.toBe('failed');

  await rig.define({});
  await button(page, 'Resume').click();
  await status(page, 'Done: 4 of 4.').waitFor(PATIENCE);
});

it('counts an image that was in progress when the run was stopped', async () => {
  const ids = await uploadMany(2);
  const page = (await openPage(LIBRARY_TAB)).page;
  await holdWork(page);
  await agree(page, 'Optimize 2 images for 2 credits');
  await status(page, '0 of 2 done').waitFor(PATIENCE);
  const taken = await rig.site.php<number>(
    'imagewright()->get( Imagewright_Runs::class )->fill(); return (int) imagewright()->get( Imagewright_Queue::class )->take( true )["attachment_id"];',
  );
  expect(ids).toContain(taken);
  await stop(page);
  // The page waits for it: nothing can be stopped or resumed meanwhile.
  await page.locator('#imagewright-bulk button[aria-disabled="true"]', { hasText: 'Stop' }).waitFor(PATIENCE);
  expect(await button(page, 'Resume').count()).toBe(0);
  expect(await focused(page)).toBe('Stop');
  expect(
    await rig.site.php(
      'wp_set_current_user( 1 ); $done = imagewright()->get( Imagewright_Checkpoint::class )->exclusively( $id, static function () use ( $id ) { return imagewright()->get( Imagewright_Optimization::class )->run( $id, array( "format" => "webp", "preset" => "high", "fill_text" => false ) ); } ); imagewright()->get( Imagewright_Queue::class )->finish( $id ); return is_wp_error( $done ) ? $done->get_error_message() : "";',
      { id: taken },
    ),
  ).toBe('');
  await status(page, 'Stopped: 1 of 2 done.').waitFor(PATIENCE);
  expect(await focused(page)).toBe('Resume');
  expect((await mimes(ids)).filter((mime) => mime === 'image/webp')).toHaveLength(1);
});

it('does not try an image again whose attempt failed after the run was stopped', async () => {
  await uploadMany(1);
  const states = await rig.site.php<unknown[]>(
    `wp_set_current_user( 1 );
    imagewright()->get( Imagewright_Runs::class )->start( 'optimize', array(), array( 'format' => 'webp', 'preset' => 'high', 'fillText' => false ) );
    imagewright()->get( Imagewright_Runs::class )->fill();
    $row = imagewright()->get( Imagewright_Queue::class )->take( true );
    imagewright()->get( Imagewright_Runs::class )->set_state( 'stopped' );
    imagewright()->get( Imagewright_Queue::class )->give_back( $row, 0, imagewright()->get( Imagewright_Runs::class )->is_stopped( $row ) );
    $stopped = imagewright()->get( Imagewright_Queue::class )->take( true );
    imagewright()->get( Imagewright_Runs::class )->set_state( 'running' );
    return array( $row['attachment_id'], $stopped, imagewright()->get( Imagewright_Queue::class )->take( true )['attachment_id'] );`,
  );
  expect(states).toEqual([states[0], null, states[0]]);
});

it('renews an expired nonce and lists the failed images', async () => {
  const ids = await uploadMany(2);
  const broken = await admin.upload('broken.jpg', await photograph(430), 'image/jpeg');
  await rig.site.php(
    'file_put_contents( get_attached_file( $id ), substr( file_get_contents( get_attached_file( $id ) ), 0, 3000 ) );',
    {
      id: broken,
    },
  );
  const page = (await openPage(LIBRARY_TAB)).page;
  await button(page, 'Optimize 3 images for 3 credits').waitFor(PATIENCE);
  let refused = 0;
  page.on('response', (response) => {
    if (response.status() === 403) refused += 1;
  });
  // Invalidates all nonces, as after one day.
  await rig.define({ IMAGEWRIGHT_TEST_NONCE_DAY: 3 });
  await agree(page, 'Optimize 3 images for 3 credits');
  await status(page, 'Done: 2 of 3.').waitFor(PATIENCE);
  expect(refused).toBeGreaterThan(0);
  await page.getByText('1 image could not be processed:').waitFor(PATIENCE);
  await page.locator('#imagewright-bulk li').filter({ hasText: 'broken' }).waitFor(PATIENCE);
  expect(await mimes(ids)).toEqual(['image/webp', 'image/webp']);
  expect(await mimes([broken])).toEqual(['image/jpeg']);
});

it('is shared by two tabs and pays once per image', async () => {
  const ids = await uploadMany(6);
  const before = await spent();
  const first = (await openPage(LIBRARY_TAB)).page;
  await agree(first, 'Optimize 6 images for 6 credits');
  await status(first, 'of 6 done').waitFor(PATIENCE);
  const second = (await openPage(LIBRARY_TAB)).page;
  await Promise.all([first, second].map((page) => status(page, 'Done: 6 of 6.').waitFor(PATIENCE)));
  expect(await mimes(ids)).toEqual(Array(6).fill('image/webp'));
  expect((await spent()) - before).toBe(6);
});

it.each(['Stop', 'Close'])('%s in one tab ends the run in the other tab', async (way) => {
  await uploadMany(6);
  const before = await spent();
  const first = (await openPage(LIBRARY_TAB)).page;
  await holdWork(first);
  await agree(first, 'Optimize 6 images for 6 credits');
  await status(first, '0 of 6 done').waitFor(PATIENCE);
  await workOnce();
  await status(first, '1 of 6 done').waitFor(PATIENCE);
  const second = (await openPage(LIBRARY_TAB, holdWork)).page;
  await status(second, '1 of 6 done').waitFor(PATIENCE);
  // WP-Cron works on the next image while the run is stopped.
  const working = workOnce();
  await stop(second);
  await working;
  await status(second, /Stopped: \d of 6 done/).waitFor(PATIENCE);
  await status(first, /Stopped: \d of 6 done/).waitFor(PATIENCE);
  // Images in progress are finished.
  await expect
    .poll(
      () =>
        rig.site.php(
          'global $wpdb; return (int) $wpdb->get_var( "SELECT COUNT(*) FROM " . Imagewright_Index::table() . " WHERE task <> \'\' AND tries > 0" );',
        ),
      PATIENCE,
    )
    .toBe(0);
  const done = (await spent()) - before;
  expect([1, 2]).toContain(done);
  if (way === 'Close') {
    await button(second, 'Close').click();
    await button(second, `Optimize ${6 - done} images for ${6 - done} credits`).waitFor(PATIENCE);
  }
  await workOnce();
  expect((await spent()) - before).toBe(done);
});

it('skips an image that ends PHP and one that this server cannot open, and lists both', async () => {
  const ids = await uploadMany(3);
  const [fine = 0, blind = 0, fatal = 0] = ids;
  const before = await spent();
  // Newest first: the two broken images come before the intact one.
  await rig.define({ IMAGEWRIGHT_TEST_BLIND: blind, IMAGEWRIGHT_TEST_FATAL: fatal });
  const page = (await openPage(LIBRARY_TAB)).page;
  await agree(page, 'Optimize 3 images for 3 credits');
  await status(page, 'Done: 1 of 3.').waitFor(PATIENCE);
  const lines = page.locator('#imagewright-bulk li');
  // WordPress numbers the name if an image of an earlier test has it.
  await lines.filter({ hasText: /^many-1(-\d)?: WordPress cannot open the exported file/ }).waitFor(PATIENCE);
  await lines.filter({ hasText: /^many-2(-\d)?: Two attempts with this image were interrupted/ }).waitFor(PATIENCE);
  expect(await mimes([fine, blind, fatal])).toEqual(['image/webp', 'image/jpeg', 'image/jpeg']);

  // After the server is fixed, the next run uses the paid exports.
  await rig.define({});
  await button(page, 'Close').click();
  await agree(page, 'Optimize 2 images for 2 credits');
  await status(page, 'Done: 2 of 2.').waitFor(PATIENCE);
  expect(await mimes(ids)).toEqual(Array(3).fill('image/webp'));
  expect((await spent()) - before).toBe(3);
});

it('lists the images it leaves out, and accepts a larger file on request', async () => {
  const scan = new Uint8Array(
    await sharp(await photograph(300))
      .tiff()
      .toBuffer(),
  );
  const tiff = await admin.upload('scan.tif', scan, 'image/tiff');
  const id = await admin.upload('tiny.webp', await tinyPicture(120), 'image/webp');
  const before = await spent();
  const { page } = await openPage(LIBRARY_TAB);
  await agree(page, 'Optimize 2 images for 2 credits');
  await page.getByText('Unchanged, free of charge: 1 image.').waitFor(PATIENCE);
  await page.getByText('1 image could not be processed:').waitFor(PATIENCE);
  expect(await spent()).toBe(before);
  await button(page, 'Close').click();
  await page.getByText('There is nothing to optimize.').waitFor(PATIENCE);
  await page.getByText('Left out of this run: 2').click();
  const lines = page.locator('.imagewright-left-out li');
  await expect.poll(() => lines.filter({ hasText: 'TIFF' }).getByRole('link', { name: 'scan' }).count()).toBe(1);
  const link = lines.filter({ hasText: 'would not be smaller' }).getByRole('link', { name: 'tiny' });

  await link.click();
  const field = page.locator(`[data-imagewright-id="${id}"]`);
  await field.getByRole('button', { name: /Optimize \(1 credit\)/ }).click(PATIENCE);
  const question = page.getByRole('dialog');
  await question.getByText(/would not be smaller.* for 1 credit/).waitFor(PATIENCE);
  await question.getByRole('button', { name: 'Continue' }).click();
  await field.getByText(/larger, as accepted/).waitFor(PATIENCE);
  expect((await spent()) - before).toBe(1);

  await page.goto(`${rig.site.url}/wp-admin/upload.php?mode=list`, PATIENCE);
  const hopeless = await openMenu(page, tiff);
  await expect.poll(() => hopeless.locator('.imagewright-pill').innerText()).toBe('Left out');
  await expect
    .poll(() => hopeless.locator('.imagewright-status-text').innerText())
    .toMatch(/^Cannot be optimized: .*TIFF/);
  expect(await hopeless.getByRole('button').count()).toBe(0);
});

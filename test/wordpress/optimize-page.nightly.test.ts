import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { PATIENCE_MS } from '../support/patience.ts';
import { photograph } from './rig.ts';
import { openMenu, useBrowser, useRig } from './use-rig.ts';

const tests = useRig({ configured: false });
const { rig, expectQuietLog } = tests;
const { browser } = useBrowser(tests);
beforeAll(() => rig.site.php('deactivate_plugins( "imagewright/imagewright.php" );'));

const NAMES = ['photo-mountains.jpg', 'photo-stream.jpg', 'photo-brushes.jpg'];
/** Timeouts of this test: an admin page may be slow on a busy machine. */
const PATIENCE = { timeout: PATIENCE_MS };

async function go(page: Page, path: string) {
  await page.goto(`${rig.site.url}/wp-admin/${path}`, PATIENCE);
}

/** Logs in through the form, activates the plugin in the list of plugins and stores the key in the settings. */
async function setUp(page: Page) {
  await go(page, '');
  await page.getByLabel('Username or Email Address').fill('admin');
  await page.getByLabel('Password', { exact: true }).fill('password');
  await page.getByRole('button', { name: 'Log In' }).click();
  await page.waitForURL(/wp-admin/, PATIENCE);

  await go(page, 'plugins.php');
  await page.locator('#activate-imagewright').click();
  await page.locator('#deactivate-imagewright').waitFor(PATIENCE);

  // The service has a private address, which only the server configuration may set.
  await rig.site.define({ IMAGEWRIGHT_URL: rig.service.url });
  await go(page, 'options-general.php?page=imagewright');
  await page.getByLabel('API key').fill(rig.account.apiKey ?? '');
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await page.getByText(`A key that ends in ${rig.account.apiKey.slice(-4)} is stored`).waitFor(PATIENCE);
  // The page shows text before its script has loaded.
  await page.waitForLoadState('load', PATIENCE);
  await page.getByRole('button', { name: 'Test the connection' }).click();
  await page.getByText('Connected. 100 credits left, plan: free.').waitFor(PATIENCE);
}

/** Uploads photographs with WordPress' own uploader. */
async function upload(page: Page) {
  await go(page, 'media-new.php');
  const files = await Promise.all(
    NAMES.map(async (name) => ({
      name,
      mimeType: 'image/jpeg',
      buffer: Buffer.from(await photograph(1100, { name })),
    })),
  );
  await page.locator('input[type=file][id^=html5_]').setInputFiles(files);
  await page.waitForFunction(
    (count) => document.querySelectorAll('.media-item a.edit-attachment').length === count,
    3,
    PATIENCE,
  );
}

it('optimises three attachments of the library with review, and restores them', async () => {
  const { page, expectQuiet } = await browser.open();
  const originals: string[] = [];
  page.on('request', (request) => {
    if (/\/original\b|\/uploads\/[^?]*photo-[a-z-]+\.jpg/.test(request.url())) originals.push(request.url());
  });
  await setUp(page);
  await upload(page);
  const before = await rig.checksums();
  const ids = await rig.site.php<number[]>(
    'return get_posts( array( "post_type" => "attachment", "post_status" => "any", "fields" => "ids", "numberposts" => -1 ) );',
  );
  const stored = await Promise.all(ids.map((id) => rig.attachment(id)));

  // The bulk action of the list opens the page with the chosen images.
  await go(page, 'upload.php?mode=list');
  expect(await page.locator('.imagewright-pill').allInnerTexts()).toEqual(Array(3).fill('Not optimized'));
  await page.locator('#cb-select-all-1').check();
  await page.locator('#bulk-action-selector-top').selectOption('imagewright_optimize');
  await page.locator('#doaction').click();
  await page.waitForURL(/page=imagewright-optimize&imagewright_ids=/, PATIENCE);
  await page.reload(PATIENCE);

  const widget = page.locator('image-optimizer');
  await widget.getByRole('button', { name: 'Export 3 images' }).waitFor(PATIENCE);
  // The cost is shown before the run, and the page does not contain the key.
  await widget.getByText('3 credits').first().waitFor(PATIENCE);
  expect(await page.content()).not.toContain(rig.account.apiKey);
  // The service of the tests has no model.
  await page.getByText('"Describe images" finds only texts that are within the files').waitFor(PATIENCE);
  await widget.getByRole('textbox', { name: 'Alternative text' }).first().fill('Mountains above a meadow');
  await widget.getByRole('textbox', { name: 'Alternative text' }).first().press('Tab');

  const balance = await rig.account.api.balance();
  await widget.getByRole('button', { name: 'Free sample' }).click();
  await widget.getByRole('dialog').waitFor(PATIENCE);
  await page.keyboard.press('Escape');
  expect(await rig.account.api.balance()).toBe(balance);
  // WordPress sends the originals to the service itself: the page shows previews.
  expect(originals).toEqual([]);
  await widget.getByRole('button', { name: 'Export 3 images' }).click();
  await widget.getByRole('dialog').getByRole('button', { name: 'Export for 3 credits' }).click();
  await widget.getByRole('button', { name: 'Replace 3 images' }).click(PATIENCE);
  await expect
    .poll(async () => (await Promise.all(ids.map((id) => rig.attachment(id)))).map(({ mime }) => mime), PATIENCE)
    .toEqual(Array(3).fill('image/webp'));
  expect(balance - (await rig.account.api.balance())).toBe(3);
  const replaced = await Promise.all(ids.map((id) => rig.attachment(id)));
  expect(replaced.map(({ missing }) => missing)).toEqual([{}, {}, {}]);
  expect(replaced.map(({ alt }) => alt).filter(Boolean)).toEqual(['Mountains above a meadow']);

  await seeFrontEnd(page, ids);
  await restoreInList(page, ids);
  expect(await Promise.all(ids.map((id) => rig.attachment(id)))).toEqual(stored);
  expect(await rig.checksums()).toEqual(before);

  await rig.site.php('foreach ( $ids as $id ) { wp_delete_attachment( $id, true ); }', { ids });
  expect(await rig.site.uploads()).toEqual([]);
  expectQuiet();
  await expectQuietLog();
});

/** Expects a visitor to receive the new files in a matching width. */
async function seeFrontEnd(page: Page, ids: number[]) {
  const url = await rig.site.php<string>(
    `$id = wp_insert_post( array( 'post_title' => 'P', 'post_status' => 'publish', 'post_content' =>
      '<!-- wp:image {"id":' . $ids[0] . '} --><figure class="wp-block-image"><img src="' . wp_get_attachment_image_url( $ids[0], 'large' ) . '" class="wp-image-' . $ids[0] . '"/></figure><!-- /wp:image -->' ) );
    return get_permalink( $id );`,
    { ids },
  );
  await page.goto(url, PATIENCE);
  const image = page.locator(`img.wp-image-${ids[0]}`);
  const srcset = (await image.getAttribute('srcset')) ?? '';
  expect(
    srcset
      .split(', ')
      .map((part) => part.replace(/^.* (\d+w)$/, '$1'))
      .sort(),
  ).toEqual(['1024w', '1100w', '300w', '768w']);
  for (const part of srcset.split(', ')) {
    const answer = await fetch(part.split(' ')[0] ?? '');
    // A file of WordPress that is not larger than the exported one stays in use.
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      part.includes('.jpg') ? 'image/jpeg' : 'image/webp',
    ]);
  }
}

async function restoreInList(page: Page, ids: number[]) {
  await go(page, 'upload.php?mode=list');
  for (const id of ids) {
    const status = await openMenu(page, id);
    await expect.poll(() => status.locator('.imagewright-pill').innerText()).toMatch(/^−\d+ %$/);
    await expect.poll(() => status.locator('.imagewright-status-text').innerText()).toMatch(/Optimized: .* smaller/);
    await status.getByRole('button', { name: /Restore the original/ }).click();
    await status.locator('.imagewright-pill', { hasText: 'Not optimized' }).waitFor(PATIENCE);
  }
}

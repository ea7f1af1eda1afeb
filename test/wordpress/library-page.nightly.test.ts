import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { photograph, tinyPicture } from './rig.ts';
import { LIBRARY_TAB, openMenu, PATIENCE, useBrowser, useRig } from './use-rig.ts';

const tests = useRig();
const { rig, admin, emptyLibrary } = tests;
const { openPage, browser } = useBrowser(tests);
beforeEach(emptyLibrary);

/** Exports the images of the widget and replaces the attachments. */
async function exportAndReplace(page: Page, count: number) {
  const widget = page.locator('image-optimizer');
  const images = count === 1 ? '1 image' : `${count} images`;
  await widget.getByRole('button', { name: `Export ${images}` }).click(PATIENCE);
  await widget
    .getByRole('dialog')
    .getByRole('button', { name: /Export for/ })
    .click();
  await widget.getByRole('button', { name: `Replace ${images}` }).click(PATIENCE);
}

const library = () =>
  rig.site.php<{ id: number; mime: string; file: string }[]>(
    'return array_map( static function ( $post ) { return array( "id" => $post->ID, "mime" => $post->post_mime_type, "file" => wp_basename( get_post_meta( $post->ID, "_wp_attached_file", true ) ) ); }, get_posts( array( "post_type" => "attachment", "post_status" => "any", "numberposts" => -1, "orderby" => "ID", "order" => "ASC" ) ) );',
  );

it('adds dropped files to the library first, and lists those that WordPress refuses', async () => {
  const { page, expectQuiet } = await openPage();
  const files = [
    { name: 'dropped.jpg', bytes: [...(await photograph(500))] },
    { name: 'no-image.jpg', bytes: [...Buffer.from('<?php echo 1;')] },
    { name: 'dropped-too.jpg', bytes: [...(await photograph(501))] },
  ];
  const widget = page.locator('image-optimizer');
  await widget.getByRole('button', { name: 'Choose from the media library' }).waitFor(PATIENCE);
  await widget.evaluate((element, list) => {
    const dataTransfer = new DataTransfer();
    for (const { name, bytes } of list) {
      dataTransfer.items.add(new File([new Uint8Array(bytes)], name, { type: 'image/jpeg' }));
    }
    for (const kind of ['dragenter', 'dragover', 'drop']) {
      element.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, composed: true, cancelable: true }));
    }
  }, files);
  await widget.getByRole('button', { name: 'Export 2 images' }).waitFor(PATIENCE);
  await page.locator('.imagewright-problems li', { hasText: 'no-image.jpg: ' }).waitFor(PATIENCE);
  expect((await library()).map(({ file }) => file)).toEqual(['dropped.jpg', 'dropped-too.jpg']);

  await exportAndReplace(page, 2);
  await expect
    .poll(library, PATIENCE)
    .toMatchObject(['dropped', 'dropped-too'].map((name) => ({ file: `${name}.webp`, mime: 'image/webp' })));
  // The browser logs the refused upload.
  expectQuiet([/Failed to load resource: .* status of (4|5)\d\d/]);
});

it('adds images from the media dialog of WordPress, also without pretty permalinks', async () => {
  const [id = 0] = [
    await admin.upload('chosen.jpg', await photograph(600), 'image/jpeg'),
    await admin.upload('left.jpg', await photograph(601), 'image/jpeg'),
  ];
  const permalinks = (structure: string) =>
    rig.site.php('$GLOBALS["wp_rewrite"]->set_permalink_structure( $structure ); flush_rewrite_rules( false );', {
      structure,
    });
  await permalinks('');
  try {
    const { page, expectQuiet } = await openPage();
    expect(await page.evaluate(() => window.imagewrightConfig?.root)).toBe(
      `${rig.site.url}/index.php?rest_route=/imagewright/v1`,
    );
    await page.getByRole('button', { name: 'Choose from the media library' }).click(PATIENCE);
    const dialog = page.getByRole('dialog', { name: 'Choose images to optimize' });
    await dialog.locator(`.attachment[data-id="${id}"]`).click(PATIENCE);
    await dialog.getByRole('button', { name: 'Use these images' }).click(PATIENCE);
    const widget = page.locator('image-optimizer');
    await widget.getByRole('button', { name: 'Export 1 image' }).waitFor(PATIENCE);

    // Without pretty permalinks the route is a query parameter, and the download adds another query.
    const download = page.waitForResponse(/-sample\/download[?&]filename=chosen\.webp/, PATIENCE);
    await widget.getByRole('button', { name: 'Free sample' }).click();
    const sample = await download;
    expect([sample.status(), sample.headers()['content-type']]).toEqual([200, 'image/webp']);
    await widget.getByRole('dialog').waitFor(PATIENCE);
    await page.keyboard.press('Escape');
    await exportAndReplace(page, 1);
    await expect.poll(library, PATIENCE).toMatchObject([{ file: 'chosen.webp' }, { file: 'left.jpg' }]);

    await page.goto(`${rig.site.url}/wp-admin/upload.php?mode=list`, PATIENCE);
    const status = await openMenu(page, id);
    await status.getByRole('button', { name: /Restore the original/ }).click(PATIENCE);
    await status.locator('.imagewright-pill', { hasText: 'Not optimized' }).waitFor(PATIENCE);
    expect(await library()).toMatchObject([{ file: 'chosen.jpg' }, { file: 'left.jpg' }]);
    expectQuiet();
  } finally {
    await permalinks('/%postname%/');
  }
});

it('says in the widget that an image would not become smaller, and charges nothing', async () => {
  const id = await admin.upload('tiny.webp', await tinyPicture(140), 'image/webp');
  const { page } = await openPage('upload.php?mode=list');
  await page.locator(`#post-${id}`).hover();
  await page.locator(`#post-${id} .row-actions`).getByRole('link', { name: 'Optimize' }).click(PATIENCE);
  expect(await admin.json('GET', '/run/preview')).toMatchObject({ images: 1, cost: 1 });
  const balance = await rig.account.api.balance();
  const widget = page.locator('image-optimizer');
  await widget.getByRole('button', { name: 'Export 1 image' }).click(PATIENCE);
  await widget
    .getByRole('dialog')
    .getByRole('button', { name: /Export for/ })
    .click();
  await widget.getByText('No file would get smaller, so nothing was charged.').first().waitFor(PATIENCE);
  expect(await rig.account.api.balance()).toBe(balance);
  expect(await library()).toMatchObject([{ file: 'tiny.webp' }]);
});

it('does not export an image that was replaced after it was added, and adds its new file', async () => {
  const kept = await admin.upload('kept.jpg', await photograph(610), 'image/jpeg');
  const id = await admin.upload('swapped.jpg', await photograph(611), 'image/jpeg');
  const balance = await rig.account.api.balance();
  const { page } = await openPage(`upload.php?page=imagewright-optimize&imagewright_ids=${kept},${id}`);
  const widget = page.locator('image-optimizer');
  await widget.getByRole('button', { name: 'Export 2 images' }).waitFor(PATIENCE);
  await rig.site.php('copy( get_attached_file( $from ), get_attached_file( $to ) );', { from: kept, to: id });
  await widget.getByRole('button', { name: 'Export 2 images' }).click();
  await widget
    .getByRole('dialog')
    .getByRole('button', { name: /Export for/ })
    .click();
  await widget.getByText('The file has changed since it was sent to the service.').first().waitFor(PATIENCE);
  await widget.getByRole('button', { name: 'Replace 1 image' }).click(PATIENCE);
  await expect.poll(library, PATIENCE).toMatchObject([{ file: 'kept.webp' }, { file: 'swapped.jpg' }]);
  expect(balance - (await rig.account.api.balance())).toBe(1);

  await page.getByRole('button', { name: 'Choose from the media library' }).click(PATIENCE);
  const dialog = page.getByRole('dialog', { name: 'Choose images to optimize' });
  await dialog.locator(`.attachment[data-id="${id}"]`).click(PATIENCE);
  await dialog.getByRole('button', { name: 'Use these images' }).click(PATIENCE);
  await widget
    .getByText('The file has changed since it was sent to the service.')
    .first()
    .waitFor({ ...PATIENCE, state: 'detached' });
  await exportAndReplace(page, 1);
  await expect.poll(library, PATIENCE).toMatchObject([{ file: 'kept.webp' }, { file: 'swapped.webp' }]);
  expect(balance - (await rig.account.api.balance())).toBe(2);
});

it('shows the cost of hundreds of images in one request, and a run contains all of them', async () => {
  const id = await admin.upload('one.jpg', await photograph(600), 'image/jpeg');
  const count = await rig.site.php<number>(
    `$file = get_attached_file( $id ); $metadata = wp_get_attachment_metadata( $id );
    for ( $count = 1; $count < 300; $count++ ) {
      $path = dirname( $metadata['file'] ) . "/copy-$count.jpg";
      copy( $file, dirname( $file ) . "/copy-$count.jpg" );
      $copy = wp_insert_attachment( array( 'post_title' => "copy $count", 'post_mime_type' => 'image/jpeg' ), $path );
      wp_update_attachment_metadata( $copy, array( 'file' => $path ) + $metadata );
    }
    return $count;`,
    { id },
  );
  const { page } = await openPage(LIBRARY_TAB);
  await page.getByText(`Optimizing ${count} images costs ${count} credits`).waitFor(PATIENCE);
  await page.getByText('You have fewer credits than that').waitFor(PATIENCE);
  const { run } = await admin.json<{ run: { total: number } }>('POST', '/run');
  const tasks = await rig.site.php(
    'imagewright()->get( Imagewright_Runs::class )->fill(); return imagewright()->get( Imagewright_Index::class )->waiting();',
  );
  expect([count, run.total]).toEqual([300, 300]);
  expect(tasks).toBe(300);
  await admin.json('PATCH', '/run', { state: 'stopped' });
  await page.reload(PATIENCE);
  await page.getByText('Stopped: 0 of 300 done.').first().waitFor(PATIENCE);
});

it('disables buttons until their script has loaded, and shows that JavaScript is required', async () => {
  const id = await admin.upload('waits.jpg', await photograph(620), 'image/jpeg');
  const { page } = await openPage();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/build\/attachments\.js/, async (route) => {
    await held;
    await route.continue();
  });
  const field = page.locator(`[data-imagewright-id="${id}"]`);
  const optimize = field.getByRole('button', { name: /Optimize \(1 credit\)/ });
  for (const path of [`post.php?post=${id}&action=edit`, 'upload.php?mode=list']) {
    await page.goto(`${rig.site.url}/wp-admin/${path}`, { ...PATIENCE, waitUntil: 'commit' });
    if (path.includes('list')) await openMenu(page, id);
    await optimize.waitFor(PATIENCE);
    expect([path, await optimize.isDisabled()]).toEqual([path, true]);
  }
  const pressed = optimize.click(PATIENCE);
  release();
  await pressed;
  await field.locator('.imagewright-pill', { hasText: /^−\d+ %$/ }).waitFor(PATIENCE);
  await openMenu(page, id);
  // Buttons that come with a response work at once.
  await expect.poll(() => field.getByRole('button', { name: /Restore the original/ }).isEnabled()).toBe(true);

  const plain = await browser.open({ javaScriptEnabled: false });
  await plain.context.addCookies(admin.cookies);
  await plain.page.goto(`${rig.site.url}/wp-admin/post.php?post=${id}&action=edit`, PATIENCE);
  const text = plain.page.locator(`[data-imagewright-id="${id}"]`);
  await text.getByText('This needs JavaScript.').waitFor(PATIENCE);
  expect(await text.getByRole('button').count()).toBe(0);
});

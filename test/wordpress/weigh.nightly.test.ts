import { expect, it } from 'vitest';
import type { PageWeight } from '../../plugin-bridge/wordpress/src/weigh-panel.ts';
import { publish, urlOf } from './posts.ts';
import { photograph } from './rig.ts';
import { useBrowser, useRig } from './use-rig.ts';

const tests = useRig({ delivery: 'beside' });
const { rig, admin, post } = tests;
const { openPage } = useBrowser(tests);

const PAGE = `wp_set_current_user( 1 );
$url = wp_get_attachment_image_url( $id, 'large' );
$image = '<!-- wp:image {"id":' . $id . ',"sizeSlug":"large"} --><figure class="wp-block-image size-large"><img src="' . $url . '" alt="" class="wp-image-' . $id . '"/></figure><!-- /wp:image -->';
return get_permalink( wp_insert_post( array( 'post_title' => 'Weighed', 'post_status' => 'publish', 'post_type' => 'page', 'post_content' => $image ) ) );`;
const weigh = (url: string) => admin.json<PageWeight>('POST', '/weigh', { url });
const setWay = (delivery: string) =>
  rig.site.php(
    'update_option( "imagewright_settings", array( "delivery" => $delivery, "preset" => "low" ) + get_option( "imagewright_settings" ) );',
    { delivery },
  );

it('a page is weighed before and after, image by image, in both ways of delivery', async () => {
  const id = await admin.upload('weighed.jpg', await photograph(1800), 'image/jpeg');
  const url = await rig.site.php<string>(PAGE, { id });
  const { sizes } = (await rig.attachment(id)).metadata;
  const own = await weigh(url);
  expect(own).toMatchObject({ complete: true, images: [{ attributes: { srcset: [true, true] } }] });
  // 390 px with two pixels each are 780: 768 is nearer than 1,024. A window of 1,280 px shows 1,024.
  expect(own.totals).toEqual({
    phone: { before: sizes.medium_large?.filesize, after: sizes.medium_large?.filesize },
    desktop: { before: sizes.large?.filesize, after: sizes.large?.filesize },
  });
  for (const way of ['beside', 'replace']) {
    await setWay(way);
    expect((await post(`/attachments/${id}/optimize`))[0]).toBe(200);
    const now = await weigh(url);
    expect([now.totals.phone.before, now.totals.desktop.before]).toEqual([
      own.totals.phone.before,
      own.totals.desktop.before,
    ]);
    expect(now.totals.phone.after).toBeLessThan(now.totals.phone.before);
    expect(now.totals.desktop.after).toBeLessThan(now.totals.desktop.before);
    expect(now.images[0]?.attributes).toMatchObject({ srcset: [true, true], width: [true, true] });
    if (way === 'beside') await viewIsSigned(url);
    expect((await post(`/attachments/${id}/restore`))[0]).toBe(200);
  }
  await setWay('beside');
});

it('a size of another type than its upload is known', async () => {
  const id = await admin.upload('mixed.jpg', await photograph(900), 'image/jpeg');
  const size = await rig.site.php<number>(
    `$metadata = wp_get_attachment_metadata( $id ); $folder = dirname( get_attached_file( $id ) ) . '/';
    $name = preg_replace( '/jpg$/', 'webp', $metadata['sizes']['medium']['file'] );
    copy( $folder . $metadata['sizes']['medium']['file'], $folder . $name ); $metadata['sizes']['medium']['file'] = $name;
    wp_update_attachment_metadata( $id, $metadata ); return filesize( $folder . $name );`,
    { id },
  );
  const medium = await urlOf(rig, id, 'medium');
  expect(medium).toMatch(/mixed-\d+x\d+\.webp$/);
  const { images } = await weigh(await publish(rig, `<img src="${medium}" alt="">`));
  expect(images.map(({ desktop }) => desktop[1])).toEqual([size]);
});

/** Expects that nobody sees the page as it was before without a valid signature. */
async function viewIsSigned(url: string) {
  const html = async (query: string) => (await fetch(`${url}${url.includes('?') ? '&' : '?'}${query}`)).text();
  const signed = await rig.site.php<string>(
    '$sign = new ReflectionMethod( "Imagewright_Page_View", "sign" ); $sign->setAccessible( true ); return $sign->invoke( imagewright()->get( Imagewright_Page_View::class ), "before", time() - $age );',
    { age: 0 },
  );
  expect(await html(`imagewright_view=${signed}`)).not.toContain('.iw.webp');
  expect(await html(`imagewright_view=${signed.replace(/.$/, 'x')}`)).toContain('.iw.webp');
  expect(await html(`imagewright_view=before-${Math.round(Date.now() / 1000)}-`)).toContain('.iw.webp');
}

it('only pages of the site are opened, and only what visitors get', async () => {
  const refused = async (url: string) => (await post('/weigh', { url }))[1].code;
  expect(await refused('http://127.0.0.1:1/')).toBe('imagewright_other_site');
  expect(await refused('file:///etc/passwd')).toBe('imagewright_other_site');
  expect(await refused(rig.site.url.replace('://', '://user:secret@'))).toBe('imagewright_other_site');
  const [status, body] = await post('/weigh', { url: `${rig.site.url}/?p=999999` });
  expect([status, body.message]).toEqual([422, 'Visitors do not get this page: it answers with HTTP 404.']);
});

it('the page Media > Optimize weighs a page and names each image', async () => {
  const id = await admin.upload('named.jpg', await photograph(900), 'image/jpeg');
  const url = await rig.site.php<string>(PAGE, { id });
  expect((await post(`/attachments/${id}/optimize`))[0]).toBe(200);
  const { page, context } = await openPage('upload.php?page=imagewright-optimize&tab=weigh');
  await page.getByLabel('Address of the page').fill(url);
  await page.getByRole('button', { name: 'Weigh this page' }).click();
  await page.getByText(/^Phone: [\d.]+ KB became [\d.]+ KB\. Desktop: /).waitFor();
  const row = page.getByRole('row').filter({ hasText: /named-768x\d+\.jpg|named\.jpg/ });
  await expect.poll(() => row.innerText()).toMatch(/KB → [\d.]+ KB.*srcset/s);
  const foreign = await rig.site.php<string>(
    `wp_set_current_user( 1 ); return get_permalink( wp_insert_post( array( 'post_title' => 'Foreign', 'post_status' => 'publish', 'post_content' => '<img src="https://elsewhere.example/a.jpg" alt="">' ) ) );`,
  );
  await page.getByLabel('Address of the page').fill(foreign);
  await page.getByRole('button', { name: 'Weigh this page' }).click();
  await page.getByText('1 image, none of the media library.').waitFor();
  expect(await page.locator('.imagewright-weights th').count()).toBe(4);
  const without = await rig.site.php<string>(
    `wp_set_current_user( 1 ); return get_permalink( wp_insert_post( array( 'post_title' => 'Words', 'post_status' => 'publish', 'post_content' => 'Words alone' ) ) );`,
  );
  await page.getByLabel('Address of the page').fill(without);
  await page.getByRole('button', { name: 'Weigh this page' }).click();
  await page.getByText('This page has no images.').waitFor();
  expect(await page.locator('.imagewright-weights th').count()).toBe(0);
  await context.close();
});

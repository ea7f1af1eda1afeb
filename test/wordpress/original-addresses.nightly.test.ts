import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { weigh } from './pages/weigh.ts';
import { imageBlock, urlOf } from './posts.ts';
import { photograph } from './rig.ts';
import { useBrowser, useRig } from './use-rig.ts';

const tests = useRig({ delivery: 'replace' });
const { rig, post, upload, expectRestored } = tests;
const { browser } = useBrowser(tests);
beforeAll(() => rig.site.addMuPlugin(fileURLToPath(new URL('stand-ins/social-tags.php', import.meta.url))));

const text = async (path: string) => (await fetch(`${rig.site.url}${path}`)).text();

it.each([
  ['avif', 'jpg'],
  ['webp', 'jpg'],
])('feeds, the REST API and social networks get the original of an image replaced by %s', async (format) => {
  // PHP as WebAssembly and older WordPress cannot show AVIF everywhere.
  const formats = await rig.site.php<string[]>('return imagewright()->get( Imagewright_Options::class )->formats();');
  if (!formats.includes(format)) return;
  const image = await upload(`${format} original.jpg`, await photograph(1100));
  const old = { large: await urlOf(rig, image.id, 'large'), full: await urlOf(rig, image.id, 'full') };
  expect((await post(`/attachments/${image.id}/optimize`, { format, preset: 'low' }))[0]).toBe(200);
  const fresh = await urlOf(rig, image.id, 'large');
  expect(fresh).toMatch(new RegExp(`\\.${format}$`));
  const [page, id] = await rig.site.php<[string, number]>(
    `wp_set_current_user( 1 ); kses_remove_filters();
    $post = wp_insert_post( array( 'post_title' => 'Shared', 'post_status' => 'publish', 'post_content' => wp_slash( $content ) ) );
    set_post_thumbnail( $post, $id );
    return array( get_permalink( $post ), $post );`,
    // One post was written before the image was replaced, the other after.
    { content: imageBlock(image.id, old.large) + imageBlock(image.id, fresh), id: image.id },
  );
  const seen = await weigh(browser.browser, page, 'desktop');
  expect(seen).toMatchObject({ failed: [], blank: [] });
  expect(seen.images.every(({ path }) => path.endsWith(`.${format}`))).toBe(true);

  const isOriginal = (html: string) => {
    expect(html).not.toContain(`.${format}`);
    expect(html).toContain(new URL(old.large).pathname.split('/').at(-1));
  };
  isOriginal(await text('/?feed=rss2'));
  isOriginal(await text(`/wp-json/wp/v2/posts/${id}?_fields=content`));
  const media = JSON.parse(await text(`/wp-json/wp/v2/media/${image.id}`));
  expect(media).toMatchObject({
    source_url: old.full,
    mime_type: 'image/jpeg',
    media_details: {
      sizes: { large: { source_url: old.large, mime_type: 'image/jpeg' }, full: { source_url: old.full } },
    },
  });
  isOriginal(JSON.stringify(media));
  const head = (await text(new URL(page).pathname + new URL(page).search)).split('</head>')[0] ?? '';
  const tags = [...head.matchAll(/<meta (?:property|name)="(?:og|twitter):image[^>]*>/g)]
    .map(([tag]) => tag)
    .join('\n');
  expect(tags).toContain(`property="og:image" content="${old.full}"`);
  expect(tags).toContain('property="og:image:type" content="image/jpeg"');
  expect(tags).toContain(`name="twitter:image" content="${old.large}"`);
  for (const url of [old.full, old.large]) expect((await fetch(url)).headers.get('content-type')).toBe('image/jpeg');
  await expectRestored(image);
});

it('with files beside the originals, only pages name them, and a visitor gets them', async () => {
  await rig.site.php('update_option( "imagewright_settings", array( "delivery" => "beside", "auto" => false ) );');
  const image = await upload('beside.jpg', await photograph(1100));
  const large = await urlOf(rig, image.id, 'large');
  const full = await urlOf(rig, image.id, 'full');
  expect((await post(`/attachments/${image.id}/optimize`, { preset: 'low' }))[0]).toBe(200);
  const page = await rig.site.php<string>(
    `wp_set_current_user( 1 ); kses_remove_filters();
    $post = wp_insert_post( array( 'post_title' => 'Beside', 'post_status' => 'publish', 'post_content' => wp_slash( $content ) ) );
    set_post_thumbnail( $post, $id );
    return get_permalink( $post );`,
    { content: imageBlock(image.id, large), id: image.id },
  );
  const seen = await weigh(browser.browser, page, 'desktop');
  expect(seen).toMatchObject({ failed: [], blank: [] });
  expect(seen.images.every(({ path }) => path.endsWith('.iw.webp'))).toBe(true);
  const head = (await text(new URL(page).pathname + new URL(page).search)).split('</head>')[0] ?? '';
  expect(head).toContain(`property="og:image" content="${full}"`);
  const [feed, media] = [await text('/?feed=rss2'), await text(`/wp-json/wp/v2/media/${image.id}`)];
  expect(feed).toContain(new URL(large).pathname);
  expect(JSON.parse(media)).toMatchObject({ source_url: full, mime_type: 'image/jpeg' });
  for (const told of [feed, media, head]) expect(told).not.toContain('.iw.');
  await expectRestored(image);
});

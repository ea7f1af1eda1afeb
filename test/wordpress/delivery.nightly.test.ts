import { describe, expect, it } from 'vitest';
import { photograph } from './rig.ts';
import { useRig } from './use-rig.ts';

const { rig, admin } = useRig({ delivery: 'beside' });

/** Publishes a post and returns its images as a visitor gets them: `picture` with its sources, or `img` alone. */
async function imagesOf(content: string): Promise<string[]> {
  const url = await rig.site.php<string>(
    `wp_set_current_user( 1 ); return get_permalink( wp_insert_post( array( "post_title" => "Page", "post_status" => "publish", "post_content" => wp_slash( $content ) ) ) );`,
    { content },
  );
  const response = await fetch(url);
  expect(response.status).toBe(200);
  const html = (await response.text()).split('entry-content')[1] ?? '';
  return html.match(/<picture.*?<\/picture>|<img[^>]*>/gs) ?? [];
}

const urlOf = (id: number, size: string) =>
  rig.site.php<string>('return wp_get_attachment_image_url( $id, $size );', { id, size });

/** Names of the attributes that WordPress adds to an image. */
function attributesOf(html: string): string[] {
  const img = /<img[^>]*>/.exec(html)?.[0] ?? '';
  return ['srcset', 'sizes', 'width', 'height', 'decoding', 'loading', 'fetchpriority'].filter((name) =>
    img.includes(` ${name}=`),
  );
}

describe('with files beside those of WordPress, a page', () => {
  it('offers them for each kind of image once, and leaves an author’s picture as it is', async () => {
    const id = await admin.upload('kinds.jpg', await photograph(1400), 'image/jpeg');
    await admin.json('POST', `/attachments/${id}/optimize`, { preset: 'low' });
    const [full, large] = [await urlOf(id, 'full'), await urlOf(id, 'large')];
    const block = `<!-- wp:image {"id":${id}} --><figure class="wp-block-image"><img src="${large}" alt="" class="wp-image-${id}"/></figure><!-- /wp:image -->`;
    const raw = `<p><img src="${full}" alt="raw"></p>`;
    const relative = `<p><img src="${new URL(large).pathname}?v=2" alt="relative"></p>`;
    const written = `<picture><source srcset="/other.webp" type="image/webp"><img src="${full}" alt="written"></picture>`;
    const foreign = '<p><img src="https://elsewhere.example/wp-content/themes/a.jpg" alt="foreign"></p>';
    const images = await imagesOf([block, block, raw, relative, written, foreign].join('\n'));
    const sources = images.map((html) => html.match(/srcset="[^"]*"/g)?.[0] ?? '');
    expect(images.map((html) => html.split('<picture').length - 1)).toEqual([1, 1, 1, 1, 1, 0]);
    expect(sources.map((set) => set.split('.iw.webp').length - 1)).toEqual([4, 4, 1, 1, 0, 0]);
    expect(sources[3]).toContain('.jpg.iw.webp?v=2"');
    expect(images[4]?.replace(' data-iw', '')).toContain('alt="written"');
  });

  it('offers them for a background too', async () => {
    const id = await admin.upload('background.jpg', await photograph(900), 'image/jpeg');
    await admin.json('POST', `/attachments/${id}/optimize`, { preset: 'low' });
    const url = await urlOf(id, 'full');
    const page = await rig.site.php<string>(
      `wp_set_current_user( 1 ); kses_remove_filters(); return get_permalink( wp_insert_post( array( "post_title" => "Cover", "post_status" => "publish", "post_content" => wp_slash( $content ) ) ) );`,
      {
        content: `<!-- wp:cover {"url":"${url}","id":${id},"hasParallax":true} --><div class="wp-block-cover has-parallax"><div class="wp-block-cover__image-background wp-image-${id} has-parallax" style="background-position:50% 50%;background-image:url(${url})"></div><div class="wp-block-cover__inner-container"></div></div><!-- /wp:cover -->
<!-- wp:html --><style>.hero{background-image:url("${url}");color:red}.other{background-image:url("/a.jpg")}</style><!-- /wp:html -->`,
      },
    );
    const html = await (await fetch(page)).text();
    // As page builders print their rules.
    expect(html).toContain(
      `.hero{background-image:url("${url}");background-image:image-set(url("${url}.iw.webp") type("image/webp"),url("${url}"));color:red}.other{background-image:url("/a.jpg")}`,
    );
    const style = /style="(background-position[^"]*)"/.exec(html)?.[1];
    expect(style).toBe(
      `background-position:50% 50%;background-image:url(${url});background-image:image-set(url('${url}.iw.webp') type('image/webp'),url('${url}'))`,
    );
  });

  it('shows WordPress’s own file after it has changed, and after the plugin is switched off', async () => {
    const id = await admin.upload('changed.jpg', await photograph(800), 'image/jpeg');
    await admin.json('POST', `/attachments/${id}/optimize`, { preset: 'low' });
    const raw = `<p><img src="${await urlOf(id, 'full')}" alt="raw"></p>`;
    expect((await imagesOf(raw))[0]).toContain('<picture');
    await rig.site.php('deactivate_plugins( "imagewright/imagewright.php" );');
    expect((await imagesOf(raw))[0]).not.toContain('<picture');
    await rig.site.php('activate_plugin( "imagewright/imagewright.php" );');
    expect((await imagesOf(raw))[0]).toContain('<picture');
    await rig.site.php('touch( get_attached_file( $id ), time() + 10 );', { id });
    expect((await imagesOf(raw))[0]).not.toContain('<picture');
  });
});

describe('with files in the place of those of WordPress, a page that names the old files', () => {
  it('shows the new ones with all attributes of WordPress', async () => {
    const id = await admin.upload('old.jpg', await photograph(1400), 'image/jpeg');
    const sizes = ['full', 'large', 'medium'];
    const content = (await Promise.all(sizes.map((size) => urlOf(id, size))))
      .map((url) => `<figure><img src="${url}" alt="" class="wp-image-${id}"></figure>`)
      .join('\n');
    const before = await imagesOf(content);
    const [old, full] = [await urlOf(id, 'large'), await urlOf(id, 'full')];
    await rig.site.php('update_option( "imagewright_settings", array( "delivery" => "replace", "auto" => false ) );');
    await admin.json('POST', `/attachments/${id}/optimize`, { preset: 'low' });
    const styled = await rig.site.php<string>(
      `wp_set_current_user( 1 ); kses_remove_filters(); return get_permalink( wp_insert_post( array( "post_title" => "Styled", "post_status" => "publish", "post_content" => wp_slash( $content ) ) ) );`,
      {
        content: `<!-- wp:html --><style>${[full, old].map((url) => `.hero{background-image:url("${url}")}`).join('')}</style><!-- /wp:html -->`,
      },
    );
    const backgrounds = async () => [
      ...(await (await fetch(styled)).text()).matchAll(/\.hero{background-image:url\("([^"]+)"/g),
    ];
    const replaced = [full, old].map((url) => url.replace(/\.jpg$/, '.webp'));
    for (const time of ['first', 'second']) {
      expect([time, ...(await backgrounds()).map(([, url]) => url)]).toEqual([time, ...replaced]);
    }
    await admin.json('POST', `/attachments/${id}/restore`, {});
    expect((await backgrounds()).map(([, url]) => url)).toEqual([full, old]);
    await admin.json('POST', `/attachments/${id}/optimize`, { preset: 'low' });
    expect((await backgrounds()).map(([, url]) => url)).toEqual(replaced);
    await rig.site.php('update_option( "imagewright_settings", array( "delivery" => "beside", "auto" => false ) );');
    const after = await imagesOf(content);
    expect(after.map(attributesOf)).toEqual(before.map(attributesOf));
    expect(after.map((html) => /src="[^"]*\.(\w+)"/.exec(html)?.[1])).toEqual(['webp', 'webp', 'webp']);
    expect(after.map((html) => html.match(/\d+w/g)?.sort())).toEqual(before.map((html) => html.match(/\d+w/g)?.sort()));
    const found = await rig.site.php<number>('return attachment_url_to_postid( $url );', {
      url: await rig.site.php('return content_url( "uploads/" . get_post_meta( $id, "_imagewright_was", true ) );', {
        id,
      }),
    });
    expect([found, (await fetch(old)).status]).toEqual([id, 200]);
  });
});

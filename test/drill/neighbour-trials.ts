import { photograph } from '../wordpress/rig.ts';
import type { Trial } from './trial.ts';

const DELIVER =
  'update_option( "imagewright_settings", array( "delivery" => $delivery ) + get_option( "imagewright_settings" ) );';

const statusOf = async ({ admin }: Trial, id: number) =>
  admin.json<{ status: string; statusText: string }>('GET', `/attachments/${id}`);

/** Enable Media Replace: its own code replaces an optimized picture, under a new name and under the old one. */
export async function tryMediaReplace(trial: Trial): Promise<void> {
  const { rig, admin, hold, upload, shown, run } = trial;
  await rig.site.php(DELIVER, { delivery: 'replace' });
  for (const [format, type, name] of [
    ['webp', 'replace_and_search', 'fresh.jpg'],
    ['original', 'replace', 'ignored.jpg'],
  ] as const) {
    const none = JSON.stringify(await rig.checksums());
    const id = await upload(`stuck-${format}.jpg`, 1100);
    const [status] = await admin.answer('POST', `/attachments/${id}/optimize`, { format, preset: 'low' });
    hold(`${type}: is optimized first (${status})`, status === 200);
    const bytes = Buffer.from(await photograph(900, { name: 'photo-stream.jpg' })).toString('base64');
    const done = await rig.site.php<boolean>(
      `require_once ABSPATH . 'wp-admin/includes/admin.php'; wp_set_current_user( 1 );
      $path = wp_tempnam( 'fresh' ); file_put_contents( $path, base64_decode( $bytes ) );
      $one  = new EnableMediaReplace\\Controller\\ReplaceController( $id );
      $one->setupParams( array( 'replace_type' => $type, 'new_location' => false, 'location_dir' => null, 'timestamp_replace' => 2, 'new_date' => current_time( 'mysql' ), 'new_filename' => $name, 'uploadFile' => $path ) );
      return (bool) $one->run();`,
      { id, bytes, type, name },
    );
    hold(`${type}: the plugin says it is done`, done);
    const before = await shown(id);
    hold(`${type}: a visitor sees ${before.path}`, before.naturalWidth === 900 && before.failed.length === 0);
    hold(`${type}: ${(await statusOf(trial, id)).statusText}`, (await statusOf(trial, id)).status === 'none');
    const files = JSON.stringify(await rig.checksums());
    hold(`${type}: a run optimizes it for a credit`, (await run()) === 1);
    const after = await shown(id);
    hold(`${type}: a visitor gets ${after.path}, ${after.bytes} bytes of ${before.bytes}`, after.bytes < before.bytes);
    const [restored] = await admin.answer('POST', `/attachments/${id}/restore`, {});
    hold(`${type}: is restored byte for byte (${restored})`, files === JSON.stringify(await rig.checksums()));
    await rig.site.php('wp_delete_attachment( $id, true );', { id });
    hold(`${type}: nothing is left`, JSON.stringify(await rig.checksums()) === none);
  }
}

/** Modern Image Formats, with its picture element and without, and both ways of delivery. */
export async function tryModernFormats(trial: Trial): Promise<void> {
  const { rig, admin, hold, upload, shown, run } = trial;
  for (const [picture, delivery] of [
    [false, 'beside'],
    [true, 'beside'],
    [false, 'replace'],
    [true, 'replace'],
  ] as const) {
    const of = `${picture ? 'picture' : 'content'}, ${delivery}`;
    await rig.site.php(
      `${DELIVER} update_option( 'webp_uploads_use_picture_element', $picture ); update_option( 'perflab_generate_webp_and_jpeg', true ); update_option( 'perflab_modern_image_format', 'webp' );`,
      {
        delivery,
        picture,
      },
    );
    const none = JSON.stringify(await rig.checksums());
    const id = await upload(`both-${picture}-${delivery}.jpg`, 1100);
    const made = Object.keys(await rig.checksums()).filter((name) => /-jpg\.(webp|avif)$/.test(name));
    const files = JSON.stringify(await rig.checksums());
    const before = await shown(id);
    const cost = await run();
    const after = await shown(id);
    const { status, statusText } = await statusOf(trial, id);
    hold(
      `${of}: ${made.length} files of its own; ${cost} credits; ${before.path} ${before.bytes}, then ${after.path} ${after.bytes}; ${statusText}`,
      after.failed.length === 0 &&
        (cost === 0 ? after.bytes === before.bytes && status !== 'optimized' : after.bytes < before.bytes),
    );
    if (cost > 0) {
      await admin.answer('POST', `/attachments/${id}/restore`, {});
      hold(`${of}: is restored byte for byte`, files === JSON.stringify(await rig.checksums()));
      await run();
    }
    await rig.site.php('wp_delete_attachment( $id, true );', { id });
    hold(`${of}: nothing is left`, JSON.stringify(await rig.checksums()) === none);
  }
}

/** Yoast SEO: the picture of social networks and of the sitemap exists and answers, also when files took the place of the originals. */
export async function tryYoast({ rig, hold, upload, run }: Trial): Promise<void> {
  for (const delivery of ['beside', 'replace']) {
    await rig.site.php(DELIVER, { delivery });
    const id = await upload(`social-${delivery}.jpg`, 1300);
    await run();
    const url = await rig.site.php<string>(
      `wp_set_current_user( 1 ); $post = wp_insert_post( array( 'post_title' => 'Social', 'post_status' => 'publish', 'post_content' => 'x' ) );
      set_post_thumbnail( $post, $id ); return get_permalink( $post );`,
      { id },
    );
    const html = await (await fetch(url)).text();
    const image = /<meta property="og:image" content="([^"]+)"/.exec(html)?.[1] ?? '';
    const answer = image ? await fetch(image.replaceAll('&amp;', '&')) : null;
    hold(`${delivery}: og:image is ${image} (${answer?.headers.get('content-type')})`, answer?.status === 200);
    const map = await (await fetch(new URL('/?sitemap=post&sitemap_n=1', url))).text();
    const named = [...map.matchAll(/<image:loc>([^<]+)</g)].map(([, address]) => address as string);
    const states = await Promise.all(named.map(async (address) => (await fetch(address)).status));
    hold(
      `${delivery}: images of the sitemap answer: ${states.join(' ')}`,
      states.every((one) => one === 200),
    );
  }
}

/** Duplicate Post: a copy of a post shows its optimized picture, and stays whole when the first post is deleted. */
export async function tryDuplicatePost({ rig, hold, upload, run }: Trial): Promise<void> {
  const id = await upload('copied.jpg', 1200);
  await run();
  const [copy, before] = await rig.site.php<[string, string]>(
    `require_once ABSPATH . 'wp-admin/includes/admin.php'; wp_set_current_user( 1 );
    $img  = wp_get_attachment_image( $id, 'large', false, array( 'class' => "wp-image-$id" ) );
    $post = wp_insert_post( array( 'post_title' => 'First', 'post_status' => 'publish', 'post_content' => wp_slash( $img ) ) );
    $copy = ( new Yoast\\WP\\Duplicate_Post\\Post_Duplicator() )->create_duplicate( get_post( $post ), array( 'copy_status' => true, 'copy_attachments' => true ) );
    wp_publish_post( $copy ); wp_delete_post( $post, true ); return array( get_permalink( $copy ), (string) get_attached_file( $id ) );`,
    { id },
  );
  const html = await (await fetch(copy)).text();
  const address = /srcset="([^\s"]+\.iw\.webp)/.exec(html)?.[1] ?? '';
  hold(`the copy offers ${address}`, address !== '' && (await fetch(address)).status === 200);
  hold('the upload is there', before !== '');
}

/** Safe SVG: an SVG is neither priced nor changed, and a photograph beside it is optimized. */
export async function trySafeSvg({ rig, admin, hold, upload, run, shown }: Trial): Promise<void> {
  const svg = new TextEncoder().encode(
    '<?xml version="1.0" encoding="UTF-8"?><svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10"/></svg>',
  );
  const drawing = await admin.upload('drawing.svg', svg, 'image/svg+xml');
  const id = await upload('photo.jpg', 1100);
  const sums = await rig.checksums();
  hold(`a run costs one credit`, (await run()) === 1);
  const same = Object.entries(sums).filter(([name]) => name.endsWith('.svg'));
  const now = await rig.checksums();
  hold(`the drawing ${drawing} is as it was`, same.length > 0 && same.every(([name, sum]) => now[name] === sum));
  hold(`a visitor gets ${(await shown(id)).path}`, (await shown(id)).failed.length === 0);
}

/** WooCommerce: a product with a gallery and a variation offers optimized files, and keeps them when its thumbnails are made again. */
export async function tryShop({ rig, admin, hold, upload, run }: Trial): Promise<void> {
  const ids = [await upload('product.jpg', 1300), await upload('gallery.jpg', 1200), await upload('red.jpg', 1100)];
  const cost = await run();
  hold(`three pictures and the shop's placeholder cost ${cost} credits`, cost === 4);
  const url = await rig.site.php<string>(
    `wp_set_current_user( 1 ); update_option( 'woocommerce_coming_soon', 'no' );
    $attribute = new WC_Product_Attribute(); $attribute->set_name( 'Colour' ); $attribute->set_options( array( 'red', 'blue' ) ); $attribute->set_visible( true ); $attribute->set_variation( true );
    $product = new WC_Product_Variable(); $product->set_name( 'Chair' ); $product->set_status( 'publish' ); $product->set_image_id( $ids[0] ); $product->set_gallery_image_ids( array( $ids[1] ) );
    $product->set_attributes( array( $attribute ) ); $product->save();
    $one = new WC_Product_Variation(); $one->set_parent_id( $product->get_id() ); $one->set_attributes( array( 'colour' => 'red' ) ); $one->set_regular_price( '9' ); $one->set_image_id( $ids[2] ); $one->save();
    return get_permalink( $product->get_id() );`,
    { ids },
  );
  const page = async () => {
    const html = await (await fetch(url)).text();
    const sources = new Set(
      [...html.matchAll(/[^\s"&;]+\.iw\.webp/g)].map(([address]) => address.replaceAll('\\/', '/')),
    );
    const images = [...html.matchAll(/<img[^>]*\ssrc="(http[^"]+)"/g)].map(([, address]) => address as string);
    const states = await Promise.all([...sources, ...images].map(async (address) => (await fetch(address)).status));
    return { html, sources: [...sources], good: states.every((one) => one === 200), images: images.length };
  };
  const before = await page();
  hold(
    `the product shows ${before.images} images, and offers ${before.sources.length} files, which all answer`,
    before.good && before.sources.length > 3,
  );
  hold('the data of the variation have them too', /red[^"]*\.iw\.webp/.test(before.html.replaceAll('\\/', '/')));
  await rig.site.php(
    'require_once ABSPATH . "wp-admin/includes/image.php"; foreach ( $ids as $id ) { wp_update_attachment_metadata( $id, wp_generate_attachment_metadata( $id, wp_get_original_image_path( $id ) ) ); }',
    { ids },
  );
  const again = await run();
  const after = await page();
  hold(
    `thumbnails made again: a run costs ${again} credits, ${after.sources.length} files are offered`,
    after.good && after.sources.length >= before.sources.length,
  );
  const { status } = await admin.json<{ status: string }>('GET', `/attachments/${ids[0]}`);
  hold(`the state is ${status}`, status === 'optimized');
}

/** Elementor: a page of its image widget and a background shows optimized files, in both ways of delivery. */
export async function tryElementor({ rig, admin, hold, upload, run }: Trial): Promise<void> {
  for (const delivery of ['beside', 'replace']) {
    await rig.site.php(DELIVER, { delivery });
    const id = await upload(`built-${delivery}.jpg`, 1300);
    const url = await rig.site.php<string>(
      `wp_set_current_user( 1 ); $src = wp_get_attachment_url( $id );
      $image = array( 'id' => 'aaaaaa1', 'elType' => 'widget', 'widgetType' => 'image', 'settings' => array( 'image' => array( 'id' => $id, 'url' => $src ), 'image_size' => 'large' ), 'elements' => array() );
      $data  = array( array( 'id' => 'aaaaaa2', 'elType' => 'container', 'settings' => array( 'background_background' => 'classic', 'background_image' => array( 'id' => $id, 'url' => $src ) ), 'elements' => array( $image ) ) );
      $post  = wp_insert_post( array( 'post_type' => 'page', 'post_title' => 'Built', 'post_status' => 'publish', 'post_content' => '' ) );
      foreach ( array( '_elementor_edit_mode' => 'builder', '_elementor_template_type' => 'wp-page', '_elementor_version' => ELEMENTOR_VERSION, '_elementor_data' => wp_slash( wp_json_encode( $data ) ) ) as $key => $value ) { update_post_meta( $post, $key, $value ); }
      return get_permalink( $post );`,
      { id },
    );
    const page = async () => {
      const html = await (await fetch(url)).text();
      const images = [...html.matchAll(/<img[^>]*\ssrc="(http[^"]+built[^"]+)"/g)].map(
        ([, address]) => address as string,
      );
      const states = await Promise.all(images.map(async (address) => (await fetch(address)).status));
      return {
        images,
        good: images.length > 0 && states.every((one) => one === 200),
        webp: /built[^"']*\.webp/.test(html),
      };
    };
    const before = await page();
    hold(`${delivery}: the page shows ${before.images.length} images before`, before.good && !before.webp);
    const cost = await run();
    const after = await page();
    hold(`${delivery}: ${cost} credits; the page shows ${after.images.join(' ')}`, after.good);
    hold(`${delivery}: it offers optimized files`, after.webp);
    await admin.answer('POST', `/attachments/${id}/restore`, {});
    hold(
      `${delivery}: restored, the page shows the first files`,
      JSON.stringify(await page()) === JSON.stringify(before),
    );
    await rig.site.php('wp_delete_attachment( $id, true );', { id });
  }
}

import { photograph } from '../rig.ts';
import type { Site } from '../site/site.ts';
import type { SiteUser } from '../site/site-user.ts';

/** Requirements of a page for visitors. */
export interface PageNeeds {
  queries: number;
  /** Milliseconds of the processor after WordPress has begun to load plugins, the fewest of all requests. */
  milliseconds: number;
  /** Images with an optimized file. */
  optimized: number;
}

/** Publishes a post with image blocks, of different uploads. Returns its URL and the attachments. */
export async function publishImages(
  site: Site,
  user: SiteUser,
  count: number,
): Promise<{ url: string; ids: number[] }> {
  const ids: number[] = [];
  for (let index = 0; index < count; index += 1) {
    ids.push(await user.upload(`page-${index}.jpg`, await photograph(420 + 4 * index), 'image/jpeg'));
  }
  const url = await site.php<string>(
    `wp_set_current_user( 1 );
    $blocks = array_map( static function ( $id ) {
      return '<!-- wp:image {"id":' . $id . ',"sizeSlug":"medium"} --><figure class="wp-block-image size-medium"><img src="' . wp_get_attachment_image_url( $id, 'medium' ) . '" alt="" class="wp-image-' . $id . '"/></figure><!-- /wp:image -->';
    }, $ids );
    return get_permalink( wp_insert_post( array( 'post_title' => 'Images', 'post_status' => 'publish', 'post_content' => wp_slash( implode( "\\n", $blocks ) ) ) ) );`,
    { ids },
  );
  return { url, ids };
}

/** Requests a page as a visitor, in turn with the plugin and as if it was not active. Requires `prepareMeasuring`. */
export async function comparePage(url: string, times: number): Promise<Record<'with' | 'without', PageNeeds>> {
  const found: Record<'with' | 'without', PageNeeds[]> = { with: [], without: [] };
  for (let at = 0; at <= times; at += 1) {
    for (const kind of ['with', 'without'] as const) {
      const answer = await fetch(url, kind === 'without' ? { headers: { 'X-Test-Without': '1' } } : {});
      const html = await answer.text();
      if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`);
      const images = html.match(/<img[^>]*\/page-\d+[^>]*>/g) ?? [];
      if (images.length === 0) throw new Error(`${url} shows no image`);
      const offered = html.match(/<source[^>]*\/page-\d+[^"]*\.iw\.webp[^>]*>/g) ?? [];
      const needs = {
        queries: Number(answer.headers.get('X-Test-Queries')),
        milliseconds: Number(answer.headers.get('X-Test-Cpu')),
        optimized: offered.length + images.filter((image) => image.includes('.webp')).length,
      };
      // The first request of each kind fills caches of the server.
      if (at > 0) found[kind].push(needs);
    }
  }
  const best = (all: PageNeeds[]): PageNeeds => ({
    queries: Math.max(...all.map(({ queries }) => queries)),
    milliseconds: Math.min(...all.map(({ milliseconds }) => milliseconds)),
    optimized: Math.min(...all.map(({ optimized }) => optimized)),
  });
  return { with: best(found.with), without: best(found.without) };
}

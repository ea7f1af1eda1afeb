import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { photograph } from './rig.ts';
import { seesFilesOfOthers } from './site/php.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, post, upload, expectRestored, remove } = useRig({ delivery: 'beside' });

const native = await seesFilesOfOthers();

beforeAll(() => rig.site.addMuPlugin(fileURLToPath(new URL('stand-ins/page-cache.php', import.meta.url))));

/** Publishes a post and returns the HTML of its page for a visitor. */
async function pageWith(content: string): Promise<string> {
  const url = await rig.site.php<string>(
    `return get_permalink( wp_insert_post( array( "post_title" => "Page", "post_status" => "publish", "post_content" => wp_slash( $content ) ) ) );`,
    { content },
  );
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return response.text();
}

/** The markup that the editor stores for an image block. */
function imageBlock(id: number, url: string): string {
  return `<!-- wp:image {"id":${id},"sizeSlug":"large"} --><figure class="wp-block-image size-large"><img src="${url}" alt="Mountains" class="wp-image-${id}"/></figure><!-- /wp:image -->`;
}

describe('an image with optimized files beside it', () => {
  it('empties page caches once for all images of a minute, and at the deactivation', async () => {
    const count =
      'foreach ( array( "litespeed_purge_all", "cache_enabler_clear_site_cache" ) as $hook ) { $before[] = did_action( $hook ); }';
    const found = await rig.site.php<Record<string, unknown>>(`
      wp_clear_scheduled_hook( "imagewright_pages_changed" );
      function rocket_clean_domain() { $GLOBALS["purged"][] = "rocket"; }
      function w3tc_flush_posts() { $GLOBALS["purged"][] = "w3tc"; }
      do_action( "imagewright_replaced", 1, array() );
      $planned = wp_next_scheduled( "imagewright_pages_changed" );
      do_action( "imagewright_restored", 2 );
      ${count}
      $events = count( array_filter( _get_cron_array(), fn( $at ) => isset( $at["imagewright_pages_changed"] ) ) );
      $early = $GLOBALS["purged"] ?? array();
      do_action( "imagewright_pages_changed" );
      $later = $GLOBALS["purged"];
      do_action( "deactivate_" . plugin_basename( IMAGEWRIGHT_FILE ) );
      ${count}
      return array( "wait" => $planned - time(), "events" => $events, "early" => $early, "later" => $later,
        "end" => count( $GLOBALS["purged"] ), "left" => wp_next_scheduled( "imagewright_pages_changed" ), "actions" => $before,
        "cloudflare" => apply_filters( "cloudflare_purge_everything_actions", array( "switch_theme" ) ) );`);
    expect(found).toMatchObject({
      events: 1,
      early: [],
      later: ['rocket', 'w3tc'],
      end: 4,
      left: false,
      actions: [0, 0, 2, 2],
    });
    expect(found.wait).toBeGreaterThan(0);
    expect(found.cloudflare).toEqual(['switch_theme', 'imagewright_pages_changed']);
  });

  it('is not made of an animation in a format that cannot hold it', async () => {
    const bytes = await readFile(fileURLToPath(new URL('../fixtures/field/d-control.gif', import.meta.url)));
    const image = await upload('moving.gif', bytes, 'image/gif');
    const [status, body] = await post(`/attachments/${image.id}/optimize`, { format: 'avif', preset: 'low' });
    expect([status, body]).toEqual([409, expect.objectContaining({ code: 'imagewright_not_smaller' })]);
    expect(String(body.message)).toContain('cannot hold the animation');
    expect(Object.keys(await rig.checksums()).filter((name) => name.includes('.iw.'))).toEqual([]);
    await remove(image.id);
  });

  it('keeps its files and metadata; pages offer each smaller file with the attributes of WordPress; restoring and deleting leave nothing', async () => {
    const empty = await rig.checksums();
    const image = await upload('mountains.jpg', await photograph(2800));
    const url = await rig.site.php<string>('return wp_get_attachment_image_url( $id, "large" );', { id: image.id });
    const content = imageBlock(image.id, url);
    const before = await pageWith(content);
    const balance = await rig.account.api.balance();
    const answer = await admin.json('POST', `/attachments/${image.id}/optimize`, { format: 'webp', preset: 'medium' });
    expect(answer).toMatchObject({ status: 'optimized', mime: 'image/jpeg' });
    expect(balance - (await rig.account.api.balance())).toBe(1);

    const after = await rig.attachment(image.id);
    expect({ ...after, backups: '', state: '' }).toEqual({ ...image.before, backups: '', state: '' });
    const files = await rig.checksums();
    expect(files).toMatchObject(image.checksums);
    const made = Object.keys(files).filter((name) => name.includes('.iw.'));
    expect(made.length).toBeGreaterThanOrEqual(6);
    for (const name of made) {
      const [own, other] = [name, name.replace('.iw.webp', '')].map((path) => join(rig.site.uploadsDir, path)) as [
        string,
        string,
      ];
      const [one, two] = await Promise.all([sharp(own).metadata(), sharp(other).metadata()]);
      expect(one.format).toBe('webp');
      expect([Math.abs(one.width - two.width) <= 1, Math.abs(one.height - two.height) <= 1], name).toEqual([
        true,
        true,
      ]);
    }

    const page = await pageWith(content);
    const img = /<img[^>]*wp-image[^>]*>/.exec(page)?.[0] ?? '';
    expect(img.replace(' data-iw', '')).toBe(/<img[^>]*wp-image[^>]*>/.exec(before)?.[0]);
    const source = /<picture[^>]*><source type="image\/webp" srcset="([^"]*)" sizes="([^"]*)">/.exec(page);
    expect(source?.[1]?.split(', ').length).toBe(/srcset="([^"]*)"/.exec(img)?.[1]?.split(', ').length);
    expect(source?.[1]).toContain('.jpg.iw.webp 1024w');
    expect(source?.[2]).toBe(/sizes="([^"]*)"/.exec(img)?.[1]);

    const field = (score: number | null) =>
      rig.site.php<string>(
        `$state = imagewright()->get( Imagewright_State::class )->get( $id ); $state["quality"]["score"] = $score; imagewright()->get( Imagewright_State::class )->set( $id, $state );
          return imagewright()->get( Imagewright_Attachment_Field::class )->html( imagewright()->get( Imagewright_Library::class )->describe( $id ) );`,
        { id: image.id, score },
      );
    expect(await field(82.4)).toContain('title="SSIMULACRA2: 82">Difference hardly visible</span>');
    expect(await field(49)).toContain('>Difference clearly visible</span>');
    expect(await field(null)).not.toContain('SSIMULACRA2');
    const offered = `${rig.site.url}/wp-content/uploads/${made[0]}`;
    expect((await fetch(offered)).headers.get('content-type')).toBe('image/webp');
    const emptied = () => rig.site.php<number>('return (int) get_option( "stand_in_purges" );');
    const [planned, count] = [
      await rig.site.php('return (bool) wp_next_scheduled( "imagewright_pages_changed" );'),
      await emptied(),
    ];
    await expectRestored(image);
    // Pages in caches name files that are gone: the caches are emptied at once, and what is still asked for is shown.
    expect([planned, await emptied()]).toEqual([true, count + 1]);
    expect(await rig.site.php('return wp_next_scheduled( "imagewright_pages_changed" );')).toBe(false);
    const instead = await fetch(offered);
    expect([instead.status, instead.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect(instead.url).toBe(offered.replace('.iw.webp', ''));
    expect(await pageWith(content)).not.toContain('<picture');
    await admin.json('POST', `/attachments/${image.id}/optimize`, { preset: 'medium' });
    await remove(image.id);
    expect(await rig.checksums()).toEqual(empty);
    // PHP as WebAssembly still tries to send a file that another process removed.
    if (native) expect((await fetch(offered)).status).toBe(404);
  });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { addManyAttachments } from '../scale/many-attachments.ts';
import { type Measured, measure, prepareMeasuring } from '../scale/measure.ts';
import { type Site, startSite } from '../site/site.ts';
import type { SiteUser } from '../site/site-user.ts';

/** Attachments of the library. */
const COUNT = 50_000;

let site: Site;
let admin: SiteUser;

beforeAll(async () => {
  site = await startSite({ server: 'nginx', database: 'mariadb', version: '7.1', memoryLimit: '128M' });
  admin = await site.logIn();
  await prepareMeasuring(site);
});
afterAll(() => site?.stop());

it('is filled with attachments that WordPress takes for its own', { timeout: 300_000 }, async () => {
  const begin = performance.now();
  const [first, last] = await addManyAttachments(site, { count: COUNT });
  console.log(`${COUNT} attachments in ${Math.round(performance.now() - begin)} ms`);
  expect(last - first + 1).toBe(COUNT);
  expect(Number(await site.database?.sql("SELECT COUNT(*) FROM wp_posts WHERE post_type = 'attachment'"))).toBe(COUNT);
  const [scaled, png, end] = await site.php<{ file: string; srcset: string; original: string; missing: unknown[] }[]>(
    `return array_map( static function ( $id ) { return array(
      'file' => get_attached_file( $id ),
      'original' => wp_get_original_image_path( $id ),
      'srcset' => wp_get_attachment_image_srcset( $id, 'large' ),
      'missing' => wp_get_missing_image_subsizes( $id ),
    ); }, $ids );`,
    { ids: [first, first + 6, last] },
  );
  expect(scaled?.file).toMatch(/\d{4}\/\d\d\/picture-\d+-scaled\.jpg$/);
  expect(scaled?.original).toBe(scaled?.file.replace('-scaled', ''));
  expect(scaled?.srcset.split(', ').length).toBeGreaterThan(4);
  expect(png?.file).toMatch(/\.png$/);
  expect([scaled, png, end].map((one) => one?.missing)).toEqual([[], [], []]);
});

it('has files for its attachments if they are asked for', async () => {
  const [first, last] = await addManyAttachments(site, { count: 16, files: 'all' });
  const missing = await site.php<string[]>(
    `$missing = array();
    foreach ( range( $first, $last ) as $id ) {
      $file = get_attached_file( $id );
      $names = array_merge( array( $file, wp_get_original_image_path( $id ) ), array_map( static function ( $size ) use ( $file ) { return dirname( $file ) . '/' . $size['file']; }, array_values( wp_get_attachment_metadata( $id )['sizes'] ) ) );
      $missing = array_merge( $missing, array_filter( $names, static function ( $path ) { return ! is_file( $path ); } ) );
    }
    return $missing;`,
    { first, last },
  );
  expect(missing).toEqual([]);
});

it('opens with the plugin active', { timeout: 300_000 }, async () => {
  const paths = ['/wp-admin/upload.php?mode=list', '/wp-admin/upload.php?mode=grid', '/wp-json/wp/v2/media'];
  const query = new URLSearchParams({ action: 'query-attachments', 'query[posts_per_page]': '80' });
  const table: Record<string, Measured> = {};
  const measureAll = async (title: string) => {
    for (const path of paths) table[path + title] = await measure(site, admin, path);
    table[`query-attachments${title}`] = await measure(site, admin, '/wp-admin/admin-ajax.php', { body: query });
  };
  await measureAll(' without the plugin');
  await site.php('return activate_plugin( "imagewright/imagewright.php" );');
  await measureAll('');
  console.table(table);
  for (const { statuses, queries, memory, p95 } of Object.values(table)) {
    expect(statuses).toEqual([200]);
    expect(queries).toBeGreaterThan(0);
    expect(memory).toBeLessThan(128);
    expect(p95).toBeGreaterThan(0);
  }
});

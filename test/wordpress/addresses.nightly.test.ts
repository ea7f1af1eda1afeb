import { mkdir, readdir, readFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { PageWeight } from '../../plugin-bridge/wordpress/src/weigh-panel.ts';
import { weigh } from './pages/weigh.ts';
import { imageBlock, publish, urlOf } from './posts.ts';
import { photograph } from './rig.ts';
import { seesFilesOfOthers } from './site/php.ts';
import { startBucket } from './stand-ins/bucket.ts';
import { useBrowser, useRig } from './use-rig.ts';

const tests = useRig({ delivery: 'beside' });
const { rig, admin, upload, expectRestored } = tests;
const { browser } = useBrowser(tests);
const optimize = (id: number) => admin.json('POST', `/attachments/${id}/optimize`, { preset: 'low' });

it('an image of another host with the same path is left as it is, and a pull CDN is one of the site', async () => {
  const image = await upload('same-path.jpg', await photograph(700));
  await optimize(image.id);
  const own = await urlOf(rig, image.id, 'full');
  const other = await startBucket();
  const foreign = own.replace(rig.site.url, other.url);
  other.files.set(new URL(foreign).pathname, await photograph(300));
  const content = [own, foreign].map((url) => `<p><img src="${url}" alt=""></p>`).join('');
  const page = await publish(rig, `${content}<div style="background-image:url('${foreign}')">x</div>`);
  const seen = await weigh(browser.browser, page, 'desktop');
  expect(seen).toMatchObject({ failed: [], blank: [] });
  expect(seen.images.map(({ naturalWidth }) => naturalWidth)).toEqual([700, 300]);
  expect(seen.images[0]?.path).toMatch(/\.iw\.webp$/);
  expect(other.missed).toEqual([]);
  const html = async () => (await fetch(page)).text();
  expect(await html()).not.toContain(`${foreign}.iw.webp`);

  await rig.define({ IMAGEWRIGHT_TEST_CDN: new URL(other.url).host });
  expect(await html()).toContain(`${foreign}.iw.webp`);
  await expectRestored(image);
});

it.runIf(await seesFilesOfOthers()).each([
  ['replace', '1998'],
  ['beside', '1999'],
])(
  'a folder of a year that is a link is one of the uploads folder, and may move to another disk (%s)',
  async (delivery, name) => {
    await rig.site.php('update_option( "imagewright_settings", array( "delivery" => $delivery, "auto" => false ) );', {
      delivery,
    });
    const shown = delivery === 'beside' ? /\.iw\.webp$/ : /linked\.webp$/;
    const year = join(rig.site.uploadsDir, name);
    const disks = ['a', 'b'].map((disk) => join(dirname(dirname(rig.site.uploadsDir)), `disk-${name}-${disk}`));
    const [first = '', second = ''] = disks;
    await mkdir(join(first, '12'), { recursive: true });
    await writeFile(join(first, '12/linked.jpg'), await photograph(700));
    await symlink(first, year);
    try {
      const id = await rig.site.php<number>(
        `$file = wp_get_upload_dir()['basedir'] . "/$year/12/linked.jpg";
      $id = wp_insert_attachment( array( 'post_mime_type' => 'image/jpeg', 'post_title' => 'Linked', 'post_status' => 'inherit' ), $file );
      wp_update_attachment_metadata( $id, wp_generate_attachment_metadata( $id, $file ) ); return $id;`,
        { year: name },
      );
      const files = async () => {
        const names = (await readdir(join(year, '12'))).sort();
        return Promise.all(names.map(async (one) => [one, await readFile(join(year, '12', one), 'base64')]));
      };
      const before = await files();
      for (const disk of disks) {
        if (disk === second) {
          // Each process of PHP still remembers the first disk.
          await rename(first, second);
          await unlink(year);
          await symlink(second, year);
        }
        expect(await optimize(id)).toMatchObject({ status: 'optimized' });
        const page = await publish(rig, imageBlock(id, await urlOf(rig, id, 'full')));
        const seen = await weigh(browser.browser, page, 'desktop');
        expect(seen).toMatchObject({ failed: [], blank: [], images: [{ path: expect.stringMatching(shown) }] });
        expect(await admin.json('POST', `/attachments/${id}/restore`, {})).toMatchObject({ status: 'none' });
        expect(await files()).toEqual(before);
      }
      await rig.site.php('clearstatcache( true ); wp_delete_attachment( $id, true );', { id });
    } finally {
      await unlink(year);
      for (const disk of disks) await rm(disk, { recursive: true, force: true });
    }
  },
);

it('a page is weighed by files of attachments alone', async () => {
  await rig.site.createUser('aut', 'author');
  const author = await rig.site.logIn('aut', 'aut');
  const id = await author.upload('shown.jpg', await photograph(500), 'image/jpeg');
  const secret = join(rig.site.uploadsDir, 'backups/database.jpg');
  await mkdir(dirname(secret), { recursive: true });
  await writeFile(secret, 'x'.repeat(4321));
  const base = await rig.site.php<string>('return wp_get_upload_dir()["baseurl"];');
  const requests = [
    '/backups/database.jpg',
    '/%2e%2e/%2e%2e/wp-config.php',
    '/..%2f..%2fwp-config.php',
    '/%2e%2e%2f%2e%2e%2findex.php',
    '/%5c..%5c..%5cindex.php',
  ].map((path) => `<img src="${base}${path}" alt="">`);
  const page = await publish(rig, `<img src="${await urlOf(rig, id, 'full')}" alt="">${requests.join('')}`);
  const { images, totals } = await author.json<PageWeight>('POST', '/weigh', { url: page });
  const shown = (await rig.attachment(id)).metadata.filesize;
  expect(images.map(({ desktop }) => desktop[1])).toEqual([shown, ...requests.map(() => null)]);
  expect(totals.desktop.after).toBe(shown);
});

it('no address leads out of the uploads folder, however it is written', async () => {
  const found = await rig.site.php<{ bad: string[]; count: number; known: string; linked: string }>(
    `$base = wp_get_upload_dir(); $root = realpath( $base['basedir'] ); $bad = array(); $count = 0;
    $parts = array( '..', '.', '%2e%2e', '%2E.', '..%2f', '%2f', '/', '//', '%5c', '\\\\', '%00', '%252e%252e', 'a', '2026', 'index.php', 'wp-config.php', '?', '#', ';', '%c0%ae', '~', '..;' );
    mt_srand( 7 );
    for ( $round = 0; $round < 4000; $round++ ) {
      $url = $base['baseurl'];
      for ( $n = mt_rand( 1, 7 ); $n > 0; $n-- ) { $url .= ( mt_rand( 0, 3 ) ? '/' : '' ) . $parts[ mt_rand( 0, count( $parts ) - 1 ) ]; }
      $path = imagewright()->get( Imagewright_Files::class )->path( $url );
      if ( '' === $path ) { continue; }
      ++$count;
      $folder = realpath( dirname( $path ) );
      if ( false === $folder || 0 !== strpos( "$folder/", "$root/" ) || preg_match( '#/\\\\.\\\\.?(/|$)#', $path ) ) { $bad[] = $url; }
    }
    symlink( ABSPATH . 'wp-config.php', $base['basedir'] . '/link.jpg' );
    $linked = imagewright()->get( Imagewright_Files::class )->path( $base['baseurl'] . '/link.jpg' );
    unlink( $base['basedir'] . '/link.jpg' );
    return array( 'bad' => $bad, 'count' => $count, 'linked' => $linked,
      'known' => substr( imagewright()->get( Imagewright_Files::class )->path( $base['baseurl'] . '/a%20b.jpg?x=/../#y' ), strlen( $base['basedir'] ) ) );`,
  );
  expect(found).toMatchObject({ bad: [], known: '/a b.jpg', linked: '' });
  expect(found.count).toBeGreaterThan(100);
});

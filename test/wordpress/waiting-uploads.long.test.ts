import { afterEach, expect, it } from 'vitest';
import { PATIENCE_MS } from '../support/patience.ts';
import { photograph } from './rig.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, emptyLibrary } = useRig({ delivery: 'beside', auto: true });
afterEach(emptyLibrary);

const PATIENCE = { timeout: PATIENCE_MS, interval: 300 };
const statusAfterWork = async (id: number) => {
  await workLater();
  return statusOf(id);
};
const statusOf = async (id: number) => (await admin.json('GET', `/attachments/${id}`)).status;
/** Works on the queue as WP-Cron does, when the pause is over and the waiting tasks are due; returns the next pause in seconds. */
const workLater = () =>
  rig.site.php<number>(`wp_cache_delete( 'imagewright_pause', 'options' );
    $pause = imagewright()->get( Imagewright_Queue::class )->paused();
    if ( $pause ) { update_option( 'imagewright_pause', array( 'until' => time() - 1 ) + $pause, false ); }
    global $wpdb;
    $wpdb->query( 'UPDATE ' . Imagewright_Index::table() . " SET due = 1 WHERE task <> ''" );
    // WP-Cron removes an event before it runs it.
    wp_clear_scheduled_hook( 'imagewright_work' );
    imagewright()->get( Imagewright_Worker::class )->slice();
    return max( 0, imagewright()->get( Imagewright_Queue::class )->paused_until() - time() );`);

it('an upload waits for a service that is away for hours, with growing pauses, and is then charged once', async () => {
  const before = await rig.account.api.balance();
  const id = await admin.upload('later.jpg', await photograph(700), 'image/jpeg');
  await rig.define({ IMAGEWRIGHT_URL: 'http://127.0.0.1:9' });
  const pauses: number[] = [];
  for (let round = 0; round < 14; round += 1) pauses.push(await workLater());
  // A second may pass between two looks at the clock.
  const expected = [5, 10, 20, 40, 80, 160, 320, 640, ...Array(6).fill(900)];
  for (const [round, pause] of pauses.entries()) {
    expect(pause).toBeGreaterThan(expected[round] - 5);
    expect(pause).toBeLessThanOrEqual(expected[round]);
  }
  // Away for more than an hour and a half: it waits, no attempt counts, and the schedule comes back to it.
  expect(pauses.reduce((sum, pause) => sum + pause)).toBeGreaterThan(5400);
  expect(await statusOf(id)).toBe('queued');
  const row = await rig.site.php(
    'return array_intersect_key( imagewright()->get( Imagewright_Index::class )->row( $id ), array( "task" => 1, "tries" => 1 ) );',
    { id },
  );
  expect(row).toEqual({ task: 'new', tries: '0' });
  const comesBack = await rig.site.php<number>('return wp_next_scheduled( "imagewright_work" ) - time();');
  expect(comesBack).toBeGreaterThan(60);
  expect(comesBack).toBeLessThanOrEqual(900);

  await rig.define({});
  await expect.poll(() => statusAfterWork(id), PATIENCE).toBe('optimized');
  expect(before - (await rig.account.api.balance())).toBe(1);
});

it('images of importers in the background are optimized, though nobody is logged in and they have no author', async () => {
  const source = await admin.upload('source.jpg', await photograph(650), 'image/jpeg');
  // As the importers of WooCommerce and WordPress do: the file, the attachment, then its sizes.
  const id = await rig.site.php<number>(
    `wp_set_current_user( 0 );
    $file = wp_upload_bits( 'imported.jpg', null, file_get_contents( get_attached_file( $source ) ) );
    $id   = wp_insert_attachment( array( 'post_title' => 'Imported', 'post_mime_type' => 'image/jpeg', 'post_author' => 0 ), $file['file'] );
    wp_update_attachment_metadata( $id, wp_generate_attachment_metadata( $id, $file['file'] ) );
    return $id;`,
    { source },
  );
  expect(await statusOf(id)).toBe('queued');
  await expect.poll(() => statusAfterWork(id), PATIENCE).toBe('optimized');
});

it('images of the old library are not bought when another plugin makes their thumbnails again', async () => {
  const auto = (value: boolean) =>
    rig.site.php('update_option( "imagewright_settings", compact( "auto" ) + get_option( "imagewright_settings" ) );', {
      auto: value,
    });
  await auto(false);
  const [old, young] = [
    await admin.upload('old.jpg', await photograph(700), 'image/jpeg'),
    await admin.upload('young.jpg', await photograph(710), 'image/jpeg'),
  ];
  await auto(true);
  await rig.site.php(
    `wp_update_post( array( 'ID' => $old, 'post_date' => '2020-01-02 03:04:05', 'post_date_gmt' => '2020-01-02 03:04:05' ) );
    add_image_size( 'of_new_theme', 333, 222, true );
    foreach ( array( $old, $young ) as $id ) {
      wp_update_attachment_metadata( $id, wp_generate_attachment_metadata( $id, get_attached_file( $id, true ) ) );
    }`,
    { old, young },
  );
  expect((await rig.attachment(old)).metadata.sizes).toHaveProperty('of_new_theme');
  expect(await statusOf(young)).toBe('queued');
  expect(await statusOf(old)).toBe('none');
});

import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { photograph } from './rig.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, emptyLibrary } = useRig({ delivery: 'beside', auto: true });
afterEach(async () => {
  await emptyLibrary();
  await rig.site.php(
    `delete_option( "imagewright_today" ); delete_option( "imagewright_pause" );
    imagewright()->get( Imagewright_Schedule::class )->clear_work();
    update_option( "imagewright_settings", array( "daily_credits" => 200 ) + get_option( "imagewright_settings" ) );`,
  );
});

/** Seconds until the next slice, which runs as WP-Cron or Action Scheduler runs it; null: none is planned. */
const PLANNED = `$planned = static function () {
  $time = function_exists( 'stand_in_next' ) ? stand_in_next( 'imagewright_work' ) : wp_next_scheduled( 'imagewright_work' );
  return $time ? $time - time() : null;
};`;
const planned = () => rig.site.php<number | null>(`${PLANNED} return $planned();`);

/** Makes all tasks due, and runs slices as long as they are due, five at most. */
const runSlices = () =>
  rig.site.php<{ count: number; net: number | null; next: number | null }>(`${PLANNED}
    global $wpdb;
    $wpdb->query( 'UPDATE ' . Imagewright_Index::table() . " SET due = 1 WHERE task <> ''" );
    $net = null;
    add_filter( 'imagewright_pause', static function ( $seconds ) use ( &$net, $planned ) {
      $net = $planned();
      return $seconds;
    } );
    $count = 0;
    if ( function_exists( 'stand_in_run' ) ) {
      $count = stand_in_run( 'imagewright_work', 5 );
    } else {
      while ( $count < 5 && null !== $planned() && $planned() <= 0 ) {
        // WP-Cron removes an event before it runs it.
        wp_clear_scheduled_hook( 'imagewright_work' );
        do_action( 'imagewright_work' );
        ++$count;
      }
    }
    return array( 'count' => $count, 'net' => $net, 'next' => $planned() );`);

describe.each(['WP-Cron', 'Action Scheduler'])('with %s', (scheduler) => {
  beforeAll(async () => {
    if (scheduler === 'WP-Cron') return;
    await rig.site.addMuPlugin(fileURLToPath(new URL('stand-ins/action-scheduler.php', import.meta.url)));
  });

  it('a slice is followed by another while tasks are left, and by a later one if PHP ends in it', async () => {
    await admin.upload('left.jpg', await photograph(300), 'image/jpeg');
    await rig.define({ IMAGEWRIGHT_URL: 'http://127.0.0.1:9' });
    const { count, net, next } = await runSlices();
    expect(count).toBe(1);
    expect(net).toBeGreaterThan(240);
    expect(net).toBeLessThanOrEqual(300);
    // The first pause while the service does not respond.
    expect(next).toBeGreaterThan(0);
    expect(next).toBeLessThanOrEqual(5);
  });

  it('uploads above the budget of the day wait for the next one, or until the budget is raised', async () => {
    await rig.site.php(
      `update_option( 'imagewright_settings', array( 'daily_credits' => 1 ) + get_option( 'imagewright_settings' ) );
      update_option( 'imagewright_today', array( 'day' => gmdate( 'Y-m-d' ), 'used' => 1 ) );`,
    );
    await admin.upload('tomorrow.jpg', await photograph(300), 'image/jpeg');
    const { count, next } = await runSlices();
    expect(count).toBe(1);
    const midnight = await rig.site.php<number>('return strtotime( "tomorrow UTC" ) - time();');
    expect(Math.abs((next ?? 0) - midnight)).toBeLessThan(60);
    await rig.site.php(
      'update_option( "imagewright_settings", array( "daily_credits" => 2 ) + get_option( "imagewright_settings" ) );',
    );
    expect(await planned()).toBeLessThanOrEqual(0);
  });

  it('nothing is planned without a key, until one is saved', async () => {
    await admin.upload('keyless.jpg', await photograph(300), 'image/jpeg');
    await rig.define({ IMAGEWRIGHT_API_KEY: '' });
    expect(await runSlices()).toMatchObject({ count: 1, next: null });
    await rig.site.php('update_option( "imagewright_api_key", "iw_0123456789abcdefghijklmnopqrstuvwxyz" );');
    expect(await planned()).toBeLessThanOrEqual(0);
    await rig.site.php('update_option( "imagewright_api_key", "" );');
  });
});

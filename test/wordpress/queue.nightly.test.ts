import { afterEach, describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '../support/patience.ts';
import { photograph, tinyPicture } from './rig.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, emptyLibrary } = useRig({ delivery: 'beside', auto: true });
const PATIENCE = { timeout: PATIENCE_MS, interval: 300 };

afterEach(async () => {
  await emptyLibrary();
  await rig.site.php(
    'delete_option( "imagewright_today" ); delete_option( "imagewright_pause" ); imagewright()->get( Imagewright_Schedule::class )->clear();',
  );
});

/** Runs WordPress's own schedule, as a visit or the system's cron does. */
const cron = () => fetch(`${rig.site.url}/wp-cron.php?doing_wp_cron`);
/** Runs the schedule until a state is reached. */
const withCron = <T>(read: () => Promise<T>) =>
  expect.poll(async () => {
    await cron();
    return read();
  }, PATIENCE);
const statusOf = async (id: number) => (await admin.json('GET', `/attachments/${id}`)).status;
const settings = (values: object) =>
  rig.site.php('update_option( "imagewright_settings", $values + get_option( "imagewright_settings" ) );', { values });

describe('new uploads', () => {
  it('are optimized by the schedule of WordPress, for one credit each; what gains nothing stays as it is', async () => {
    const before = await rig.account.api.balance();
    const id = await admin.upload('new.jpg', await photograph(1000), 'image/jpeg');
    const tiny = await admin.upload('tiny.webp', await tinyPicture(140), 'image/webp');
    expect(await statusOf(id)).toBe('queued');
    await withCron(() => statusOf(id)).toBe('optimized');
    await withCron(() => statusOf(tiny)).toBe('failed');
    const [left] = [await rig.account.api.balance()];
    expect(before - left).toBeLessThanOrEqual(2);
    expect(await rig.site.php('return imagewright()->get( Imagewright_Uploads::class )->used_today();')).toBe(1);
  });

  it('wait while the service does not respond, and are optimized afterwards', async () => {
    await rig.define({ IMAGEWRIGHT_URL: 'http://127.0.0.1:9' });
    const id = await admin.upload('later.jpg', await photograph(700), 'image/jpeg');
    const pause = () =>
      rig.site.php<{ tries?: number; message?: string }>(
        'return (object) imagewright()->get( Imagewright_Queue::class )->paused();',
      );
    await withCron(async () => (await pause()).message ?? '').toContain('does not respond');
    expect(await statusOf(id)).toBe('queued');
    const before = await rig.account.api.balance();
    await rig.define({});
    await withCron(() => statusOf(id)).toBe('optimized');
    expect(before - (await rig.account.api.balance())).toBe(1);
    expect(await pause()).toEqual({});
  });

  it('wait for the next day when the budget of the day is used up', async () => {
    await settings({ daily_credits: 1 });
    const ids: number[] = [];
    for (const name of ['one.jpg', 'two.jpg']) ids.push(await admin.upload(name, await photograph(600), 'image/jpeg'));
    const statuses = async () => (await Promise.all(ids.map(statusOf))).sort();
    await withCron(statuses).toEqual(['optimized', 'queued']);
    await cron();
    expect(await statuses()).toEqual(['optimized', 'queued']);
    // The next day comes: what was spent was spent yesterday, and the slice that was planned for midnight is due.
    await rig.site.php(`update_option( "imagewright_today", array( "day" => "2020-01-01", "used" => 1 ) );
      if ( wp_next_scheduled( "imagewright_work" ) ) { wp_clear_scheduled_hook( "imagewright_work" ); wp_schedule_single_event( time(), "imagewright_work" ); }`);
    await withCron(statuses).toEqual(['optimized', 'optimized']);
    await settings({ daily_credits: 0 });
  });
});

describe('a bulk run', () => {
  it('goes on without an open page, is stopped and resumed, and charges each image once', async () => {
    await settings({ auto: false });
    for (let index = 0; index < 4; index += 1) {
      await admin.upload(`run-${index}.jpg`, await photograph(400 + index), 'image/jpeg');
    }
    const before = await rig.account.api.balance();
    const { run } = await admin.json('POST', '/run');
    expect(run).toMatchObject({ state: 'running', total: 4, done: 0 });
    expect((await admin.json('PATCH', '/run', { state: 'stopped' })).run).toMatchObject({ state: 'stopped' });
    await cron();
    const current = async () => (await admin.json('GET', '/run')).run;
    expect(await current()).toMatchObject({ state: 'stopped', done: 0 });
    await admin.json('PATCH', '/run', { state: 'running' });
    await withCron(current).toMatchObject({ state: 'done', total: 4, done: 4, failedCount: 0, noGain: 0 });
    expect(before - (await rig.account.api.balance())).toBe(4);
    expect(await admin.json('GET', '/run/preview')).toMatchObject({ images: 0, leftOut: [] });

    await admin.json('POST', '/run', { kind: 'restore' });
    await withCron(current).toMatchObject({ state: 'done', kind: 'restore', total: 4, done: 4 });
    expect(await rig.site.uploads()).not.toEqual(expect.arrayContaining([expect.stringContaining('.iw.')]));
    await settings({ auto: true });
  });

  it('stops with the reason when the credits are used up', async () => {
    await settings({ auto: false });
    const poor = await rig.service.createAccount({ credits: 1 });
    await rig.define({ IMAGEWRIGHT_API_KEY: poor.apiKey });
    for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await admin.upload(name, await photograph(500), 'image/jpeg');
    await admin.json('POST', '/run');
    await withCron(async () => (await admin.json('GET', '/run')).run).toMatchObject({
      state: 'stopped',
      done: 1,
      failedCount: 0,
      reason: { message: expect.stringContaining('Insufficient credits') },
    });
    await settings({ auto: true });
  });
});

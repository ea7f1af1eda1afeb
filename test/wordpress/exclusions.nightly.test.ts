import { afterEach, describe, expect, it } from 'vitest';
import { photograph } from './rig.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, emptyLibrary } = useRig({ delivery: 'beside' });
afterEach(emptyLibrary);

const settings = (values: object) =>
  rig.site.php('update_option( "imagewright_settings", $values + get_option( "imagewright_settings" ) );', { values });
const preview = (query = '') => admin.json<Preview>('GET', `/run/preview${query}`);
interface Preview {
  images: number;
  leftOut: { message: string; count: number }[];
}
interface Run {
  run: { state: string; done: number; noGain: number; failedCount: number };
}

/** Runs the queue until the run has ended. */
async function run(body: object = {}) {
  await admin.json('POST', '/run', body);
  const read = async () => (await admin.json<Run>('POST', '/run/work', {})).run;
  await expect.poll(async () => (await read()).state).toBe('done');
  return read();
}

describe('the settings', () => {
  it('leave names and folders out of runs over the library and new uploads, not out of chosen images', async () => {
    const logo = await admin.upload('logo-big.jpg', await photograph(500), 'image/jpeg');
    const other = await admin.upload('logobig.jpg', await photograph(510), 'image/jpeg');
    const scaled = await admin.upload('view.jpg', await photograph(2600), 'image/jpeg');
    expect((await preview()).images).toBe(3);
    await settings({ skip_names: 'logo-*.jpg\nview.jpg' });
    expect(await preview()).toMatchObject({
      images: 1,
      leftOut: [{ message: 'The settings exclude its name or folder.', count: 2 }],
    });
    expect((await preview(`?ids[]=${logo}`)).images).toBe(1);
    // An underscore stands for itself.
    await admin.upload('a_b.jpg', await photograph(520), 'image/jpeg');
    await settings({ skip_names: 'logo_big.jpg\na_b.jpg\nv_ew.jpg' });
    expect((await preview()).images).toBe(3);
    const [folder = ''] = (await rig.attachment(logo)).file.split('/');
    await settings({ skip_names: `${folder}/` });
    expect((await preview()).images).toBe(0);

    await settings({ skip_names: 'logo-*.jpg\nview.jpg', auto: true });
    const [left, taken] = [
      await admin.upload('logo-2.jpg', await photograph(300), 'image/jpeg'),
      await admin.upload('mine.jpg', await photograph(300), 'image/jpeg'),
    ];
    await settings({ skip_names: '', auto: false });
    const statusOf = async (id: number) => (await admin.json('GET', `/attachments/${id}`)).status;
    expect(await Promise.all([logo, other, scaled, left, taken].map(statusOf))).toEqual([
      ...['none', 'none', 'none', 'none'],
      'queued',
    ]);
    await rig.site.php('imagewright()->get( Imagewright_Schedule::class )->clear();');
  });

  it('leave small files out of runs, free of charge, until the limit is changed', async () => {
    const small = await admin.upload('small.jpg', await photograph(200), 'image/jpeg');
    await admin.upload('large.jpg', await photograph(1200), 'image/jpeg');
    const before = await rig.account.api.balance();
    await settings({ skip_below: 40 });
    expect((await preview()).images).toBe(2);
    expect(await run()).toMatchObject({ done: 1, noGain: 1, failedCount: 0 });
    expect(before - (await rig.account.api.balance())).toBe(1);
    expect((await admin.json('GET', `/attachments/${small}`)).statusText).toContain('smaller than 40 KB');
    expect(await preview()).toMatchObject({
      images: 0,
      leftOut: [{ message: expect.stringContaining('smaller than 40 KB'), count: 1 }],
    });
    expect(await run({ ids: [small] })).toMatchObject({ done: 1, noGain: 0 });
    await settings({ skip_below: 0 });
  });

  it('limit the size that pages show of a new upload, and of existing images in the place of the originals', async () => {
    const old = await admin.upload('old.jpg', await photograph(1500), 'image/jpeg');
    await settings({ max_edge: 800, delivery: 'replace' });
    const id = await admin.upload('big.jpg', await photograph(1600), 'image/jpeg');
    const now = (await rig.attachment(id)).metadata;
    expect([now.width, now.original_image]).toEqual([800, 'big.jpg']);
    await run({ ids: [old] });
    expect((await rig.attachment(old)).metadata.width).toBe(800);
    await settings({ max_edge: 0, delivery: 'beside' });
  });

  it('are checked when they are saved', async () => {
    const saved = await rig.site.php<Record<string, unknown>>(
      `wp_set_current_user( 1 ); require_once ABSPATH . 'wp-admin/includes/admin.php';
      $input = array( 'skip_names' => " /logo.png \\r\\n\\r\\na\\\\b/\\nlogo.png", 'max_edge' => '12', 'skip_below' => '-3' );
      return imagewright()->get( Imagewright_Settings_Page::class )->sanitize_settings( $input ) + array( 'told' => wp_list_pluck( get_settings_errors(), 'message' ) );`,
    );
    expect(saved).toMatchObject({ skip_names: 'logo.png\na/b/', max_edge: 0, skip_below: 0 });
    expect(saved.told).toEqual([
      'The largest width or height must be from 320 to 8,192 pixels, or empty for that of WordPress.',
    ]);
  });
});

it('lists are restricted to a state, and months add up what was optimized', async () => {
  const done = await admin.upload('done.jpg', await photograph(700), 'image/jpeg');
  await admin.upload('open.jpg', await photograph(710), 'image/jpeg');
  expect(await run({ ids: [done] })).toMatchObject({ done: 1 });
  const list = async (state: string) => {
    const address = `${rig.site.url}/wp-admin/upload.php?mode=list&imagewright_state=${state}`;
    const html = await (await fetch(address, { headers: { Cookie: admin.cookie } })).text();
    return [...html.matchAll(/<tr id="post-\d+"[\s\S]*?<strong[^>]*>[\s\S]*?<\/span>\s*(\w+)/g)].map(
      ([, name]) => name,
    );
  };
  expect([await list(''), await list('none'), await list('optimized'), await list('failed')]).toEqual([
    ...[['open', 'done'], ['open'], ['done'], []],
  ]);
  const [month] = await rig.site.php<{ images: number; before: number; after: number }[]>(
    'return imagewright()->get( Imagewright_Statistics::class )->months();',
  );
  expect(month?.images).toBe(1);
  expect(month?.after).toBeLessThan(month?.before ?? 0);
  const page = await fetch(`${rig.site.url}/wp-admin/upload.php?page=imagewright-optimize&tab=report`, {
    headers: { Cookie: admin.cookie },
  });
  expect(await page.text()).toMatch(/<tbody>\s*<tr>\s*<th scope="row">\w+ \d{4}<\/th>\s*<td>1<\/td>/);
});

it('a search finds names of files, not folders or hosts of their addresses', async () => {
  const plain = await admin.upload('third_x.jpg', await photograph(520), 'image/jpeg');
  const [year = ''] = (await rig.attachment(plain)).file.split('/');
  await admin.upload(`first-${year}-a+b.jpg`, await photograph(521), 'image/jpeg');
  await admin.upload('second-(50%25).jpg', await photograph(522), 'image/jpeg');
  // A title that a person wrote, so that the name alone is found.
  const addresses = await rig.site.php<string[]>(
    "global $wpdb; $wpdb->query( \"UPDATE $wpdb->posts SET post_title = 'Told' WHERE post_type = 'attachment'\" ); return $wpdb->get_col( \"SELECT guid FROM $wpdb->posts WHERE post_type = 'attachment' ORDER BY ID\" );",
  );
  for (const address of addresses) expect(address).toContain(`/${year}/`);
  const stored = addresses.map((address) => address.split('/').at(-1) ?? '');
  const found = async (text: string) => {
    const { items } = await admin.json<{ items: { filename: string }[] }>(
      'GET',
      `/attachments?search=${encodeURIComponent(text)}`,
    );
    return items.map(({ filename }) => filename).sort();
  };
  for (const name of stored) expect(await found(name.slice(1, -5)), name).toEqual([name]);
  expect(await found(year)).toEqual([stored[1]]);
  expect(await found('THIRD_')).toEqual([stored[0]]);
  for (const text of [new URL(rig.site.url).hostname, 'uploads', 'x_x', '.*', '[']) {
    expect(await found(text), text).toEqual([]);
  }
});

import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { photograph, tinyPicture } from '../rig.ts';
import { useRig } from '../use-rig.ts';

const { rig, admin } = useRig({ delivery: 'beside' });
const standIn = readFile(new URL('stand-in-wp-cli.php', import.meta.url), 'utf8');

/** Runs a command without a user, as `wp imagewright <name>` does, and returns what it says. */
const wp = async (name: string, args: string[] = [], options: object = {}) =>
  rig.site.php<unknown[][]>(
    `eval( '?>' . $stand_in ); define( 'WP_CLI', true ); wp_set_current_user( 0 );
    imagewright()->add_commands();
    try { call_user_func( array( WP_CLI::$commands['imagewright'], $name ), $args, (array) $options ); } catch ( RuntimeException $error ) {}
    return WP_CLI::$said;`,
    { stand_in: await standIn, name, args, options },
  );

it('commands show prices, optimize, count and restore the library, and say why they stop', async () => {
  const before = await rig.account.api.balance();
  const ids = [];
  for (const width of [500, 510])
    ids.push(await admin.upload(`cli-${width}.jpg`, await photograph(width), 'image/jpeg'));
  await admin.upload('tiny.webp', await tinyPicture(140), 'image/webp');
  expect(await wp('optimize', [], { 'dry-run': true, format: 'json' })).toEqual([
    ['json', [{ images: 3, credits: 3 }]],
  ]);
  // The service has no model.
  await rig.site.php(
    'update_option( "imagewright_settings", array( "fill_text" => true ) + get_option( "imagewright_settings" ) );',
  );
  expect(await wp('optimize', [], { 'dry-run': true, format: 'json' })).toEqual([
    ['warning', expect.stringContaining('no model that describes images')],
    ['json', [{ images: 3, credits: 3 }]],
  ]);
  await rig.site.php(
    'update_option( "imagewright_settings", array( "fill_text" => false ) + get_option( "imagewright_settings" ) );',
  );
  expect(await rig.account.api.balance()).toBe(before);
  expect(await wp('optimize', [], { quality: 'best' })).toEqual([
    ['error', expect.stringMatching(/^--quality: expected maximum, .*, but received best$/)],
  ]);
  expect(await wp('optimize', [], { quality: 'high' })).toEqual([
    ['bar', 'Optimizing', 3],
    ['ticks', 3],
    ['table', [expect.objectContaining({ images: 3, done: 2, no_gain: 1, failed: 0 })]],
  ]);
  expect(before - (await rig.account.api.balance())).toBe(2);
  const [[, rows]] = (await wp('status')) as [[string, Record<string, number>[]]];
  expect(rows[0]).toMatchObject({ images: 3, optimized: 2, waiting: 0, balance: before - 2, problem: '' });
  expect(rows[0]?.bytes_after).toBeLessThan(rows[0]?.bytes_before ?? 0);
  expect(await wp('restore', [String(ids[0])])).toMatchObject([
    ['bar', 'Restoring', 1],
    ['ticks', 1],
    ['table', [{ done: 1 }]],
  ]);
  expect((await admin.json('GET', `/attachments/${ids[0]}`)).status).toBe('none');
  expect((await admin.json('GET', `/attachments/${ids[1]}`)).status).toBe('optimized');

  const poor = await rig.service.createAccount({ credits: 0 });
  await rig.define({ IMAGEWRIGHT_API_KEY: poor.apiKey });
  const said = await wp('optimize', [], { quality: 'high' });
  expect(said.at(-1)).toEqual(['error', expect.stringContaining('Insufficient credits')]);
});

it('without a key commands restore all the same, and say at once why nothing is optimized', async () => {
  const id = await admin.upload('leaving.jpg', await photograph(520), 'image/jpeg');
  await wp('optimize', [String(id)], { quality: 'high' });
  expect((await admin.json('GET', `/attachments/${id}`)).status).toBe('optimized');
  await rig.site.php(
    'update_option( "imagewright_pause", array( "until" => time() + 900, "tries" => 9, "code" => "x", "message" => "Away." ), false );',
  );
  await rig.define({ IMAGEWRIGHT_API_KEY: '' });
  expect(await wp('optimize')).toEqual([['error', expect.stringContaining('not set up yet')]]);
  expect(await wp('restore', [String(id)])).toEqual([
    ['bar', 'Restoring', 1],
    ['ticks', 1],
    ['table', [expect.objectContaining({ images: 1, done: 1, failed: 0 })]],
  ]);
  expect((await admin.json('GET', `/attachments/${id}`)).status).toBe('none');
  await rig.site.php('delete_option( "imagewright_pause" );');
});

it('a command ends with the status 1 if every image failed', async () => {
  const id = await admin.upload('broken.jpg', await photograph(530), 'image/jpeg');
  await rig.site.php('file_put_contents( get_attached_file( $id, true ), "no image" );', { id });
  expect(await wp('optimize', [String(id)])).toEqual([
    ['bar', 'Optimizing', 1],
    ['ticks', 1],
    ['warning', expect.stringContaining('broken')],
    ['table', [expect.objectContaining({ images: 1, done: 0, failed: 1 })]],
    ['halt', 1],
  ]);
});

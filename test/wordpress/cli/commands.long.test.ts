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

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FakeVisionServer, GOOD_ANSWER, startFakeVisionServer } from '../../support/fake-vision-server.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { photograph } from '../rig.ts';
import { useRig } from '../use-rig.ts';

const { rig, admin } = useRig({ delivery: 'beside' });
const standIn = readFile(new URL('stand-in-wp-cli.php', import.meta.url), 'utf8');
let vision: FakeVisionServer;
let describing: TestService;

beforeAll(async () => {
  vision = await startFakeVisionServer();
  const model = { AI_PROVIDER: 'openai-compatible', AI_BASE_URL: vision.url, AI_MODEL: 'fake', AI_CANARY: 'off' };
  describing = await startTestService({ ...model, ANALYSIS_CREDITS: '1' });
});
afterAll(async () => {
  await describing?.close();
  await vision?.close();
});

const wp = async (name: string, args: string[] = [], options: object = {}) =>
  rig.site.php<unknown[][]>(
    `eval( '?>' . $stand_in ); define( 'WP_CLI', true ); wp_set_current_user( 0 ); imagewright()->add_commands();
    try { call_user_func( WP_CLI::$commands["imagewright $name"], $args, (array) $options ); } catch ( RuntimeException $error ) {}
    return WP_CLI::$said;`,
    { stand_in: await standIn, name, args, options },
  );

it('commands describe what has no text, and audit the texts of the site', async () => {
  const ids: number[] = [];
  for (const name of ['one', 'two']) ids.push(await admin.upload(`${name}.jpg`, await photograph(400), 'image/jpeg'));
  expect(await wp('describe')).toEqual([['error', expect.stringContaining('no model that describes images')]]);
  const { apiKey, api } = await describing.createAccount({ credits: 20 });
  await rig.define({ IMAGEWRIGHT_URL: describing.url, IMAGEWRIGHT_API_KEY: apiKey });
  await rig.site.php(
    'wp_update_post( array( "ID" => $id, "post_excerpt" => "The fair of 1912" ) ); delete_transient( "imagewright_vision" );',
    {
      id: ids[1],
    },
  );
  expect(await wp('describe', [], { 'dry-run': true, format: 'json' })).toEqual([
    ['json', [{ images: 2, credits: 2 }]],
  ]);
  expect(await api.balance()).toBe(20);
  expect(await wp('describe', [String(ids[1])])).toEqual([
    ['bar', 'Describing', 1],
    ['ticks', 1],
    ['table', [{ images: 1, described: 1, failed: 0, credits: 1 }]],
  ]);
  expect(vision.questions().at(-1)?.words).toContain('The fair of 1912');
  // The same command goes on with what has no text yet.
  expect((await wp('describe')).at(-1)).toEqual(['table', [{ images: 1, described: 1, failed: 0, credits: 1 }]]);
  expect(await api.balance()).toBe(18);
  expect(await admin.json('GET', `/attachments/${ids[0]}`)).toMatchObject({
    alt: GOOD_ANSWER.alt,
    texts: [{ by: 'ai', confirmed: false }],
  });
  expect(await wp('audit', [], { problem: 'duplicate', format: 'csv' })).toEqual([
    ['csv', ids.map((id) => expect.objectContaining({ problem: 'duplicate', attachment: id, post: 0 }))],
  ]);
  await rig.site.php('wp_update_post( array( "ID" => $id, "post_title" => "＝1+1" ) );', { id: ids[0] });
  for (const [format, title] of [
    ['csv', "'＝1+1"],
    ['json', '＝1+1'],
  ]) {
    const [[, rows] = []] = await wp('audit', [], { problem: 'duplicate', format });
    expect(rows).toContainEqual(expect.objectContaining({ attachment: ids[0], title }));
  }
  expect(await wp('audit', [], { problem: 'ugly' })).toEqual([
    ['error', '--problem: expected missing, file_name, duplicate, linked_empty, but received ugly'],
  ]);
});

it('describing again after PHP was killed pays nothing more', async () => {
  const id = await admin.upload('three.jpg', await photograph(420), 'image/jpeg');
  const { apiKey, api } = await describing.createAccount({ credits: 20 });
  await rig.define({ IMAGEWRIGHT_URL: describing.url, IMAGEWRIGHT_API_KEY: apiKey });
  const questionsBefore = vision.questions().length;
  const describe = `try { return imagewright()->get( Imagewright_Description::class )->of( $id, imagewright()->get( Imagewright_Description::class )->context( $id ) ); } catch ( RuntimeException $end ) { return $end->getMessage(); }`;
  // PHP ends before it has read the answer, then before it has saved the text.
  const lost = `add_filter( 'http_response', static function ( $answer, $args, $url ) {
    if ( false !== strpos( $url, '/analyze' ) ) { throw new RuntimeException( 'killed' ); }
    return $answer;
  }, 10, 3 );`;
  expect(await rig.site.php(`wp_set_current_user( 1 ); ${lost} ${describe}`, { id })).toBe('killed');
  expect(await api.balance()).toBe(19);
  const found = await rig.site.php(`wp_set_current_user( 1 ); ${describe}`, { id });
  expect(found).toMatchObject({ alt: GOOD_ANSWER.alt, by: 'ai' });
  expect((await wp('describe', [String(id)])).at(-1)).toEqual([
    'table',
    [{ images: 1, described: 1, failed: 0, credits: 1 }],
  ]);
  expect(await api.balance()).toBe(19);
  expect(vision.questions().length).toBe(questionsBefore + 1);
  // The text is removed completely, and a new description is a new one.
  const kept = `return get_post_meta( $id, '_imagewright_describe', true );`;
  expect(await rig.site.php(kept, { id })).toBe('');
  await admin.json('POST', `/attachments/${id}/describe`, { context: 'A fair' });
  expect(await api.balance()).toBe(18);
});

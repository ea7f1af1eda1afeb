import { beforeAll, describe, expect, it } from 'vitest';
import { photograph, tinyPicture } from './rig.ts';
import { type Uploaded, useRig } from './use-rig.ts';

const { rig, admin, post, upload, remove, exported, expectAsBefore, expectQuietLog } = useRig();
let photo: Uint8Array;

beforeAll(async () => {
  photo = await photograph(900);
});

const uploaded = (name: string, bytes = photo) => upload(name, bytes);

/** Expects an attachment to be unchanged, and deletes it. */
async function expectUnchanged(image: Uploaded) {
  await expectAsBefore(image);
  await remove(image.id);
}

/** Crops an image in WordPress' own editor. */
const CROP = `$_REQUEST = array( 'history' => wp_slash( '[{"c":{"x":0,"y":0,"w":300,"h":200}}]' ), 'target' => 'all', 'context' => 'edit-attachment' );
return wp_save_image( $id );`;

describe('changes by other users and plugins', () => {
  it('keeps an edit made after the replacement until the user discards it', async () => {
    const image = await uploaded('edited.jpg');
    await post(`/attachments/${image.id}/optimize`);
    await rig.site.php(CROP, { id: image.id });
    const edited = await rig.attachment(image.id);
    expect(edited.file).toMatch(/edited-e\d{13}\.webp$/);
    expect(await admin.json('GET', `/attachments/${image.id}`)).toMatchObject({ status: 'edited' });
    // It is not sent for a review either, since the export could not be used.
    for (const action of ['optimize', 'restore', 'attach']) {
      expect(await post(`/attachments/${image.id}/${action}`)).toMatchObject([409, { code: 'imagewright_edited' }]);
    }
    expect(await rig.attachment(image.id)).toEqual(edited);
    expect(await post(`/attachments/${image.id}/restore`, { force: true })).toMatchObject([200, { restored: true }]);
    await expectUnchanged(image);
  });

  it('deletes the files of an edit together with the attachment', async () => {
    const empty = await rig.checksums();
    const image = await uploaded('edited-and-deleted.jpg');
    await post(`/attachments/${image.id}/optimize`);
    await rig.site.php(CROP, { id: image.id });
    await remove(image.id);
    expect(await rig.checksums()).toEqual(empty);
  });

  it('optimises the cropped file of an image that was cropped before', async () => {
    const { id } = await uploaded('cropped.jpg', await photograph(900));
    await rig.define({ IMAGEWRIGHT_TEST_THRESHOLD: 800 });
    const scaled = await uploaded('cropped-scaled.jpg', await photograph(901));
    for (const one of [id, scaled.id]) {
      await rig.site.php(CROP, { id: one });
      const [before, checksums] = [await rig.attachment(one), await rig.checksums()];
      expect((await post(`/attachments/${one}/optimize`))[0]).toBe(200);
      const { metadata, mime } = await rig.attachment(one);
      expect([mime, metadata.width, metadata.height]).toEqual([
        'image/webp',
        before.metadata.width,
        before.metadata.height,
      ]);
      await post(`/attachments/${one}/restore`);
      await expectUnchanged({ id: one, before, checksums });
    }
  });

  it('removes thumbnails that were regenerated after the replacement', async () => {
    const image = await uploaded('regenerated.jpg');
    await post(`/attachments/${image.id}/optimize`);
    await rig.site.php(
      `add_image_size( 'new-one', 500, 500 );
      wp_update_attachment_metadata( $id, wp_generate_attachment_metadata( $id, wp_get_original_image_path( $id ) ) );`,
      { id: image.id },
    );
    expect(Object.keys((await rig.attachment(image.id)).metadata.sizes)).toContain('new-one');
    await post(`/attachments/${image.id}/restore`);
    await expectUnchanged(image);
  });

  it('reports a deleted backup and changes nothing', async () => {
    const { id, before } = await uploaded('lost.jpg');
    await post(`/attachments/${id}/optimize`);
    const replaced = await rig.attachment(id);
    await rig.site.php('unlink( path_join( wp_get_upload_dir()["basedir"], $file ) );', { file: before.file });
    expect(await post(`/attachments/${id}/restore`)).toMatchObject([
      409,
      { code: 'imagewright_backup_missing', data: { details: { files: ['lost.jpg'] } } },
    ]);
    expect(await rig.attachment(id)).toEqual(replaced);
    await remove(id);
  });
});

describe('faults', () => {
  it.each(['error', 'end'])(
    'restore the image after an %s during the replacement, and a second attempt succeeds',
    async (fault) => {
      const image = await uploaded(`fault-${fault}.jpg`);
      const balance = await rig.account.api.balance();
      await rig.define({ IMAGEWRIGHT_TEST_FAULT: fault });
      expect((await post(`/attachments/${image.id}/optimize`))[0]).toBe(500);
      await rig.define({});
      if (fault === 'end') {
        expect(await admin.json('GET', `/attachments/${image.id}`)).toMatchObject({
          status: 'interrupted',
          obstacle: '',
        });
        // A run over the library includes it.
        expect(await admin.json('GET', `/run/preview?ids[]=${image.id}`)).toMatchObject({ images: 1 });
        expect(await post(`/attachments/${image.id}/restore`)).toMatchObject([200, { restored: true }]);
      }
      expect(await rig.attachment(image.id)).toEqual(image.before);
      expect(await rig.checksums()).toEqual(image.checksums);
      await post(`/attachments/${image.id}/optimize`);
      expect(await rig.attachment(image.id)).toMatchObject({ mime: 'image/webp', missing: {} });
      // The export was paid for once.
      expect(balance - (await rig.account.api.balance())).toBe(1);
      await post(`/attachments/${image.id}/restore`);
      await expectUnchanged(image);
    },
  );

  it('makes one replacement for two concurrent requests', async () => {
    const image = await uploaded('twice.jpg');
    const balance = await rig.account.api.balance();
    const answers = await Promise.all([1, 2, 3].map(() => post(`/attachments/${image.id}/optimize`)));
    const outcomes = answers.map(([status, { code, skipped }]) => code ?? skipped ?? status);
    expect(outcomes.filter((outcome) => outcome === 200)).toHaveLength(1);
    for (const outcome of outcomes) expect([200, 'imagewright_busy', 'already_optimized']).toContain(outcome);
    expect(balance - (await rig.account.api.balance())).toBe(1);
    await post(`/attachments/${image.id}/restore`);
    await expectUnchanged(image);
  });
});

describe('the result that replaces an image', () => {
  it('must be a full export of the current file: no sample, no other image, no earlier file', async () => {
    const image = await uploaded('guarded.jpg');
    const other = await admin.upload('other.jpg', await photograph(880), 'image/jpeg');
    const sample = await exported(image.id, 'sample');
    const refused = async (body: unknown, code: string, id = image.id) =>
      expect(await post(`/attachments/${id}/replace`, body)).toMatchObject([409, { code: `imagewright_${code}` }]);
    await refused(sample, 'not_an_export');
    const full = await exported(image.id, 'export');
    await refused(full, 'other_image', other);
    await rig.site.php('copy( get_attached_file( $from ), get_attached_file( $to ) );', { from: other, to: image.id });
    await refused(full, 'source_changed');
    expect(await rig.attachment(image.id)).toEqual({ ...image.before, state: '' });
    expect(
      await post(`/attachments/${image.id}/replace`, { ...full, sessionId: `sess_${'0'.repeat(22)}` }),
    ).toMatchObject([404, { code: 'session_not_found' }]);
  });

  it('must match the bytes that were sent: another file of the same size is neither exported nor replaced', async () => {
    const image = await uploaded('same-size.jpg');
    const [, sent] = await post(`/attachments/${image.id}/attach`);
    const { size, sha256 } = sent.image as { size: number; sha256: string };
    const check = (query: string) => admin.call('GET', `/attachments/${image.id}/check?size=${size}${query}`);
    const full = await exported(image.id, 'export');
    expect((await check(`&sha256=${sha256}`)).status).toBe(200);
    await rig.site.php(
      '$path = get_attached_file( $id ); $bytes = file_get_contents( $path ); $bytes[ strlen( $bytes ) - 40 ] = chr( 1 ^ ord( $bytes[ strlen( $bytes ) - 40 ] ) ); file_put_contents( $path, $bytes );',
      { id: image.id },
    );
    const refused = await check(`&sha256=${sha256}`);
    expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'imagewright_source_changed' }]);
    expect(await post(`/attachments/${image.id}/replace`, full)).toMatchObject([
      409,
      { code: 'imagewright_source_changed' },
    ]);
    // Without a checksum only the size is compared.
    expect((await check('')).status).toBe(200);
    expect((await check('&sha256=rubbish')).status).toBe(400);
    await remove(image.id);
  });

  it('must be smaller unless the user accepts it; the reason is stored with the image', async () => {
    const id = await admin.upload('tiny.webp', await tinyPicture(900), 'image/webp');
    expect(await post(`/attachments/${id}/optimize`, { preset: 'maximum' })).toMatchObject([
      409,
      { code: 'imagewright_not_smaller' },
    ]);
    expect(await admin.json('GET', `/attachments/${id}`)).toMatchObject({
      status: 'failed',
      reason: { code: 'imagewright_not_smaller' },
    });
    const [status, done] = await post(`/attachments/${id}/optimize`, { preset: 'maximum', allowLarger: true });
    expect([status, done.status]).toEqual([200, 'optimized']);
  });

  it('fills in texts that are empty or that a person wrote, and restoring removes them', async () => {
    const image = await uploaded('texts.jpg');
    const full = await exported(image.id, 'export');
    const texts = { alt: 'A described mountain', title: 'Described' };
    await rig.site.php('update_post_meta( $id, "_wp_attachment_image_alt", "My own" );', { id: image.id });
    await post(`/attachments/${image.id}/replace`, { ...full, ...texts });
    expect(await rig.attachment(image.id)).toMatchObject({ alt: 'My own', title: 'Described' });
    await post(`/attachments/${image.id}/restore`);
    expect(await rig.attachment(image.id)).toMatchObject({ alt: 'My own', title: 'texts' });
    await post(`/attachments/${image.id}/replace`, { ...full, ...texts, confirmed: ['alt'], filename: 'Snow & Rock' });
    const named = await rig.attachment(image.id);
    expect(named).toMatchObject({ alt: 'A described mountain' });
    expect(named.file).toMatch(/snow-rock\.webp$/);
    await post(`/attachments/${image.id}/restore`);
    expect(await rig.attachment(image.id)).toMatchObject({ alt: 'My own', title: 'texts', file: image.before.file });
  });
});

it('reads address and key from the environment, else from a constant, else from the settings', async () => {
  const seen = await rig.site.php(
    `update_option( 'imagewright_settings', array( 'url' => 'https://of.settings' ) ); update_option( 'imagewright_api_key', 'iw_settings' );
    $read = static function () { return array( imagewright()->get( Imagewright_Options::class )->url(), imagewright()->get( Imagewright_Options::class )->key() ); };
    putenv( 'IMAGEWRIGHT_URL=https://of.environment/' ); putenv( 'IMAGEWRIGHT_API_KEY= iw_environment ' );
    $seen = array( $read() );
    putenv( 'IMAGEWRIGHT_URL' ); putenv( 'IMAGEWRIGHT_API_KEY' );
    $seen[] = $read();
    return $seen;`,
  );
  const { url } = rig.service;
  expect(seen).toEqual([
    ['https://of.environment', 'iw_environment'],
    [url, rig.account.apiKey],
  ]);
  await rig.site.define({});
  const stored = await rig.site.php(
    'return array( imagewright()->get( Imagewright_Options::class )->url(), imagewright()->get( Imagewright_Options::class )->key() );',
  );
  expect(stored).toEqual(['https://of.settings', 'iw_settings']);
});

it('deletes the files beside the originals when uninstalled, if the setting says so', async () => {
  const settings = (values: object) =>
    rig.site.php('update_option( "imagewright_settings", $values + get_option( "imagewright_settings" ) );', {
      values,
    });
  await settings({ delivery: 'beside', delete_files: true });
  const image = await uploaded('beside.jpg');
  await post(`/attachments/${image.id}/optimize`, { preset: 'medium' });
  expect((await rig.site.uploads()).filter((path) => path.includes('.iw.')).length).toBeGreaterThan(2);
  await rig.site.php(
    'define( "WP_UNINSTALL_PLUGIN", "imagewright/imagewright.php" ); require WP_PLUGIN_DIR . "/imagewright/uninstall.php";',
  );
  await expectUnchanged(image);
});

it('removes its data from the database when uninstalled, and keeps every image', async () => {
  const { id } = await uploaded('stays.jpg');
  await post(`/attachments/${id}/optimize`, { format: 'jpeg' });
  // State after a killed process.
  await rig.site.php('add_option( "imagewright_4711.lock", time() );');
  await admin.json('POST', '/run', { ids: [id] });
  const stored = await rig.attachment(id);
  const files = await rig.checksums();
  const left = await rig.site.php(
    `global $wpdb; define( 'WP_UNINSTALL_PLUGIN', 'imagewright/imagewright.php' );
    require WP_PLUGIN_DIR . '/imagewright/uninstall.php';
    return array( $wpdb->get_col( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE '%imagewright%' AND option_name NOT LIKE '%active_plugins%'" ),
      $wpdb->get_col( "SELECT meta_key FROM $wpdb->postmeta WHERE meta_key LIKE '%imagewright%'" ),
      $wpdb->get_col( "SELECT meta_key FROM $wpdb->usermeta WHERE meta_key LIKE '%imagewright%'" ) );`,
  );
  expect(left).toEqual([[], [], []]);
  expect(await rig.attachment(id)).toEqual({ ...stored, state: '' });
  expect(await rig.checksums()).toEqual(files);
  await expectQuietLog();
});

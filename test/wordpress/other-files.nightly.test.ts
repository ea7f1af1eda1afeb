import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { fixture, photograph } from './rig.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, post, upload, expectRestored, remove } = useRig();

async function graphic(width: number): Promise<Uint8Array> {
  const image = sharp(await fixture('photos/graphic-badge-alpha.png')).resize(width);
  return new Uint8Array(await image.png({ compressionLevel: 1 }).toBuffer());
}

describe('files of other images', () => {
  it('keep their bytes when a new file would have their name', async () => {
    const other = await upload('logo-full.png', await graphic(400), 'image/png');
    const logo = await upload('logo.png', await graphic(900), 'image/png');
    // Uploaded now: WordPress 6.8 scales PNG too and would name the smaller file `logo-scaled.png`.
    await rig.define({ IMAGEWRIGHT_TEST_THRESHOLD: 800 });
    const folder = logo.before.file.replace(/[^/]+$/, '');

    expect(await post(`/attachments/${logo.id}/optimize`, { format: 'original' })).toMatchObject([
      200,
      { status: 'optimized' },
    ]);
    const after = await rig.attachment(logo.id);
    expect(after.file).toBe(logo.before.file);
    expect(after.metadata.original_image).toMatch(/^logo-full-\d+\.png$/);
    for (const [path, sum] of Object.entries(other.checksums)) {
      if (path.startsWith(`${folder}logo-full`)) expect([path, (await rig.checksums())[path]]).toEqual([path, sum]);
    }
    await expectRestored(logo);
    await post(`/attachments/${logo.id}/optimize`, { format: 'original' });
    await remove(logo.id);
    expect(await rig.checksums()).toEqual(other.checksums);
    expect(await rig.attachment(other.id)).toEqual(other.before);
    await remove(other.id);
  });

  it('keep their bytes when a size made by WordPress would have their name', async () => {
    const image = await upload('plain.jpg', await photograph(900));
    const folder = image.before.file.replace(/[^/]+$/, '');
    const foreign = `${folder}plain-310x290.jpg`;
    await writeFile(join(rig.site.uploadsDir, foreign), 'not of this attachment');
    const checksums = await rig.checksums();
    await rig.define({ IMAGEWRIGHT_TEST_CORNER: true });
    expect((await post(`/attachments/${image.id}/optimize`, { format: 'jpeg' }))[0]).toBe(200);
    expect(await rig.checksums()).toMatchObject({ [foreign]: checksums[foreign] });
    expect(Object.keys((await rig.attachment(image.id)).missing)).toEqual(['corner']);
    await rig.define({});
    await expectRestored({ ...image, checksums });
    await remove(image.id);
  });
});

describe('an optimized file that was overwritten by hand', () => {
  it.each(['jpeg', 'webp'])('is discarded only after confirmation (%s)', async (format) => {
    const image = await upload(`swapped-${format}.jpg`, await photograph(900));
    await post(`/attachments/${image.id}/optimize`, { format });
    const { file } = await rig.attachment(image.id);
    const path = join(rig.site.uploadsDir, file);
    const theirs = await sharp(await photograph(900, { name: 'photo-stream.jpg' }))
      .toFormat(format as 'jpeg')
      .toBuffer();
    await writeFile(path, theirs);
    const sums = await rig.checksums();

    expect(await admin.json('GET', `/attachments/${image.id}`)).toMatchObject({ status: 'edited' });
    for (const [action, body] of [
      ['restore', {}],
      ['optimize', { again: true }],
    ] as const) {
      expect(await post(`/attachments/${image.id}/${action}`, body)).toMatchObject([
        409,
        { code: 'imagewright_edited' },
      ]);
    }
    expect(await rig.checksums()).toEqual(sums);
    await expectRestored(image, { force: true });
    await remove(image.id);
  });
});

describe('a lost size', () => {
  it('does not prevent restoring the original after confirmation', async () => {
    const image = await upload('one-lost.jpg', await photograph(900));
    await post(`/attachments/${image.id}/optimize`);
    const lost = image.before.metadata.sizes.thumbnail?.file ?? '';
    await rig.site.php('unlink( path_join( wp_get_upload_dir()["basedir"], $file ) );', {
      file: image.before.file.replace(/[^/]+$/, lost),
    });
    expect(await post(`/attachments/${image.id}/restore`)).toMatchObject([
      409,
      { code: 'imagewright_backup_missing', data: { details: { files: [lost], needs: 'force' } } },
    ]);
    expect(await post(`/attachments/${image.id}/restore`, { force: true })).toMatchObject([200, { restored: true }]);
    const after = await rig.attachment(image.id);
    expect(after).toMatchObject({ file: image.before.file, mime: 'image/jpeg', missing: {}, state: '' });
    expect(after.metadata.sizes.thumbnail).toMatchObject({ file: lost });
    const sums = await rig.checksums();
    expect(sums[image.before.file]).toBe(image.checksums[image.before.file]);
    expect(Object.keys(sums)).toEqual(Object.keys(image.checksums));
    await remove(image.id);
  });
});

describe('a lock that was taken over', () => {
  it('stops its former holder and keeps the record of the original', async () => {
    // Too small for further sizes: there is one download. When the first one has it, after more than 15 minutes, a second one comes.
    const image = await upload('slow.jpg', await photograph(120));
    const outcome = await rig.site.php<[string, string]>(
      `wp_set_current_user( 1 );
      $options = array( 'format' => 'webp', 'preset' => 'high' );
      $optimize = static function () use ( $id, $options ) {
        return imagewright()->get( Imagewright_Checkpoint::class )->exclusively( $id, static function () use ( $id, $options ) { return imagewright()->get( Imagewright_Optimization::class )->run( $id, $options ); } );
      };
      $code = static function ( $done ) { return is_wp_error( $done ) ? $done->get_error_code() : $done['status']; };
      $second = null;
      add_filter( 'http_response', static function ( $answer, $args, $url ) use ( $id, $optimize, &$second ) {
        if ( null === $second && false !== strpos( $url, '/download' ) ) {
          global $wpdb;
          $wpdb->update( $wpdb->options, array( 'option_value' => time() - 901 ), array( 'option_name' => "imagewright_$id.lock" ) );
          $second = 'running';
          $second = $optimize();
        }
        return $answer;
      }, 10, 3 );
      $first = $optimize();
      return array( $code( $first ), $code( $second ) );`,
      { id: image.id },
    );
    expect(outcome).toEqual(['imagewright_busy', 'optimized']);
    expect(await rig.attachment(image.id)).toMatchObject({
      mime: 'image/webp',
      state: { snapshot: { attached_file: image.before.file } },
    });
    await expectRestored(image);
    await remove(image.id);
  });
});

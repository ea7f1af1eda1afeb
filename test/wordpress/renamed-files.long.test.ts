import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import { photograph } from './rig.ts';
import { seesFilesOfOthers } from './site/php.ts';
import { useRig } from './use-rig.ts';

const { rig, post, upload, remove, emptyLibrary } = useRig({ delivery: 'replace' });
afterEach(emptyLibrary);

/** Renames the files that an attachment shows, as plugins do for it: names that they do not know stay. */
const rename = (id: number, to: string) =>
  rig.site.php(
    `$file = get_attached_file( $id, true ); $folder = dirname( $file ); $data = wp_get_attachment_metadata( $id, true );
    $from  = preg_replace( '/(-scaled)?\\.\\w+$/', '', wp_basename( $file ) );
    $move  = function ( $name ) use ( $folder, $from, $to ) {
      $new = $to . substr( $name, strlen( $from ) );
      if ( is_file( "$folder/$name" ) ) { rename( "$folder/$name", "$folder/$new" ); }
      return $new;
    };
    foreach ( $data['sizes'] as $key => $size ) { $data['sizes'][ $key ]['file'] = $move( $size['file'] ); }
    $new = $move( wp_basename( $file ) );
    update_attached_file( $id, "$folder/$new" );
    $data['file'] = get_post_meta( $id, '_wp_attached_file', true );
    wp_update_attachment_metadata( $id, wp_slash( $data ) );`,
    { id, to },
  );
const optimize = async (id: number, settings: object) =>
  expect((await post(`/attachments/${id}/optimize`, { preset: 'low', ...settings }))[0]).toBe(200);
const deliver = (delivery: string) =>
  rig.site.php(
    'update_option( "imagewright_settings", array( "delivery" => $delivery ) + get_option( "imagewright_settings" ) );',
    { delivery },
  );
const other = () => photograph(720, { name: 'photo-stream.jpg' });

/** An upload that got the old name of a renamed image; `intact` expects all its files, and optimized ones beside them, to be as they are. */
async function newcomer(name: string, bytes: Uint8Array, type: string, settings?: object) {
  const { id, before } = await upload(name, bytes, type);
  expect(before.file.endsWith(`/${name}`)).toBe(true);
  if (settings) await optimize(id, settings);
  const folder = before.file.replace(/[^/]+$/, '');
  const own = [before.file, ...Object.values(before.metadata.sizes).map(({ file }) => folder + file)];
  const files = async () => {
    const all = Object.entries(await rig.checksums());
    return Object.fromEntries(all.filter(([path]) => own.includes(path.replace(/\.iw\.\w+$/, ''))));
  };
  const then = await files();
  expect(Object.keys(then).length).toBeGreaterThan(2);
  return { id, intact: async () => expect(await files()).toEqual(then) };
}

// One process renames, and another looks for a free name.
describe.runIf(await seesFilesOfOthers())('an upload that got the name of a renamed image keeps its files', () => {
  it('when that image is restored or deleted (another format)', async () => {
    const webp = async () =>
      new Uint8Array(
        await sharp(await other())
          .webp({ quality: 80 })
          .toBuffer(),
      );
    const restored = await upload('wolf.jpg', await photograph(800));
    const deleted = await upload('bear.jpg', await photograph(810));
    for (const [{ id }, to] of [
      [restored, 'team'],
      [deleted, 'crew'],
    ] as const) {
      await optimize(id, { format: 'webp' });
      await rename(id, to);
    }
    const [wolf, bear] = [
      await newcomer('wolf.webp', await webp(), 'image/webp'),
      await newcomer('bear.webp', await webp(), 'image/webp'),
    ];
    expect(await post(`/attachments/${restored.id}/restore`)).toMatchObject([409, { code: 'imagewright_edited' }]);
    expect(await post(`/attachments/${restored.id}/restore`, { force: true })).toMatchObject([200, { restored: true }]);
    await wolf.intact();
    expect(await rig.attachment(restored.id)).toEqual(restored.before);
    await remove(deleted.id);
    await bear.intact();
    for (const { id } of [restored, wolf, bear]) await remove(id);
    expect((await rig.site.uploads()).filter((path) => /wolf|bear/.test(path))).toEqual([]);
  });

  it('when that image is restored or deleted (the same format)', async () => {
    const renamed = await upload('deer.jpg', await photograph(800));
    await optimize(renamed.id, { format: 'original' });
    await rename(renamed.id, 'herd');
    const deer = await newcomer('deer.jpg', await other(), 'image/jpeg');
    const before = [await rig.checksums(), await rig.attachment(renamed.id)];
    expect(await post(`/attachments/${renamed.id}/restore`, { force: true })).toMatchObject([
      409,
      { code: 'imagewright_backup_missing' },
    ]);
    expect([await rig.checksums(), await rig.attachment(renamed.id)]).toEqual(before);
    await remove(renamed.id);
    await deer.intact();
    await remove(deer.id);
    expect(await rig.site.uploads()).toEqual([]);
  });

  it('when that image is restored or deleted (files beside)', async () => {
    await deliver('beside');
    const restored = await upload('lynx.jpg', await photograph(800));
    const deleted = await upload('seal.jpg', await photograph(810));
    for (const [{ id }, to] of [
      [restored, 'cats'],
      [deleted, 'pups'],
    ] as const) {
      await optimize(id, { format: 'webp' });
      await rename(id, to);
    }
    const [lynx, seal] = [
      await newcomer('lynx.jpg', await other(), 'image/jpeg', { format: 'webp' }),
      await newcomer('seal.jpg', await other(), 'image/jpeg', { format: 'webp' }),
    ];
    expect(await post(`/attachments/${restored.id}/restore`, { force: true })).toMatchObject([200, { restored: true }]);
    await lynx.intact();
    await remove(deleted.id);
    await seal.intact();
    for (const { id } of [restored, lynx, seal]) await remove(id);
    expect(await rig.site.uploads()).toEqual([]);
    await deliver('replace');
  });
});

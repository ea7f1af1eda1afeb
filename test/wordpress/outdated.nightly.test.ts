import { copyFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { weigh } from './pages/weigh.ts';
import { imageBlock, publish, urlOf } from './posts.ts';
import { photograph } from './rig.ts';
import { seesFilesOfOthers } from './site/php.ts';
import { useBrowser, useRig } from './use-rig.ts';

const native = await seesFilesOfOthers();
const tests = useRig({ delivery: 'beside' });
const { rig, admin, post, upload, expectRestored, emptyLibrary } = tests;
const { browser } = useBrowser(tests);
beforeAll(async () => {
  await rig.site.addMuPlugin(fileURLToPath(new URL('stand-ins/regenerate-thumbnails.php', import.meta.url)));
  await rig.site.php(
    'update_option( "imagewright_settings", array( "preset" => "low" ) + get_option( "imagewright_settings" ) );',
  );
});

const state = (id: number) => admin.json<{ status: string; gap: string }>('GET', `/attachments/${id}`);
const preview = () => admin.json<{ images: number; repairs: number; cost: number }>('GET', '/run/preview');
async function run() {
  await admin.json('POST', '/run', { kind: 'optimize' });
  const read = async () => (await admin.json<{ run: { state: string } }>('POST', '/run/work', {})).run;
  await expect.poll(async () => (await read()).state).toBe('done');
  return read();
}
async function shown(id: number) {
  const page = await publish(rig, imageBlock(id, await urlOf(rig, id, 'large')));
  const seen = await weigh(browser.browser, page, 'desktop');
  expect(seen).toMatchObject({ failed: [], blank: [] });
  return seen.images[0];
}
const folderOf = (file: string) => join(rig.site.uploadsDir, dirname(file));

describe.runIf(native)('files of WordPress that change behind the plugin', () => {
  it.each(['made again', 'deleted and made again', 'copied'])(
    'are noticed when they are %s, and put right without a credit',
    async (how) => {
      const image = await upload(`${how.replaceAll(' ', '-')}.jpg`, await photograph(1300));
      expect((await post(`/attachments/${image.id}/optimize`))[0]).toBe(200);
      const before = await shown(image.id);
      expect(before?.path).toMatch(/\.iw\.webp$/);
      const balance = await rig.account.api.balance();
      const folder = folderOf(image.before.file);
      if (how === 'copied') {
        // As `cp -r` does: all times are of now, one after the other.
        let second = Date.now() / 1000;
        for (const name of await readdir(folder)) await utimes(join(folder, name), ++second, second);
      } else {
        // `wp media regenerate` without `--skip-delete` removes the files without a hook.
        const remove =
          'foreach ( wp_get_attachment_metadata( $id )["sizes"] as $size ) { unlink( dirname( get_attached_file( $id ) ) . "/" . $size["file"] ); }';
        if (how !== 'made again') await rig.site.php(remove, { id: image.id });
        await rig.site.php('stand_in_regenerate( $id, time() + 60 );', { id: image.id });
      }
      const now = await shown(image.id);
      expect(now?.path).not.toContain('.iw.');
      expect(now?.bytes).toBeGreaterThan(before?.bytes ?? 0);
      expect(await state(image.id)).toMatchObject({ status: 'outdated', gap: 'outdated' });
      expect(await preview()).toMatchObject({ images: 1, repairs: 1, cost: 0 });
      expect(await admin.json('GET', '/status')).toMatchObject({ optimized: 0, outdated: 1 });
      const health = await rig.site.php<{ status: string; description: string }>(
        'return imagewright()->get( Imagewright_Statistics::class )->site_health();',
      );
      expect(health).toMatchObject({ status: 'recommended', description: expect.stringContaining('Outdated: 1.') });

      expect(await run()).toMatchObject({ total: 1, done: 1, failedCount: 0 });
      expect(await shown(image.id)).toEqual(before);
      expect(await state(image.id)).toMatchObject({ status: 'optimized' });
      expect(await rig.account.api.balance()).toBe(balance);
      await expectRestored(image);
      await emptyLibrary();
    },
  );

  it('are noticed by the check of the night', async () => {
    const image = await upload('night.jpg', await photograph(600));
    expect((await post(`/attachments/${image.id}/optimize`))[0]).toBe(200);
    await rig.site.php('touch( get_attached_file( $id ), time() + 77 );', { id: image.id });
    await rig.site.php('do_action( "imagewright_check" );');
    const row = await rig.site.php('return imagewright()->get( Imagewright_Index::class )->row( $id );', {
      id: image.id,
    });
    expect(row).toMatchObject({ status: 'outdated' });
    expect(await rig.site.php('return get_option( "imagewright_checked" );')).toMatchObject({ checked: 1, wrong: 1 });
    await rig.site.php('do_action( "imagewright_check" );');
    expect(await rig.site.php('return get_option( "imagewright_checked" );')).toMatchObject({ checked: 1, wrong: 0 });
    await emptyLibrary();
  });

  it('show another picture that is copied over with an older time, and a run optimizes that', async () => {
    const image = await upload('over.jpg', await photograph(700));
    expect((await post(`/attachments/${image.id}/optimize`))[0]).toBe(200);
    const folder = folderOf(image.before.file);
    const made = (await readdir(folder)).filter((name) => name.startsWith('over') && !name.includes('.iw.'));
    const next = await photograph(700, { name: 'photo-dogs-portrait.jpg', height: image.before.metadata.height });
    for (const name of made) {
      const { width, height } = /-(\d+)x(\d+)/.exec(name)
        ? { width: Number(/-(\d+)x/.exec(name)?.[1]), height: Number(/x(\d+)/.exec(name)?.[1]) }
        : { width: 700, height: image.before.metadata.height };
      const copied = await photograph(width, { name: 'photo-dogs-portrait.jpg', height });
      await writeFile(join(folder, name), name === image.before.metadata.file.split('/').at(-1) ? next : copied);
      await utimes(join(folder, name), 1_600_000_000, 1_600_000_000);
    }
    const seen = await shown(image.id);
    expect(seen?.path).not.toContain('.iw.');
    expect(seen?.bytes).toBe(next.byteLength);
    expect(await state(image.id)).toMatchObject({ status: 'outdated', gap: 'stale' });
    expect(await preview()).toMatchObject({ images: 1, repairs: 0, cost: 1 });
    expect(await run()).toMatchObject({ done: 1 });
    const after = await shown(image.id);
    expect(after?.path).toMatch(/\.iw\.webp$/);
    expect(after?.bytes).toBeLessThan(next.byteLength);
    expect((await post(`/attachments/${image.id}/restore`))[0]).toBe(200);
    expect((await readdir(folder)).filter((name) => name.includes('.iw.'))).toEqual([]);
    await emptyLibrary();
  });

  it('are noticed when an optimized file is gone', async () => {
    const image = await upload('gone.jpg', await photograph(600));
    expect((await post(`/attachments/${image.id}/optimize`))[0]).toBe(200);
    const folder = folderOf(image.before.file);
    const file = join(folder, 'gone.jpg.iw.webp');
    await copyFile(file, `${file}.bak`);
    await rm(file);
    expect(await state(image.id)).toMatchObject({ status: 'outdated', gap: 'stale' });
    expect(await preview()).toMatchObject({ images: 1, repairs: 0, cost: 1 });
    await rm(`${file}.bak`);
    await expectRestored(image);
    await emptyLibrary();
  });
});

describe.runIf(native).each([900, 3000])('an image of %i px that was replaced', (width) => {
  it.each(['original', 'webp'])('keeps its optimized files when all sizes are made again (%s)', async (format) => {
    const settings = (values: object) =>
      rig.site.php('update_option( "imagewright_settings", $values + get_option( "imagewright_settings" ) );', {
        values,
      });
    await settings({ delivery: 'replace', format });
    const image = await upload(`again-${width}.jpg`, await photograph(width));
    expect((await post(`/attachments/${image.id}/optimize`))[0]).toBe(200);
    const before = { stored: await rig.attachment(image.id), files: await rig.checksums() };
    await rig.site.php('stand_in_regenerate( $id, time() + 60 );', { id: image.id });
    expect(await rig.checksums()).toEqual(before.files);
    const { metadata } = await rig.attachment(image.id);
    expect(metadata).toEqual(before.stored.metadata);
    expect(await state(image.id)).toMatchObject({ status: 'optimized' });
    expect(await preview()).toMatchObject({ images: 0, cost: 0 });

    // A size whose file is gone is made by WordPress.
    const thumb = join(folderOf(image.before.file), metadata.sizes.thumbnail?.file ?? '');
    await rm(thumb);
    await rig.site.php('stand_in_regenerate( $id, time() + 60 );', { id: image.id });
    expect((await rig.attachment(image.id)).missing).toEqual({});
    await expectRestored(image);
    await emptyLibrary();
    await settings({ delivery: 'beside', format: 'webp' });
  });
});

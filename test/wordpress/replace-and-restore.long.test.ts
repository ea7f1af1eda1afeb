import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { fixture, photograph } from './rig.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, upload, expectRestored, remove } = useRig();

/** Uploads and optimises an image; returns the library before and after. */
async function optimize(name: string, bytes: Uint8Array, type: string, options: Record<string, unknown> = {}) {
  const filesBefore = await rig.checksums();
  const image = await upload(name, bytes, type);
  const answer = await admin.json('POST', `/attachments/${image.id}/optimize`, options);
  return { ...image, answer, after: await rig.attachment(image.id), filesBefore };
}

/** Deletes an attachment with WordPress and expects no file of it to remain. */
async function expectNoFileLeft(done: Awaited<ReturnType<typeof optimize>>) {
  await remove(done.id);
  expect(await rig.checksums()).toEqual(done.filesBefore);
}

const file = (path: string) => sharp(join(rig.site.uploadsDir, path)).metadata();

describe('a large photograph', () => {
  it('is replaced in every registered size for one credit, and restored byte for byte', async () => {
    const balance = await rig.account.api.balance();
    const done = await optimize('mountains.jpg', await photograph(2800), 'image/jpeg', { preset: 'medium' });
    const { before, after } = done;
    expect(before.metadata.original_image).toBe('mountains.jpg');
    expect(done.answer).toMatchObject({ status: 'optimized', mime: 'image/webp', skipped: null });
    expect(balance - (await rig.account.api.balance())).toBe(1);

    expect(after).toMatchObject({ mime: 'image/webp', guid: before.guid, missing: {} });
    expect(after.file).toMatch(/mountains-scaled\.webp$/);
    expect(after.metadata.original_image).toBe('mountains.webp');
    expect(Object.keys(after.metadata.sizes).sort()).toEqual(Object.keys(before.metadata.sizes).sort());
    const folder = after.file.replace(/[^/]+$/, '');
    for (const [name, size] of Object.entries(after.metadata.sizes)) {
      const old = before.metadata.sizes[name];
      expect([name, size.width, size.height]).toEqual([name, old?.width, old?.height]);
      expect(await file(folder + size.file)).toMatchObject({ format: 'webp', width: size.width, height: size.height });
    }
    expect(await file(after.file)).toMatchObject({ format: 'webp', width: 2560, height: 1920 });
    expect(await file(`${folder}mountains.webp`)).toMatchObject({ format: 'webp', width: 2800, height: 2100 });

    // The old files are unchanged, so old URLs keep working.
    expect(await rig.checksums()).toMatchObject(done.checksums);
    await expectRestored(done);
    expect(await admin.json('POST', `/attachments/${done.id}/restore`)).toMatchObject({ restored: false });
    await expectNoFileLeft(done);
  });

  it('leaves no file after it is replaced, restored, replaced again and deleted, also without the plugin', async () => {
    const done = await optimize('again.jpg', await photograph(1200), 'image/jpeg');
    await expectRestored(done);
    await admin.json('POST', `/attachments/${done.id}/optimize`, { format: 'jpeg' });
    await admin.json('POST', `/attachments/${done.id}/optimize`, { again: true });
    expect(await rig.attachment(done.id)).toMatchObject({ mime: 'image/webp', missing: {} });
    await rig.site.php('deactivate_plugins( "imagewright/imagewright.php" );');
    await expectNoFileLeft(done);
    await rig.site.php('return activate_plugin( "imagewright/imagewright.php" );');
  });

  it('keeps its URLs if the format stays the same, and is restored byte for byte', async () => {
    await rig.define({ IMAGEWRIGHT_TEST_THRESHOLD: 800 });
    const done = await optimize('same-format.jpg', await photograph(900), 'image/jpeg', { format: 'jpeg' });
    expect(done.after.file).toBe(done.before.file);
    expect(done.after.metadata.original_image).toBe(done.before.metadata.original_image);
    const sizes = (state: typeof done.after) =>
      Object.values(state.metadata.sizes)
        .map((size) => size.file)
        .sort();
    expect(sizes(done.after)).toEqual(sizes(done.before));
    expect(done.after.metadata.filesize).toBeLessThan(done.before.metadata.filesize);
    await expectRestored(done);
    await admin.json('POST', `/attachments/${done.id}/optimize`, { format: 'jpeg' });
    await expectNoFileLeft(done);
  });
});

describe('images of other kinds', () => {
  it('keep the transparency of a PNG', async () => {
    const bytes = new Uint8Array(
      await sharp(await fixture('photos/graphic-badge-alpha.png'))
        .resize(700)
        .png()
        .toBuffer(),
    );
    const done = await optimize('badge.png', bytes, 'image/png');
    expect(await file(done.after.file)).toMatchObject({ format: 'webp', hasAlpha: true });
    await expectRestored(done);
    await expectNoFileLeft(done);
  });

  it('keep the animation of a GIF', async () => {
    const done = await optimize('moving.gif', await fixture('nasty/animated.gif'), 'image/gif');
    const made = await sharp(join(rig.site.uploadsDir, done.after.file), { animated: true }).metadata();
    expect(made).toMatchObject({ format: 'webp', pages: 8 });
    await expectRestored(done);
    await expectNoFileLeft(done);
  });

  it('convert a CMYK photograph to RGB', async () => {
    const done = await optimize('print.jpg', await fixture('nasty/jpeg-cmyk.jpg'), 'image/jpeg');
    expect(await file(done.after.file)).toMatchObject({ format: 'webp', space: 'srgb' });
    await expectRestored(done);
    await expectNoFileLeft(done);
  });

  it('become AVIF if WordPress supports it; otherwise the format is refused', async () => {
    const bytes = await photograph(800);
    if (
      !(await rig.site.php<string[]>('return imagewright()->get( Imagewright_Options::class )->formats();')).includes(
        'avif',
      )
    ) {
      const id = await admin.upload('no-avif.jpg', bytes, 'image/jpeg');
      expect((await admin.call('POST', `/attachments/${id}/optimize`, { format: 'avif' })).status).toBe(400);
      return;
    }
    const done = await optimize('avif.jpg', bytes, 'image/jpeg', { format: 'avif' });
    expect(done.after).toMatchObject({ mime: 'image/avif', missing: {}, metadata: { width: 800, height: 600 } });
    const names = [done.after.file, ...Object.values(done.after.metadata.sizes).map((size) => size.file)];
    expect(names.filter((name) => !name.endsWith('.avif'))).toEqual([]);
    expect(await file(done.after.file)).toMatchObject({ format: 'heif', compression: 'av1', width: 800 });
    await expectRestored(done);
    await expectNoFileLeft(done);
  });

  it('get different names if two images want the same one', async () => {
    const [one, two] = [await photograph(800), await photograph(801, { name: 'photo-stream.jpg' })];
    const first = await admin.upload('same.jpg', one, 'image/jpeg');
    const second = await admin.upload('same.jpeg', two, 'image/jpeg');
    const untouched = await rig.checksums();
    await Promise.all([first, second].map((id) => admin.json('POST', `/attachments/${id}/optimize`)));
    const [a, b] = [await rig.attachment(first), await rig.attachment(second)];
    expect(a.file).not.toBe(b.file);
    expect(await file(a.file)).toMatchObject({ width: 800 });
    expect(await file(b.file)).toMatchObject({ width: 801 });
    const names = [a, b].flatMap(({ metadata }) => Object.values(metadata.sizes).map((size) => size.file));
    expect(new Set(names).size).toBe(names.length);
    await Promise.all([first, second].map((id) => admin.json('POST', `/attachments/${id}/restore`)));
    expect(await rig.checksums()).toEqual(untouched);
  });

  it('have the sizes that WordPress computes for a portrait', async () => {
    await rig.define({ IMAGEWRIGHT_TEST_THRESHOLD: 800 });
    const bytes = await photograph(400, { name: 'photo-dogs-portrait.jpg', height: 1000 });
    const done = await optimize('portrait.jpg', bytes, 'image/jpeg');
    expect(done.after.missing).toEqual({});
    expect(done.after.metadata).toMatchObject({ width: 320, height: 800, original_image: 'portrait.webp' });
    for (const [name, size] of Object.entries(done.after.metadata.sizes)) {
      const old = done.before.metadata.sizes[name];
      expect(Math.abs(size.width - (old?.width ?? 0)), name).toBeLessThanOrEqual(1);
    }
    await expectRestored(done);
  });
});

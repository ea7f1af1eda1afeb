import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { weigh } from './pages/weigh.ts';
import { imageBlock, publish, urlOf } from './posts.ts';
import { photograph } from './rig.ts';
import { seesFilesOfOthers } from './site/php.ts';
import { startBucket } from './stand-ins/bucket.ts';
import { useBrowser, useRig } from './use-rig.ts';

const native = await seesFilesOfOthers();
const tests = useRig({ delivery: 'replace' });
const { rig, admin, post, upload, expectAsBefore, expectRestored, emptyLibrary } = tests;
const { browser } = useBrowser(tests);
beforeAll(() => rig.site.addMuPlugin(fileURLToPath(new URL('stand-ins/offload-media.php', import.meta.url))));
afterEach(emptyLibrary);

const optimize = async (id: number, format = 'webp') =>
  expect((await post(`/attachments/${id}/optimize`, { preset: 'low', format }))[0]).toBe(200);
const state = (id: number) => admin.json<{ status: string; gap: string }>('GET', `/attachments/${id}`);
const preview = () => admin.json<{ images: number; cost: number }>('GET', '/run/preview');
async function seen(content: string) {
  const found = await weigh(browser.browser, await publish(rig, content), 'desktop');
  expect(found).toMatchObject({ failed: [], blank: [] });
  return found.images;
}

it('a replaced image leaves one of another host with the same path and number as it is', async () => {
  const image = await upload('same.jpg', await photograph(700));
  const own = await urlOf(rig, image.id, 'full');
  await optimize(image.id);
  const other = await startBucket();
  const foreign = own.replace(rig.site.url, other.url);
  other.files.set(new URL(foreign).pathname, await photograph(300));
  // A post that was copied from another site has its addresses and its numbers.
  const cover = `<div class="wp-block-cover" style="background-image:url('${foreign}')">x</div>`;
  const images = await seen(imageBlock(image.id, own) + imageBlock(image.id, foreign) + cover);
  expect(images.map(({ naturalWidth }) => naturalWidth)).toEqual([700, 300]);
  expect(images.map(({ path }) => path.split('.').at(-1))).toEqual(['webp', 'jpg']);
  expect(other.missed).toEqual([]);
  await expectRestored(image);
});

it('a replaced image that goes to a bucket is shown from there, and restored byte for byte', async () => {
  const image = await upload('goes.jpg', await photograph(1100));
  const old = await urlOf(rig, image.id, 'large');
  await optimize(image.id);
  const bucket = await startBucket();
  await rig.define({ IMAGEWRIGHT_TEST_BUCKET: bucket.url });
  const send = () =>
    rig.site.php('wp_update_attachment_metadata( $id, wp_get_attachment_metadata( $id, true ) );', { id: image.id });
  await send();
  const fresh = (await urlOf(rig, image.id, 'large')).replace(bucket.url, rig.site.url);
  const [shown] = await seen(imageBlock(image.id, fresh));
  expect(shown).toMatchObject({ naturalWidth: 1024, path: expect.stringMatching(/\.webp$/) });
  expect(await state(image.id)).toMatchObject({ status: 'optimized' });
  expect(bucket.missed).toEqual([]);

  expect(await post(`/attachments/${image.id}/restore`)).toMatchObject([200, { restored: true, status: 'offloaded' }]);
  await expectAsBefore(image);
  const [original] = await seen(imageBlock(image.id, old));
  expect(original).toMatchObject({ naturalWidth: 1024, path: expect.stringMatching(/\.jpg$/) });
  expect(bucket.missed).toEqual([]);
  await rig.define({});
});

describe.runIf(native).each(['original', 'webp'])('the files of a replaced image (%s)', (format) => {
  it('are the same for visitors after their folder was copied with new times', async () => {
    const image = await upload(`times-${format}.jpg`, await photograph(900));
    await optimize(image.id, format);
    const before = await seen(imageBlock(image.id, await urlOf(rig, image.id, 'large')));
    const folder = join(rig.site.uploadsDir, dirname(image.before.file));
    let second = Date.now() / 1000;
    for (const name of await readdir(folder)) await utimes(join(folder, name), ++second, second);
    expect(await seen(imageBlock(image.id, await urlOf(rig, image.id, 'large')))).toEqual(before);
    expect(await state(image.id)).toMatchObject({ status: 'optimized', gap: '' });
    expect(await preview()).toMatchObject({ images: 0, cost: 0 });
    await expectRestored(image);
  });

  it('show an older picture that is copied over, and the original comes back', async () => {
    const image = await upload(`older-${format}.jpg`, await photograph(700));
    await optimize(image.id, format);
    const { file } = await rig.attachment(image.id);
    const path = join(rig.site.uploadsDir, file);
    const optimized = await readFile(path);
    const older = await photograph(640, { name: 'photo-stream.jpg' });
    await writeFile(path, older);
    await utimes(path, 1_600_000_000, 1_600_000_000);
    const [shown] = await seen(imageBlock(image.id, await urlOf(rig, image.id, 'full')));
    expect(shown).toMatchObject({ bytes: older.byteLength, naturalWidth: 640 });
    expect((await state(image.id)).status).toBe('edited');
    // What somebody has put there is not thrown away without a question.
    expect(await post(`/attachments/${image.id}/restore`)).toMatchObject([409, { code: 'imagewright_edited' }]);
    expect(await readFile(path)).not.toEqual(optimized);
    await expectRestored(image, { force: true });
  });
});

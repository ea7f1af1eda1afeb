import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { imageBlock, publish, urlOf } from './posts.ts';
import { photograph } from './rig.ts';
import { seesFilesOfOthers } from './site/php.ts';
import { useRig } from './use-rig.ts';

const native = await seesFilesOfOthers();
const { rig, admin, post, upload, remove, emptyLibrary } = useRig({ delivery: 'replace' });
beforeAll(() => rig.site.addMuPlugin(fileURLToPath(new URL('stand-ins/replace-media.php', import.meta.url))));
afterEach(emptyLibrary);

interface Preview {
  images: number;
  cost: number;
  leftOut: { message: string; count: number; examples: { id: number }[] }[];
}
interface Run {
  run: { state: string; total: number; done: number; failedCount: number };
}

const optimize = async (id: number, format: string) =>
  expect((await post(`/attachments/${id}/optimize`, { preset: 'low', format }))[0]).toBe(200);
const status = async (id: number) => (await admin.json<{ status: string }>('GET', `/attachments/${id}`)).status;
const preview = (ids = '') => admin.json<Preview>('GET', `/run/preview${ids}`);

async function run(kind: string) {
  await admin.json('POST', '/run', { kind, preset: 'low' });
  const read = async () => (await admin.json<Run>('POST', '/run/work', {})).run;
  await expect.poll(async () => (await read()).state).toBe('done');
  return read();
}

/** Replaces the picture as plugins do it that delete the old files. */
const replaceBy = (id: number, bytes: Uint8Array, name = '') =>
  rig.site.php('stand_in_replace_media( $id, base64_decode( $bytes ), $name );', {
    id,
    bytes: Buffer.from(bytes).toString('base64'),
    name,
  });

/** Addresses of images in the page of a post, each of which has to answer. */
async function shownBy(content: string): Promise<string[]> {
  const html = await (await fetch(await publish(rig, content))).text();
  const found = [...html.matchAll(/<img[^>]*\ssrc="([^"]+)"/g)].map(([, src]) => src as string);
  for (const src of found) expect([src, (await fetch(src)).status]).toEqual([src, 200]);
  return found;
}

describe.runIf(native)('a picture that another plugin replaced', () => {
  it.each([
    ['webp', 'fresh.jpg'],
    ['original', ''],
  ])('is an ordinary one again (%s, new name %j)', async (format, name) => {
    const none = await rig.site.uploads();
    const image = await upload('stuck.jpg', await photograph(1100));
    const content = imageBlock(image.id, await urlOf(rig, image.id, 'large'));
    await optimize(image.id, format);
    const theirs = await photograph(900, { name: 'photo-stream.jpg' });
    await replaceBy(image.id, theirs, name);

    expect(await status(image.id)).toBe('none');
    expect(await preview()).toMatchObject({ images: 1, cost: 1, leftOut: [] });
    const [before, files] = [await rig.attachment(image.id), await rig.checksums()];
    expect(before.state).toBe('');
    // The post names the file of the first upload.
    expect(await shownBy(content)).toHaveLength(1);
    expect(await run('optimize')).toMatchObject({ total: 1, done: 1, failedCount: 0 });
    expect(await status(image.id)).toBe('optimized');
    expect(await shownBy(content)).toHaveLength(1);

    expect(await run('restore')).toMatchObject({ total: 1, done: 1, failedCount: 0 });
    expect(await rig.attachment(image.id)).toEqual(before);
    expect(await rig.checksums()).toEqual(files);
    expect(await shownBy(content)).toHaveLength(1);
    await optimize(image.id, 'webp');
    await remove(image.id);
    expect(await rig.site.uploads()).toEqual(none);
  });

  it('is an ordinary one again after the originals were deleted', async () => {
    const none = await rig.site.uploads();
    const image = await upload('discarded.jpg', await photograph(1000));
    await optimize(image.id, 'webp');
    expect(await run('discard')).toMatchObject({ done: 1 });
    await replaceBy(image.id, await photograph(900, { name: 'photo-stream.jpg' }), 'fresh.jpg');
    expect(await status(image.id)).toBe('none');
    await optimize(image.id, 'webp');
    await remove(image.id);
    expect(await rig.site.uploads()).toEqual(none);
  });

  it('leaves an upload alone that got the name of its deleted original', async () => {
    const image = await upload('reused.jpg', await photograph(1000));
    await optimize(image.id, 'webp');
    await replaceBy(image.id, await photograph(900, { name: 'photo-stream.jpg' }), 'fresh.jpg');
    const other = await upload('reused.jpg', await photograph(800));
    expect(other.before.file).toBe(image.before.file);
    await remove(image.id);
    expect(await rig.site.uploads()).toContain(other.before.file);
  });

  it('is named by a run where its original exists, and asks before that comes back', async () => {
    const image = await upload('by-hand.jpg', await photograph(1000));
    await optimize(image.id, 'webp');
    const { file } = await rig.attachment(image.id);
    const theirs = await sharp(await photograph(900, { name: 'photo-stream.jpg' }))
      .webp()
      .toBuffer();
    await writeFile(join(rig.site.uploadsDir, file), theirs);
    for (const ids of ['', `?ids[]=${image.id}`]) {
      const found = await preview(ids);
      expect(found).toMatchObject({ images: 0, cost: 0, leftOut: [{ count: 1, examples: [{ id: image.id }] }] });
      expect(found.leftOut[0]?.message).toContain('Restore it first');
    }
    expect(await post(`/attachments/${image.id}/restore`, { force: true })).toMatchObject([200, { restored: true }]);
    expect(await preview()).toMatchObject({ images: 1, leftOut: [] });
  });
});

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { beforeEach, describe, expect, it } from 'vitest';
import { ultraHdr } from './editor/ultra-hdr.ts';
import { imageBlock, publish, urlOf } from './posts.ts';
import { photograph } from './rig.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, post, upload, expectRestored, emptyLibrary } = useRig({ delivery: 'beside' });
const settings = (values: object) =>
  rig.site.php('update_option( "imagewright_settings", $values + get_option( "imagewright_settings" ) );', { values });
beforeEach(() => settings({ flatten_hdr: false, delivery: 'beside', metadata: 'rights', format: 'webp' }));

/** A photograph as phones make it, with its author and the place. */
async function phonePhotograph(): Promise<Uint8Array> {
  return ultraHdr(await photograph(1400, { name: 'photo-stream.jpg' }));
}
const gainMaps = async (path: string) => (await readFile(path)).includes('hdrgm:GainMapMax');
const optimizedFiles = async (file: string) => {
  const folder = dirname(file);
  return (await rig.site.uploads()).filter((path) => dirname(path) === folder && path.includes('.iw.'));
};

describe('an HDR photograph', () => {
  it('stays HDR beside the original, whatever the format of the site', async () => {
    const image = await upload('phone.jpg', await phonePhotograph());
    expect((await post(`/attachments/${image.id}/optimize`))[0]).toBe(200);
    const files = await optimizedFiles(image.before.file);
    expect(files).toContain(`${image.before.file}.iw.jpg`);
    expect(files.filter((path) => path.endsWith('.webp'))).toEqual([]);
    expect(await gainMaps(join(rig.site.uploadsDir, `${image.before.file}.iw.jpg`))).toBe(true);
    const url = await publish(rig, imageBlock(image.id, await urlOf(rig, image.id, 'full')));
    const html = await (await fetch(url)).text();
    expect(html).toMatch(/<source type="image\/jpeg" srcset="[^"]*phone\.jpg\.iw\.jpg/);
    expect(html).not.toContain('image/webp');
    expect(await admin.json('GET', `/attachments/${image.id}`)).toMatchObject({
      carries: 'In the upload: HDR and camera. Stays in the optimized files: HDR.',
    });
    await expectRestored(image);
    await emptyLibrary();
  });

  it('stays HDR in the place of the original', async () => {
    await settings({ delivery: 'replace' });
    const image = await upload('phone-2.jpg', await phonePhotograph());
    expect((await post(`/attachments/${image.id}/optimize`))[0]).toBe(200);
    const now = await rig.attachment(image.id);
    expect([now.mime, now.file]).toEqual(['image/jpeg', image.before.file]);
    expect(await gainMaps(join(rig.site.uploadsDir, now.file))).toBe(true);
    await expectRestored(image);
    await emptyLibrary();
  });

  it('is offered flat only if the site says so, and the panel names what is lost', async () => {
    await settings({ flatten_hdr: true, metadata: 'all-but-private' });
    const image = await upload('flat.jpg', await phonePhotograph());
    expect((await post(`/attachments/${image.id}/optimize`))[0]).toBe(200);
    const files = await optimizedFiles(image.before.file);
    expect(files.filter((path) => path.endsWith('.iw.webp')).length).toBe(files.length);
    expect(await admin.json('GET', `/attachments/${image.id}`)).toMatchObject({
      carries: 'In the upload: HDR and camera. Stays in the optimized files: camera.',
    });
    await expectRestored(image);
    await emptyLibrary();
  });
});

/** A PNG whose chunk says that its values are those of HDR (PQ). */
async function pngInHdr(): Promise<Uint8Array> {
  const png = await sharp(await photograph(300))
    .png()
    .toBuffer();
  const body = Buffer.from([...Buffer.from('cICP'), 9, 16, 0, 1]);
  const chunk = Buffer.alloc(16);
  chunk.writeUInt32BE(4);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), 12);
  const afterHeader = 8 + 25;
  return new Uint8Array(Buffer.concat([png.subarray(0, afterHeader), chunk, png.subarray(afterHeader)]));
}

function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

it('an HDR image that no export keeps HDR is left out before it costs anything, until the site allows it', async () => {
  const image = await upload('pq.png', await pngInHdr(), 'image/png');
  const before = await rig.account.api.balance();
  const [status, body] = await post(`/attachments/${image.id}/optimize`);
  expect([status, body.code]).toEqual([422, 'imagewright_hdr']);
  expect((await post(`/attachments/${image.id}/attach`))[1].code).toBe('imagewright_hdr');
  expect(await admin.json('GET', '/run/preview')).toMatchObject({
    ...{ images: 0, cost: 0, leftOut: [{ message: expect.stringContaining('This image is HDR'), count: 1 }] },
  });
  expect(await rig.account.api.balance()).toBe(before);
  expect(
    await rig.site.php(
      'return Imagewright_Status_Text::pill( imagewright()->get( Imagewright_Library::class )->describe( $id ) );',
      { id: image.id },
    ),
  ).toBe('Left out');
  await settings({ flatten_hdr: true });
  expect(await admin.json('GET', '/run/preview')).toMatchObject({ images: 1, cost: 1 });
  expect((await post(`/attachments/${image.id}/optimize`))[0]).toBe(200);
  await emptyLibrary();
});

it.each(['none', 'rights', 'all-but-private'])('%s is what stays in the files', async (metadata) => {
  await settings({ metadata });
  const bytes = await sharp(await photograph(700))
    .withExif({ IFD0: { Copyright: 'Jo Doe', Make: 'Phone' } })
    .jpeg({ quality: 95 })
    .toBuffer();
  const image = await upload(`rights-${metadata}.jpg`, new Uint8Array(bytes));
  expect((await post(`/attachments/${image.id}/optimize`))[0]).toBe(200);
  const file = await readFile(join(rig.site.uploadsDir, `${image.before.file}.iw.webp`));
  expect([file.includes('Jo Doe'), file.includes('Phone')]).toEqual([metadata !== 'none', metadata.startsWith('all')]);
  const stays = { none: 'nothing of it', rights: 'author and rights' }[metadata] ?? 'author and rights and camera';
  expect(await admin.json('GET', `/attachments/${image.id}`)).toMatchObject({
    carries: `In the upload: author and rights and camera. Stays in the optimized files: ${stays}.`,
  });
  await emptyLibrary();
});

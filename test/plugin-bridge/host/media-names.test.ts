import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { settingsSchema } from '#contract';
import { namePaths } from '../../../plugin-bridge/host/folder/folder-names.ts';
import type { Replacement } from '../../../plugin-bridge/host/index.ts';
import { nodeDisk } from '../../../plugin-bridge/host/server/disk.ts';
import { createMedia } from '../../../plugin-bridge/host/server/media.ts';

const CJK = '名'.repeat(80);

/** Opens a folder with these images. */
async function open(...names: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-names-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const name of names) await writeFile(join(folder, name), name);
  const list = () => names.map((file) => ({ id: file, file }));
  return { folder, media: createMedia({ folder, url: '/media', list }, nodeDisk) };
}

/** A replacement of an image that holds its name. @param base of the files at the service */
const replacementOf = (name: string, base: string): Replacement => ({
  ...{
    original: { size: Buffer.byteLength(name), width: 1, height: 1, format: 'jpeg' },
    metadata: null,
    sessionId: 'sess_1',
    imageId: 'img_1',
  },
  settings: settingsSchema.parse({}),
  variants: ['full', '1440w'].map((variant) => ({
    name: variant,
    filename: `${base}${variant === 'full' ? '' : `-${variant}`}.webp`,
    ...{ width: 1440, height: 900, size: 5, mime: 'image/webp', sha256: '', url: '' },
    blob: async () => new Blob(['small']),
  })),
});

it.each([
  ['of 244 bytes', `${CJK}.jpg`],
  ['of 250 bytes', `${CJK}${'a'.repeat(6)}.jpg`],
  ['of 255 bytes', `${CJK}${'a'.repeat(11)}.jpg`],
])('an image with a name %s is listed, replaced and restored like others', async (_, name) => {
  const { folder, media } = await open(name, 'beach.jpg');
  await media.replace(name, replacementOf(name, CJK.slice(0, 60)));
  expect((await media.list({})).images.map(({ id, status }) => [id, status])).toEqual([
    [name, 'replaced'],
    ['beach.jpg', 'original'],
  ]);
  expect(await media.srcset(name)).toMatch(/ 1440w$/);
  expect(await media.restore(name)).toMatchObject({ restored: true });
  expect(await readdir(join(folder, '_imagewright'))).toEqual([]);
  expect(await readdir(join(folder, '.imagewright'))).toEqual([]);
  expect(await readFile(join(folder, name), 'utf8')).toBe(name);
});

it('the names of made files are cut between two characters', async () => {
  const name = `a${'𠮷'.repeat(50)}.jpg`;
  const { folder, media } = await open(name);
  const { variants, ...rest } = replacementOf(name, '');
  await media.replace(name, { ...rest, variants: variants.slice(1) });
  expect(await readdir(join(folder, '_imagewright'))).toEqual([
    expect.stringMatching(/^a𠮷{50}-1440w-[0-9a-f]{8}\.webp$/u),
  ]);
});

it('an address that is longer than any name gives no image', async () => {
  const { media } = await open('beach.jpg');
  await media.replace('beach.jpg', replacementOf('beach.jpg', 'beach'));
  const request = { url: `/${'a'.repeat(300)}.jpg` };
  const error = await new Promise((resolve) => media.serve(request as never, null, resolve));
  expect([error, request.url]).toEqual([undefined, `/${'a'.repeat(300)}.jpg`]);
});

it('the files of a long name in a folder of this computer keep room for their sizes', () => {
  const name = `a${CJK}bbb.jpg`;
  const paths = namePaths(`press/${name}`, replacementOf(name, 'at-the-service'), new Set(), new Set());
  expect(paths).toEqual([`press/a${'名'.repeat(71)}.webp`, `press/a${'名'.repeat(71)}-1440w.webp`]);
});

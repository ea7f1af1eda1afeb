import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { settingsSchema } from '#contract';
import type { Replacement } from '../../../plugin-bridge/host/index.ts';
import { imagewright, openMedia } from '../../../plugin-bridge/host/server/index.ts';

let base: string;
let folder: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'imagewright-links-'));
  folder = join(base, 'media');
  await mkdir(folder);
  await mkdir(join(base, 'outside'));
  await writeFile(join(base, 'outside/secret.jpg'), 'secret');
  await writeFile(join(folder, 'beach.jpg'), 'beach');
  onTestFinished(() => rm(base, { recursive: true, force: true }));
});

const openFolder = (files: string[], linkedFolders: string[] = []) =>
  openMedia({ folder, url: '/media', linkedFolders, list: () => files.map((file) => ({ id: file, file })) });

const replacement: Replacement = {
  original: { size: 5, width: 1, height: 1, format: 'jpeg' },
  ...{ metadata: null, sessionId: 'sess_1', imageId: 'img_1', settings: settingsSchema.parse({}) },
  variants: [
    {
      ...{
        name: 'full',
        filename: 'beach.webp',
        width: 1,
        height: 1,
        size: 5,
        mime: 'image/webp',
        sha256: '',
        url: '',
      },
      blob: async () => new Blob(['small']),
    },
  ],
};

describe('a link in the folder of openMedia', () => {
  it('to a file or folder outside is no image: neither read, listed as one, nor replaced', async () => {
    await symlink(join(base, 'outside/secret.jpg'), join(folder, 'link.jpg'));
    await symlink(join(base, 'outside'), join(folder, 'dir'));
    const media = openFolder(['beach.jpg', 'link.jpg', 'dir/secret.jpg']);
    for (const id of ['link.jpg', 'dir/secret.jpg']) {
      await expect(media.fetch(id, {})).rejects.toMatchObject({ code: 'not_found' });
      const secret = { ...replacement, original: { ...replacement.original, size: 6 } };
      await expect(media.replace(id, secret, {})).rejects.toMatchObject({ code: 'not_found' });
    }
    const { images } = await media.list({});
    expect(images.map(({ id, status }) => [id, status])).toEqual([
      ['beach.jpg', 'original'],
      ['link.jpg', 'unavailable'],
      ['dir/secret.jpg', 'unavailable'],
    ]);
    expect(images[1]).toMatchObject({ reason: expect.stringContaining('leads out of its folder') });
  });

  it('is followed inside, and into folders that an option names; the folder may be a link itself', async () => {
    await mkdir(join(folder, 'press'));
    await writeFile(join(folder, 'press/harbour.jpg'), 'harbour');
    await symlink('press/harbour.jpg', join(folder, 'link.jpg'));
    await symlink(join(base, 'outside'), join(folder, 'dir'));
    await symlink(folder, join(base, 'current'));
    folder = join(base, 'current');
    const media = openFolder(['link.jpg', 'dir/secret.jpg'], [join(base, 'outside')]);
    const texts = ['link.jpg', 'dir/secret.jpg'].map(async (id) => (await media.fetch(id, {})).text());
    expect(await Promise.all(texts)).toEqual(['harbour', 'secret']);
    const secret = { ...replacement, original: { ...replacement.original, size: 6 } };
    await media.replace('dir/secret.jpg', secret, {});
    expect((await media.list({})).images.map(({ status }) => status)).toEqual(['original', 'replaced']);
    // What is made stays in the folder.
    expect(await readdir(join(base, 'outside'))).toEqual(['secret.jpg']);
    expect(await media.restore('dir/secret.jpg', {})).toMatchObject({ restored: true });
  });

  it.each(['_imagewright', '.imagewright'])('in the place of %s takes nothing out of the folder', async (name) => {
    await symlink(join(base, 'outside'), join(folder, name));
    const media = openFolder(['beach.jpg']);
    await expect(media.replace('beach.jpg', replacement, {})).rejects.toMatchObject({ code: 'forbidden' });
    expect(await readdir(join(base, 'outside'))).toEqual(['secret.jpg']);
    expect(await readFile(join(base, 'outside/secret.jpg'), 'utf8')).toBe('secret');
  });
});

it('a malformed call gets a 400 that says what was expected, and nothing in the log', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => logged.mockRestore());
  const handler = imagewright({
    ...{ service: 'http://127.0.0.1:1', apiKey: 'iw_x', userOf: () => 'editor', host: openFolder(['beach.jpg']) },
  });
  const server = createServer(handler);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/media`;
  const original = { size: 5, width: 1, height: 1, format: 'jpeg' };
  const variant = { name: 'full', filename: 'a.webp', sha256: '', url: '/v1', width: 1, size: 1 };
  const calls: [string, unknown, RegExp][] = [
    ['%E0%A4%A/restore', {}, /id of the image/],
    ['%E0%A4%A/replace', {}, /id of the image/],
    ['beach.jpg/check', null, /body: expected an object, but received null/],
    ['beach.jpg/check', [], /body: expected an object, but received a list/],
    ['beach.jpg/check', { uploaded: 'x' }, /uploaded: expected an object, but received string/],
    ['beach.jpg/check', { uploaded: { size: '5' } }, /uploaded\.size: expected a number/],
    ['beach.jpg/restore', null, /expected an object/],
    ['beach.jpg/replace', {}, /original: expected an object, but received undefined/],
    ['beach.jpg/replace', { original }, /variants: expected a list/],
    ['beach.jpg/replace', { original, variants: [null] }, /variants\[0\]: expected an object, but received null/],
    ['beach.jpg/replace', { original, variants: [{ ...variant, url: 7 }] }, /variants\[0\]\.url: expected a text/],
    ['beach.jpg/replace', { original, variants: [variant], metadata: 'x' }, /metadata: expected an object/],
    ['beach.jpg/no-gain', { original, variants: [{}] }, /variants\[0\]\.name: expected a text/],
    ['beach.jpg/no-gain', { original: null, variants: [] }, /original: expected an object, but received null/],
  ];
  for (const [path, body, message] of calls) {
    const answer = await fetch(`${url}/${path}`, { method: 'POST', body: JSON.stringify(body) });
    expect([path, answer.status]).toEqual([path, 400]);
    expect(await answer.json()).toMatchObject({ code: 'failed', error: expect.stringMatching(message) });
  }
  for (const [body, status] of [
    ['{', 400],
    [`"${'a'.repeat(1 << 20)}"`, 413],
  ] as const) {
    expect((await fetch(`${url}/beach.jpg/check`, { method: 'POST', body })).status).toBe(status);
  }
  expect((await fetch(`${url}/%E0%A4%A/original`)).status).toBe(400);
  expect((await fetch(`${url}/%2e%2e%2fx.jpg/original`)).status).toBe(404);
  expect(logged).not.toHaveBeenCalled();
});

import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { openImageStore } from '../../../plugin-bridge/unplugin/image-store.ts';
// Loaded before the tests, which compare what a process has.
import '../../../server/processing/index.ts';
import { noiseImage, plainImage } from '../../support/small-images.ts';

let plain: Uint8Array;
let noise: Uint8Array;
beforeAll(async () => {
  plain = (await plainImage('a.png', { width: 60, height: 45, colour: '#204060', format: 'png' })).bytes;
  noise = (await noiseImage('b.png', { width: 700, height: 700, seed: 1 })).bytes;
});

async function newFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const sources = join(folder, 'in');
  await mkdir(sources);
  const write = async (name: string, bytes: Uint8Array) => {
    await writeFile(join(sources, name), bytes);
    return join(sources, name);
  };
  return { folder: join(folder, 'cache'), write };
}

it('cleaning up skips what another build takes away meanwhile', async () => {
  const { folder } = await newFolder();
  await mkdir(folder);
  // It is listed, and there is nothing: as a folder that another build has just renamed.
  await symlink(join(folder, 'renamed'), join(folder, '.8f6e'));
  await openImageStore({ folder, workers: 1 }).close();
  expect(await readdir(folder)).toEqual(['.8f6e']);
});

it('an image that cannot be read now is not removed, and one that is not whole is made again', async () => {
  const { folder, write } = await newFolder();
  const source = await write(`${'a'.repeat(250)}.png`, plain);
  const store = openImageStore({ folder, workers: 1 });
  const made = await store.make(source, { format: 'webp' });
  const [file] = made.files;
  const bytes = await readFile(file?.path ?? '');
  const [key = ''] = await readdir(folder);
  const record = join(folder, key, 'image.json');
  const text = await readFile(record);
  await rm(record);
  await mkdir(record);
  await expect(store.make(source, { format: 'webp' })).rejects.toThrow('EISDIR');
  expect(await readFile(file?.path ?? '')).toEqual(bytes);
  await rm(record, { recursive: true });
  for (const damage of [null, text.subarray(0, 30)]) {
    if (damage) await writeFile(record, damage);
    expect((await store.make(source, { format: 'webp' })).files).toEqual(made.files);
  }
  await store.close();
  expect(await readdir(folder)).toEqual([key]);
}, 60_000);

it('a build that ends does not end the images of another one', async () => {
  const { folder, write } = await newFolder();
  const [small, large] = [await write('small.png', plain), await write('large.png', noise)];
  const store = openImageStore({ folder, workers: 1 });
  await store.make(small, { format: 'webp' });
  const running = store.make(large, { format: 'webp' });
  const settled = running.then(
    () => 'made',
    (error: Error) => error.message,
  );
  await expect.poll(async () => (await readdir(folder)).filter((name) => name.startsWith('.'))).toHaveLength(1);
  await store.close();
  expect(await settled).toBe('made');
  // It can be used again.
  expect(await store.measure(small)).toEqual({ width: 60, height: 45 });
  await store.close();
}, 60_000);

import { expect, test } from 'vitest';
import { INPUT_FORMATS, type Limits } from '#contract';
import { acceptedTypes, NO_LIMITS } from '../../../../widget/state/index.ts';
import { createScriptedService } from '../scripted-service.ts';
import { fileOf, startOptimizer, startWithFiles } from '../started-optimizer.ts';

test('files of a type, or with an extension, that is not accepted are rejected in one event', async () => {
  const { optimizer, details } = startOptimizer();
  const { added, rejections } = await optimizer.addFiles([
    fileOf('good.jpg'),
    fileOf('no-type.JPEG', { type: '' }),
    fileOf('notes.txt', { type: 'text/plain' }),
    fileOf('vector.svg', { type: 'image/svg+xml' }),
    fileOf('empty.png', { size: 0, type: 'image/png' }),
  ]);
  expect(added.map(({ name }) => name)).toEqual(['good.jpg', 'no-type.JPEG']);
  expect(rejections.map(({ name, code }) => [name, code])).toEqual([
    ['notes.txt', 'type'],
    ['vector.svg', 'type'],
    ['empty.png', 'empty'],
  ]);
  expect(details('io-reject')).toHaveLength(1);
  expect(optimizer.notices).toMatchObject([{ kind: 'warning', message: 'reject.count 3 5', files: rejections }]);
});

test('a HEIC photograph is refused with a text of its own, also under another name', async () => {
  const { optimizer } = startOptimizer();
  const disguised = new File(['\0\0\0\x18ftypheic\0\0\0\0'], 'photo.jpg', { type: 'image/jpeg' });
  const { rejections } = await optimizer.addFiles([fileOf('IMG_1.HEIC', { type: '' }), disguised]);
  expect(rejections.map(({ code, message }) => [code, message])).toEqual([
    ['type', expect.stringContaining('reject.heic IMG_1.HEIC')],
    ['type', expect.stringContaining('reject.heic photo.jpg')],
  ]);
});

test('a HEIC photograph is added where the service reads it, unless the page names other types', async () => {
  const formats = { formats: [...INPUT_FORMATS] };
  const transport = { ...createScriptedService().transport, getLimits: async () => formats as Limits };
  const disguised = new File(['\0\0\0\x18ftypheic\0\0\0\0'], 'photo.jpg', { type: 'image/jpeg' });
  const files = [fileOf('IMG_1.HEIC', { type: '' }), fileOf('camera.hif', { type: '' }), disguised];
  const { added, rejections } = await startOptimizer({ transport }).optimizer.addFiles(files);
  expect([added.map(({ name }) => name), rejections]).toEqual([['IMG_1.HEIC', 'camera.hif', 'photo.jpg'], []]);
  const strict = startOptimizer({ transport, restrictions: { accept: 'image/png' } });
  expect((await strict.optimizer.addFiles([fileOf('IMG_1.HEIC', { type: '' })])).rejections).toMatchObject([
    { code: 'type', message: expect.stringMatching(/^reject.type/) },
  ]);
  expect(acceptedTypes(NO_LIMITS.accept, formats)).toMatch(
    /^image\/jpeg,.*,image\/heic,image\/heif,\.heic,\.heif,\.hif$/,
  );
  expect(acceptedTypes(NO_LIMITS.accept, {})).toBe(NO_LIMITS.accept);
  expect(acceptedTypes('image/*', formats)).toBe('image/*');
});

test('a file is asked for its size and age once: each question is a visit to the disk', async () => {
  const { optimizer } = startOptimizer({ restrictions: { maxTotalSize: 1000, maxFileSize: 900 }, autoUpload: false });
  const asked = { size: 0, lastModified: 0 };
  const file = fileOf('a.jpg', { size: 400 });
  for (const name of ['size', 'lastModified'] as const) {
    const value = file[name];
    const get = () => {
      asked[name] += 1;
      return value;
    };
    Object.defineProperty(file, name, { get });
  }
  const { added } = await optimizer.addFiles([file]);
  expect(added).toMatchObject([{ name: 'a.jpg', size: 400 }]);
  expect(asked).toEqual({ size: 1, lastModified: 1 });
});

test('limits of size, sum and number count what is there and what comes', async () => {
  const limits = { maxFiles: 4, maxFileSize: 500, maxTotalSize: 1000 };
  const { optimizer } = startOptimizer({ restrictions: limits, autoUpload: false });
  await optimizer.addFiles([fileOf('a.jpg', { size: 400 })]);
  const { rejections } = await optimizer.addFiles([
    fileOf('large.jpg', { size: 501 }),
    fileOf('b.jpg', { size: 400 }),
    fileOf('sum.jpg', { size: 300 }),
    fileOf('c.jpg', { size: 100 }),
    fileOf('d.jpg', { size: 50 }),
    fileOf('e.jpg', { size: 10 }),
  ]);
  expect(rejections.map(({ name, code }) => [name, code])).toEqual([
    ['large.jpg', 'size'],
    ['sum.jpg', 'total'],
    ['e.jpg', 'count'],
  ]);
});

test('the same file is added once, and again after it was removed', async () => {
  const { optimizer, ids } = startOptimizer({ autoUpload: false });
  await optimizer.addFiles([fileOf('a.jpg'), fileOf('a.jpg')]);
  expect(optimizer.items.size).toBe(1);
  optimizer.remove(ids()[0] ?? '');
  const { added } = await optimizer.addFiles([fileOf('a.jpg')]);
  expect(added).toHaveLength(1);
});

test('a file that cannot be read and one that the page refuses are rejected', async () => {
  const gone = fileOf('gone.jpg');
  gone.slice = () => {
    throw new DOMException('moved', 'NotReadableError');
  };
  const validate = async (file: Blob & { name?: string }) => (file.name === 'bad.jpg' ? 'Not this one' : null);
  const { optimizer } = startOptimizer({ restrictions: { validate }, autoUpload: false });
  const { added, rejections } = await optimizer.addFiles([gone, fileOf('bad.jpg'), fileOf('good.jpg')]);
  expect(added).toHaveLength(1);
  expect(rejections.map(({ code, message }) => [code, message])).toEqual([
    ['unreadable', expect.stringContaining('reject.unreadable gone.jpg')],
    ['custom', 'Not this one'],
  ]);
});

test('two batches at once respect one limit', async () => {
  const { optimizer } = startOptimizer({ restrictions: { maxFiles: 3 }, autoUpload: false });
  const batches = await Promise.all([
    optimizer.addFiles([fileOf('a.jpg'), fileOf('b.jpg')]),
    optimizer.addFiles([fileOf('c.jpg'), fileOf('d.jpg')]),
  ]);
  expect(optimizer.items.size).toBe(3);
  expect(batches[1]?.rejections).toMatchObject([{ name: 'd.jpg', code: 'count' }]);
});

test('a listener can keep files from being added', async () => {
  const { optimizer, details } = startOptimizer();
  optimizer.on((event) => {
    if (event.type === 'io-before-add') event.preventDefault();
  });
  expect(await optimizer.addFiles([fileOf('a.jpg')], 'drop')).toEqual({ added: [], rejections: [] });
  expect(details('io-before-add')).toMatchObject([{ source: 'drop', files: [{ name: 'a.jpg' }] }]);
  expect(optimizer.items.size).toBe(0);
});

test('media of the CMS come with their id and texts, fetched by the page', async () => {
  const { optimizer, service, env } = startOptimizer();
  const media = { id: 42, url: 'https://cms.example/uploads/tower.jpg?v=2', title: 'Tower', alt: 'A tower' };
  await optimizer.addItems([media]);
  await env.advance(20);
  expect(service.uploads).toMatchObject([{ name: 'tower.jpg', session: null }]);
  expect(optimizer.items.list()).toMatchObject([
    {
      clientRef: '42',
      status: 'ready',
      metadata: { title: 'Tower', alt: 'A tower' },
      origins: { title: 'cms', alt: 'cms' },
    },
  ]);
});

test('five hundred files: rows come in chunks, each list notification is for many', async () => {
  const { optimizer, env } = startOptimizer({ autoUpload: false });
  let told = 0;
  optimizer.items.subscribeList(() => {
    told += 1;
  });
  await optimizer.addFiles(Array.from({ length: 500 }, (_, index) => fileOf(`${index}.jpg`, { size: 10 })));
  await env.advance(20);
  expect(optimizer.items.size).toBe(500);
  expect(told).toBeLessThanOrEqual(20);
  expect(told).toBeGreaterThan(0);
});

test('the first rows wait for few files, however long the others take to be read', async () => {
  const { optimizer } = startOptimizer({ autoUpload: false });
  let release = () => {};
  const read = new Promise<ArrayBuffer>((resolve) => {
    release = () => resolve(new TextEncoder().encode('GIF89a').buffer);
  });
  const files = Array.from({ length: 40 }, (_, index) => {
    const file = fileOf(`${index}.jpg`, { size: 10 });
    return index < 8 ? file : Object.assign(file, { slice: () => ({ arrayBuffer: () => read }) });
  });
  const adding = optimizer.addFiles(files);
  await expect.poll(() => optimizer.items.size).toBe(8);
  release();
  await adding;
  expect(optimizer.items.list().map(({ name }) => name)).toEqual(files.map(({ name }) => name));
});

test('clearing takes all images out and forgets the session', async () => {
  const { optimizer, env, details } = await startWithFiles(3);
  expect(optimizer.sessionId).toBe('sess_1');
  optimizer.clear();
  await env.advance(20);
  expect(optimizer).toMatchObject({ sessionId: null, state: 'empty' });
  expect(details('io-remove')).toMatchObject([{ items: [{}, {}, {}] }]);
  expect(env.stored.size).toBe(0);
});

import { expect, test } from 'vitest';
import { apiError, completed, createScriptedService, resultOf } from './scripted-service.ts';
import { startWithFiles } from './started-optimizer.ts';

/** Two exported images. */
async function exported(replace: Parameters<typeof createScriptedService>[0] = {}) {
  const started = await startWithFiles(2, {}, { service: createScriptedService(replace) });
  const { optimizer, service, env, ids } = started;
  const run = optimizer.exportImages();
  await env.advance(20);
  service.exports[0]?.run.push(completed([resultOf('img_1'), resultOf('img_2')]));
  await run;
  return { ...started, first: ids()[0] ?? '' };
}

test('a download gives the bytes and the name', async () => {
  const { optimizer, first, details } = await exported();
  const file = await optimizer.download(first);
  expect(file?.filename).toBe('img_1.webp');
  expect(await file?.blob.text()).toBe('sess_1/img_1.webp');
  expect(details('io-download')).toMatchObject([{ id: first, imageId: 'img_1', variant: 'full', url: '/img_1.webp' }]);
});

test('a listener can take the download over', async () => {
  const { optimizer, first } = await exported();
  let taken = '';
  optimizer.on((event) => {
    if (event.type !== 'io-download') return;
    event.preventDefault();
    event.detail.waitUntil(
      event.detail.blob().then(async (blob) => {
        taken = await blob.text();
      }),
    );
  });
  expect(await optimizer.download(first)).toBeNull();
  expect(taken).toBe('sess_1/img_1.webp');
});

test('a variant that does not exist, and a download that fails, say so', async () => {
  const { optimizer, first, details } = await exported({
    downloadFile: async () => {
      throw apiError(404, 'file_not_found');
    },
  });
  await expect(optimizer.download(first, '99w')).rejects.toMatchObject({ code: 'not_found' });
  await expect(optimizer.download(first)).rejects.toMatchObject({ status: 404 });
  expect(details('io-error')).toMatchObject([{ phase: 'download', error: { code: 'not_found' } }]);
});

test('a replacement is pending until the CMS is done with it, and its outcome is shown', async () => {
  const { optimizer, env, ids, details } = await exported();
  const ends: { resolve(): void; reject(error: Error): void }[] = [];
  optimizer.on((event) => {
    if (event.type !== 'io-replace') return;
    event.detail.waitUntil(new Promise<void>((resolve, reject) => ends.push({ resolve, reject })));
  });
  const replaced = ids().map((id) => optimizer.replace(id));
  await env.advance(20);
  expect(optimizer.items.list().map(({ replacement }) => replacement?.status)).toEqual(['pending', 'pending']);
  ends[0]?.resolve();
  ends[1]?.reject(new Error('The media library is read-only'));
  await Promise.all(replaced);
  expect(optimizer.items.list().map(({ replacement }) => replacement)).toEqual([
    { status: 'replaced', message: null },
    { status: 'failed', message: 'The media library is read-only' },
  ]);
  expect(details('io-error')).toMatchObject([{ phase: 'replace' }]);
});

test.each([
  ['larger', undefined, 'The result would be larger.'],
  ['unsupported', undefined, 'This format cannot be used here.'],
  ['network', undefined, null],
  ['insufficient_credits', 402, null],
])(
  'a replacement that failed is told in the words of the CMS, unless it is of the service (%s)',
  async (code, status, expected) => {
    const { optimizer, first } = await exported();
    const said = expected ?? 'raw words';
    optimizer.on((event) => {
      const error = Object.assign(new Error(said), { code, ...(status && { status }) });
      if (event.type === 'io-replace') event.detail.waitUntil(Promise.reject(error));
    });
    await optimizer.replace(first);
    const { message } = optimizer.items.get(first)?.replacement ?? {};
    if (expected) expect(message).toBe(expected);
    else expect(message).not.toMatch(/^(raw words)?$/);
  },
);

test('a page without a place for replacements says so instead of doing nothing', async () => {
  const { optimizer, first, details } = await exported();
  await optimizer.replace(first);
  expect(details('io-error')).toMatchObject([{ phase: 'replace', error: { code: 'unsupported' } }]);
});

test('the samples picked without a choice are five at most, of all formats', async () => {
  const { pickSamples } = await import('../../../widget/state/index.ts');
  const { optimizer } = await startWithFiles(9);
  const items = optimizer.items.list();
  const last = items[8];
  if (!last?.image) throw new Error('expected nine images');
  const mixed = [...items.slice(0, 8), { ...last, image: { ...last.image, format: 'png' as const } }];
  const picked = pickSamples(mixed);
  expect(picked).toHaveLength(5);
  expect(picked.map(({ image }) => image?.format)).toContain('png');
  await expect(optimizer.sample(items.slice(0, 6).map(({ id }) => id))).rejects.toThrow(RangeError);
});

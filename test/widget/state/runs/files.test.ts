import { expect, test } from 'vitest';
import { apiError, completed, connectionError, createScriptedService, resultOf } from '../scripted-service.ts';
import { startWithFiles } from '../started-optimizer.ts';

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

test('of an export with onlySmaller, replacing offers the first file, and what was not delivered counts as unchanged', async () => {
  const { optimizer, service, env, ids, details } = await startWithFiles(2);
  const [file] = resultOf('img_1').variants;
  const sizes = resultOf('img_1', { filename: null, variants: file ? [{ ...file, name: '30w' }] : [] });
  const warnings = [{ code: 'no_gain', message: '' }];
  const run = optimizer.exportImages();
  await env.advance(20);
  service.exports[0]?.run.push(
    completed([sizes, resultOf('img_2', { filename: null, variants: [], creditsCharged: 0, warnings })]),
  );
  expect(await run).toMatchObject({ succeeded: 2, failed: 0, bytesBefore: 2000, bytesAfter: 2000, credits: 1 });
  const [first = '', second = ''] = ids();
  await optimizer.replace(first).catch(() => {});
  expect(details('io-replace')).toMatchObject([{ id: first, variant: '30w' }]);
  await expect(optimizer.replace(second)).rejects.toMatchObject({ code: 'not_found' });
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

/** An export of three images whose downloads fail as `broken` says, by file name. */
async function threeExported(broken: Map<string, Error>) {
  const asked: string[] = [];
  const service = createScriptedService({
    async downloadFile(_, filename) {
      asked.push(filename);
      const error = broken.get(filename);
      if (error) throw error;
      return new Blob([filename]);
    },
  });
  const started = await startWithFiles(3, {}, { service });
  const { optimizer, env, said } = started;
  const run = optimizer.exportImages();
  await env.advance(20);
  service.exports[0]?.run.push(completed(['img_1', 'img_2', 'img_3'].map((id) => resultOf(id))));
  await run;
  await env.advance(5000);
  said.length = 0;
  const saved: string[] = [];
  const downloadAll = async (again?: boolean) => {
    const all = optimizer.downloadAll((_, filename) => saved.push(filename), again);
    await env.advance(5000);
    return all;
  };
  const messages = () => optimizer.notices.flatMap(({ files }) => files.map(({ message }) => message));
  return { ...started, asked, saved, downloadAll, messages };
}

test('all files are downloaded although one fails; it is named with its reason, and comes with the next try', async () => {
  const broken = new Map([['img_1.webp', connectionError()]]);
  const { optimizer, saved, said, downloadAll, messages, asked, details } = await threeExported(broken);
  await downloadAll();
  expect(saved).toEqual(['img_2.webp', 'img_3.webp']);
  expect(optimizer.notices).toMatchObject([{ kind: 'error', phase: 'download', actions: ['download-missing'] }]);
  expect(messages()).toEqual([expect.stringContaining('img_1.webp · error.network')]);
  expect(said).toEqual([
    { text: 'notice.download_failed 1', urgency: 'assertive' },
    { text: 'announce.done.download 2', urgency: 'polite' },
  ]);
  expect(details('io-error')).toMatchObject([{ phase: 'download', error: { code: 'network' } }]);
  expect(optimizer.saving).toBeNull();

  broken.clear();
  asked.length = 0;
  await downloadAll(true);
  expect(asked).toEqual(['img_1.webp']);
  expect(saved).toEqual(['img_2.webp', 'img_3.webp', 'img_1.webp']);
  expect(optimizer.notices).toEqual([]);
  expect(said.at(-1)).toEqual({ text: 'announce.done.download 1', urgency: 'polite' });
});

test('a file that is missing is no longer so once it is downloaded alone, or its image is removed', async () => {
  const broken = new Map(['img_1', 'img_2', 'img_3'].map((name) => [`${name}.webp`, apiError(500, 'internal_error')]));
  const { optimizer, downloadAll, messages, ids } = await threeExported(broken);
  await downloadAll();
  expect(messages()).toHaveLength(3);
  expect(optimizer.notices[0]?.message).toBe('notice.download_failed 3');
  broken.delete('img_2.webp');
  const [first = '', second = ''] = ids();
  await optimizer.download(second);
  expect(messages().join()).not.toContain('img_2');
  optimizer.remove(first);
  await downloadAll(true);
  expect(messages()).toEqual([expect.stringContaining('img_3.webp · ')]);
});

test('nothing more is asked for where every answer would be no, and all that is missing is named', async () => {
  const { asked, saved, messages, downloadAll, optimizer } = await threeExported(
    new Map([['img_1.webp', apiError(401, 'missing_api_key')]]),
  );
  await downloadAll();
  expect([asked, saved]).toEqual([['img_1.webp'], []]);
  expect(messages().map((message) => message.split(' ')[0])).toEqual(['img_1.webp', 'img_2.webp', 'img_3.webp']);
  expect(optimizer.state).toBe('done');
  optimizer.dismiss(optimizer.notices[0]?.id ?? '');
  await downloadAll(true);
  expect(asked).toEqual(['img_1.webp']);
});

test('no connection keeps the rest for later, and what is gone for good is not offered again', async () => {
  const broken = new Map<string, Error>([['img_1.webp', connectionError()]]);
  const { asked, downloadAll, optimizer, env, saved } = await threeExported(broken);
  env.setOnline(false);
  await downloadAll();
  expect(asked).toEqual(['img_1.webp']);
  expect(optimizer.notices[0]?.files).toHaveLength(3);
  env.setOnline(true);
  broken.set('img_1.webp', apiError(404, 'file_not_found'));
  await downloadAll(true);
  expect(saved).toEqual(['img_2.webp', 'img_3.webp']);
  expect(optimizer.notices).toMatchObject([{ files: [{ name: 'img_1.webp' }], actions: [] }]);
});

test('a second press while files are downloaded begins nothing', async () => {
  const { asked, optimizer, env } = await threeExported(new Map());
  const first = optimizer.downloadAll(() => {});
  await env.advance(0);
  expect(optimizer.saving).toEqual({ index: 1, count: 3 });
  await optimizer.downloadAll(() => {});
  await env.advance(1000);
  await first;
  expect(asked).toHaveLength(3);
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
  const { pickSamples } = await import('../../../../widget/state/index.ts');
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

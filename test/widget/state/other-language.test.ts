import { expect, test } from 'vitest';
import { apiError, completed, connectionError, failedResult, resultOf } from './scripted-service.ts';
import { fileOf, startWithFiles } from './started-optimizer.ts';

test('whatever is in sight is in the language that is spoken now, not in the one it came in', async () => {
  let language = 'en';
  const translate = (key: string, params: object = {}) => [language, key, ...Object.values(params)].join(' ');
  const { optimizer, service, env, ids } = await startWithFiles(2, {
    translate,
    restrictions: { maxFileSize: 5000 },
    formatBytes: (bytes) => `${bytes} ${language} bytes`,
  });
  const { transport } = service;
  const messages = () => optimizer.notices.map(({ id, message }) => [id, message]);

  await optimizer.addFiles([fileOf('notes.txt', { type: 'text/plain' }), fileOf('large.jpg', { size: 9000 })]);
  await optimizer.addFiles([fileOf('photo.heic', { type: 'image/heic' })]);
  expect(messages()).toEqual([['rejected', 'en reject.heic photo.heic 5000 en bytes 0 HEIC 1000 en bytes']]);
  language = 'de';
  expect(messages()).toEqual([['rejected', 'de reject.heic photo.heic 5000 de bytes 0 HEIC 1000 de bytes']]);
  await optimizer.addFiles([fileOf('notes.txt', { type: 'text/plain' }), fileOf('large.jpg', { size: 9000 })]);
  language = 'fr';
  const [rejected] = optimizer.notices;
  expect(rejected?.message).toBe('fr reject.count 2 2');
  expect(rejected?.files.map(({ message }) => message.split(' ').slice(0, 3).join(' '))).toEqual([
    'fr reject.type notes.txt',
    'fr reject.size large.jpg',
  ]);
  expect(rejected?.files[1]?.message).toContain('5000 fr bytes');
  optimizer.dismiss('rejected');

  const exported = optimizer.exportImages();
  await env.advance(20);
  service.exports[0]?.run.push(completed([resultOf('img_1'), failedResult('img_2', 'processing_failed')]));
  await exported;
  language = 'es';
  expect(messages()).toEqual([['failed-export', 'es notice.export_failed 1']]);
  expect(optimizer.items.get(ids()[1] ?? '')?.error?.message).toMatch(/^es error\.processing_failed/);
  optimizer.dismiss('failed-export');

  const refuse = async () => {
    throw apiError(404, 'file_not_found');
  };
  optimizer.configure({ transport: { ...transport, downloadFile: refuse } });
  await optimizer.download(ids()[0] ?? '').catch(() => {});
  language = 'ja';
  expect(messages()).toEqual([['error-download', expect.stringMatching(/^img_1\.webp · ja error\./)]]);
  optimizer.dismiss('error-download');

  optimizer.on((event) => {
    if (event.type === 'io-replace') event.detail.waitUntil(Promise.reject(connectionError()));
  });
  await optimizer.replace(ids()[0] ?? '');
  language = 'ar';
  expect(optimizer.items.get(ids()[0] ?? '')?.replacement?.message).toMatch(/^ar error\.network/);

  void optimizer.retry();
  await env.advance(20);
  service.exports[1]?.run.fail(connectionError('stream_interrupted'));
  await env.advance(20);
  language = 'de';
  expect(messages()).toEqual([['error-export', expect.stringMatching(/^de error\.stream_interrupted/)]]);
  expect(optimizer.items.get(ids()[1] ?? '')?.error).toMatchObject({
    message: expect.stringMatching(/^de error\.stream_interrupted/),
    phase: 'export',
    ids: [ids()[1]],
  });

  optimizer.configure({
    transport: {
      ...transport,
      updateImage: async () => {
        throw apiError(400, 'invalid_request');
      },
    },
  });
  optimizer.setMetadata(ids()[0] ?? '', 'title', 'Not saved');
  await env.advance(2000);
  language = 'en';
  expect(messages().at(-1)).toEqual(['error-save', 'en notice.save_failed 1']);
});

test('a page’s own words stay what they are', async () => {
  let language = 'en';
  const translate = (key: string) => `${language} ${key}`;
  const { optimizer, ids } = await startWithFiles(1, {
    translate,
    restrictions: { validate: async () => 'Not today' },
  });
  expect(ids()).toEqual([]);
  language = 'de';
  expect(optimizer.notices).toMatchObject([{ message: 'Not today' }]);
});

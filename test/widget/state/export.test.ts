import { expect, test } from 'vitest';
import { apiError, completed, connectionError, failedResult, progressed, resultOf } from './scripted-service.ts';
import { startOptimizer, startWithFiles } from './started-optimizer.ts';
import { createTestEnvironment } from './test-environment.ts';

test.each([
  [1, 50, [1]],
  [50, 50, [50]],
  [51, 50, [50, 1]],
  [99, 99, [99]],
  [120, 50, [50, 50, 20]],
])('%i images in batches of %i go one after the other', async (count, batchSize, sizes) => {
  const { optimizer, service, env, details } = await startWithFiles(count, { batchSize });
  await env.advance(1000);
  const exported = optimizer.exportImages();
  for (let batch = 0; batch < sizes.length; batch += 1) {
    await env.advance(20);
    expect(service.exports).toHaveLength(batch + 1);
    const { images, run } = service.exports[batch] ?? { images: [] };
    run?.push(completed(images.map((id) => resultOf(id))));
  }
  const outcome = await exported;
  await env.advance(20);
  expect(service.exports.map(({ images }) => images.length)).toEqual(sizes);
  expect(new Set(service.exports.map(({ key }) => key)).size).toBe(sizes.length);
  expect(outcome).toMatchObject({ succeeded: count, failed: 0, credits: count, bytesBefore: count * 1000 });
  expect(details('io-export')).toHaveLength(1);
  expect(details('io-before-export')).toMatchObject([{ batches: sizes.length, cost: count }]);
  expect(optimizer.state).toBe('done');
});

test('a listener can prevent the export before anything is sent', async () => {
  const { optimizer, service } = await startWithFiles(1);
  optimizer.on((event) => {
    if (event.type === 'io-before-export') event.preventDefault();
  });
  expect(await optimizer.exportImages()).toBeNull();
  expect(service.exports).toEqual([]);
});

test('progress is live: rows, the whole, and events', async () => {
  const { optimizer, service, env, details, ids } = await startWithFiles(2);
  void optimizer.exportImages();
  await env.advance(20);
  const run = service.exports[0]?.run;
  run?.push(progressed('img_1', 'queued', { status: 'queued' }));
  run?.push(progressed('img_1', 'optimize'));
  await env.advance(300);
  run?.push(progressed('img_1', 'a-step-of-tomorrow'));
  await env.advance(300);
  expect(optimizer.items.list()[0]).toMatchObject({ status: 'exporting', step: 'a-step-of-tomorrow', progress: 0.5 });
  expect(optimizer.progress).toMatchObject({
    phase: 'export',
    done: 0,
    total: 2,
    fraction: 0.25,
    batch: 1,
    batches: 1,
  });
  run?.push(progressed('img_1', 'done', { status: 'completed', current: 1 }));
  await env.advance(300);
  expect(optimizer.progress).toMatchObject({ done: 1, fraction: 0.5 });
  expect(details('io-export-progress').at(-1)).toMatchObject({
    id: ids()[0],
    imageId: 'img_1',
    status: 'completed',
    aggregate: 0.5,
  });
});

test('only failures are exported again, with a key of their own', async () => {
  const { optimizer, service, env } = await startWithFiles(3);
  const exported = optimizer.exportImages();
  await env.advance(20);
  service.exports[0]?.run.push(completed([resultOf('img_1'), failedResult('img_2'), resultOf('img_3')]));
  expect(await exported).toMatchObject({ succeeded: 2, failed: 1, credits: 2 });
  expect(optimizer.items.list().map(({ status }) => status)).toEqual(['done', 'failed', 'done']);
  expect(optimizer.notices).toMatchObject([{ message: 'notice.export_failed 1', actions: ['retry'] }]);
  void optimizer.retry();
  await env.advance(20);
  expect(service.exports[1]?.images).toEqual(['img_2']);
  expect(service.exports[1]?.key).not.toBe(service.exports[0]?.key);
});

test('what has its files is not paid for again; other settings or names make it new', async () => {
  const { optimizer, service, env, ids } = await startWithFiles(2);
  const exported = optimizer.exportImages();
  await env.advance(20);
  service.exports[0]?.run.push(completed([resultOf('img_1'), resultOf('img_2')]));
  await exported;
  expect(await optimizer.exportImages()).toBeNull();
  expect(await optimizer.exportImages(ids())).toBeNull();
  optimizer.setMetadata(ids()[0] ?? '', 'alt', 'A text is not in the file');
  expect(optimizer.counts.toExport).toBe(0);
  optimizer.setMetadata(ids()[0] ?? '', 'filename', 'another-name');
  expect(optimizer.counts.toExport).toBe(1);
  optimizer.setSettings({ format: 'avif' });
  expect(optimizer.items.list().map(({ stale, status }) => [stale, status])).toEqual(Array(2).fill([true, 'ready']));
  optimizer.setSettings({ format: 'webp' });
  expect(optimizer.items.list().map(({ stale }) => stale)).toEqual([true, false]);
});

test('402 keeps every edit, says the numbers and offers as many as the balance is enough for', async () => {
  const { optimizer, service, env, ids, details } = await startWithFiles(3);
  service.balance = 2;
  optimizer.setMetadata(ids()[0] ?? '', 'alt', 'Kept');
  const exported = optimizer.exportImages();
  await env.advance(20);
  const details402 = { balance: 2, required: 3, shortfall: 1 };
  service.exports[0]?.run.fail(apiError(402, 'insufficient_credits', details402));
  expect(await exported).toBeNull();
  await env.advance(1000);
  expect(details('io-error')).toMatchObject([
    { phase: 'export', error: { code: 'insufficient_credits', ...details402 } },
  ]);
  expect(optimizer.notices).toMatchObject([{ actions: ['export-first', 'check-cost'] }]);
  expect(optimizer.items.list()[0]).toMatchObject({ status: 'ready', metadata: { alt: 'Kept' }, error: null });
  expect(optimizer.cost).toMatchObject({ affordable: 2, sufficient: false });
  void optimizer.exportImages(undefined, { first: optimizer.cost?.affordable });
  await env.advance(20);
  expect(service.exports[1]?.images).toEqual(['img_1', 'img_2']);
});

test('a batch whose end is not known is sent again with the same key and the same images', async () => {
  const { optimizer, service, env } = await startWithFiles(3);
  const exported = optimizer.exportImages();
  await env.advance(20);
  service.exports[0]?.run.fail(connectionError('stream_interrupted'));
  await exported;
  expect(optimizer.items.list().map(({ status, error }) => [status, error?.code])).toEqual(
    Array(3).fill(['failed', 'stream_interrupted']),
  );
  void optimizer.retry();
  await env.advance(20);
  const [first, second] = service.exports;
  expect(second).toMatchObject({ key: first?.key, images: first?.images, settings: first?.settings });
});

test('a batch that ended after all is found at the service instead of being sent again', async () => {
  const { optimizer, service, env } = await startWithFiles(1);
  const exported = optimizer.exportImages();
  await env.advance(20);
  service.exports[0]?.run.fail(connectionError('stream_interrupted'));
  await exported;
  const job = {
    jobId: 'job_1',
    sessionId: 'sess_1',
    kind: 'export' as const,
    status: 'completed' as const,
    current: 1,
    total: 1,
    createdAt: '',
    finishedAt: '',
    settings: {
      format: 'webp' as const,
      preset: 'high' as const,
      responsive: false,
      embedMetadata: false,
      keepCopyright: true,
    },
    options: null,
    summary: null,
    credits: null,
    error: null,
  };
  service.session.jobs = [job];
  service.jobs.set('job_1', { ...job, results: [resultOf('img_1')] });
  void optimizer.retry();
  await env.advance(20);
  expect(service.exports).toHaveLength(1);
  expect(optimizer.items.list()[0]).toMatchObject({ status: 'done', error: null });
});

test('the service is never asked a second time by itself after it refused', async () => {
  for (const [status, code] of [
    [400, 'invalid_request'],
    [402, 'insufficient_credits'],
    [500, 'internal_error'],
    [429, 'rate_limited'],
  ] as const) {
    const { optimizer, service, env } = await startWithFiles(1);
    const exported = optimizer.exportImages();
    await env.advance(20);
    service.exports[0]?.run.fail(apiError(status, code));
    await exported;
    await env.advance(120_000);
    expect(service.exports).toHaveLength(1);
  }
});

test('cancel keeps what was finished and sends no further batch', async () => {
  const { optimizer, service, env } = await startWithFiles(4, { batchSize: 2 });
  const exported = optimizer.exportImages();
  await env.advance(20);
  const run = service.exports[0]?.run;
  run?.push(progressed('img_1', 'done', { status: 'completed', current: 1 }));
  await env.advance(20);
  optimizer.cancel();
  await env.advance(20);
  expect(run?.cancelled).toBe(true);
  run?.push(completed([resultOf('img_1'), failedResult('img_2', 'job_cancelled')]));
  expect(await exported).toMatchObject({ succeeded: 1, failed: 0, credits: 1 });
  await env.advance(20);
  expect(service.exports).toHaveLength(1);
  expect(optimizer.items.list().map(({ status }) => status)).toEqual(['done', 'ready', 'ready', 'ready']);
});

test('an export waits for texts that are on their way, and does not start when they cannot be saved', async () => {
  const { optimizer, service, env, ids } = await startWithFiles(1);
  optimizer.setMetadata(ids()[0] ?? '', 'filename', 'new-name');
  service.transport.updateImage = async () => {
    throw connectionError();
  };
  optimizer.configure({ transport: service.transport });
  expect(await optimizer.exportImages()).toBeNull();
  await env.advance(20);
  expect(service.exports).toEqual([]);
  expect(optimizer.items.list()[0]?.saving).toBe('failed');
});

test('the price is asked for after a pause, again when the number changes, and not while files are uploaded', async () => {
  const { optimizer, service, env, details } = await startWithFiles(3);
  await env.advance(1000);
  expect(service.checks).toEqual([3]);
  expect(optimizer.cost).toMatchObject({ images: 3, cost: 3, balance: 25, affordable: 3, sufficient: true });
  expect(optimizer.balance).toBe(25);
  expect(details('io-cost')).toEqual([{ images: 3, cost: 3, balance: 25, sufficient: true }]);
  optimizer.remove(optimizer.items.list()[0]?.id ?? '');
  await env.advance(1000);
  expect(service.checks).toEqual([3, 2]);
});

test('a reload in the middle of an export joins its job', async () => {
  const stored = new Map<string, string>();
  const before = await startWithFiles(2, {}, { env: createTestEnvironment(stored) });
  void before.optimizer.exportImages();
  await before.env.advance(20);
  before.service.exports[0]?.run.push(progressed('img_1', 'optimize'));
  await before.env.advance(20);
  before.optimizer.dispose();
  await before.env.advance(20);
  expect(before.service.exports[0]?.run).toMatchObject({ cancelled: false, closed: true });

  const { service } = before;
  const settings = {
    format: 'webp',
    preset: 'high',
    responsive: false,
    embedMetadata: false,
    keepCopyright: true,
  } as const;
  const job = {
    jobId: 'job_1',
    sessionId: 'sess_1',
    kind: 'export',
    status: 'processing',
    current: 0,
    total: 2,
  } as const;
  const rest = { createdAt: '', finishedAt: null, options: null, summary: null, credits: null, error: null };
  service.session.jobs = [{ ...job, ...rest, settings }];
  const after = startOptimizer({}, { service, env: createTestEnvironment(stored) });
  await after.optimizer.attach('sess_1');
  await after.env.advance(20);
  expect(after.optimizer.state).toBe('exporting');
  expect(service.follows).toMatchObject([{ jobId: 'job_1' }]);
  service.follows[0]?.run.push(completed([resultOf('img_1'), resultOf('img_2')]));
  await after.env.advance(20);
  expect(after.optimizer.state).toBe('done');
  expect(service.exports).toHaveLength(1);
  expect(JSON.parse(stored.get('imagewright:sess_1') ?? '{}').batches).toEqual([]);
});

import { expect, test } from 'vitest';
import { fileOf, startOptimizer } from '../started-optimizer.ts';
import { settle } from '../test-environment.ts';
import { createSlowService, files } from './slow-uploads.ts';

test('the first file creates the session alone, then three go at a time, one file a request', async () => {
  const { service, open } = createSlowService();
  const { optimizer, env } = startOptimizer({}, { service });
  await optimizer.addFiles(files(6));
  await env.advance(20);
  expect(open.map(({ name }) => name)).toEqual(['new 0.jpg']);
  open[0]?.finish();
  await settle();
  expect(open.map(({ name }) => name)).toEqual(['new 0.jpg', '1.jpg', '2.jpg', '3.jpg']);
  open[2]?.finish();
  await settle();
  expect(open.at(-1)?.name).toBe('4.jpg');
  expect(optimizer.state).toBe('uploading');
});

test('pause stops what is under way, resume begins it again', async () => {
  const { service, open } = createSlowService();
  const { optimizer, env } = startOptimizer({}, { service });
  await optimizer.addFiles(files(3));
  await env.advance(20);
  optimizer.pause();
  await env.advance(20);
  expect(open[0]?.signal?.aborted).toBe(true);
  expect(optimizer.paused).toBe(true);
  expect(optimizer.items.list().map(({ status, waiting }) => [status, waiting])).toEqual(
    Array(3).fill(['queued', 'paused']),
  );
  optimizer.resume();
  await env.advance(20);
  expect(open).toHaveLength(2);
});

test('an image that is removed while it is uploaded does not come back', async () => {
  const { service, open } = createSlowService();
  const { optimizer, env, ids } = startOptimizer({}, { service });
  await optimizer.addFiles(files(2));
  await env.advance(20);
  optimizer.remove(ids()[0] ?? '');
  open[0]?.finish();
  await env.advance(20);
  expect(optimizer.items.list()).toMatchObject([{ name: '1.jpg', status: 'uploading' }]);
  open[1]?.finish();
  await env.advance(20);
  expect(optimizer.items.list()).toMatchObject([{ name: '1.jpg', status: 'ready' }]);
});

test('cancel leaves files in the list, and upload takes them up again', async () => {
  const { service, open } = createSlowService();
  const { optimizer, env } = startOptimizer({}, { service });
  await optimizer.addFiles(files(2));
  await env.advance(20);
  optimizer.cancel();
  await env.advance(20);
  expect(optimizer.state).toBe('ready');
  expect(optimizer.items.list().map(({ status }) => status)).toEqual(['queued', 'queued']);
  void optimizer.upload();
  await env.advance(20);
  expect(open).toHaveLength(2);
});

test('progress is told ten times a second per image and four times a second for the whole', async () => {
  const { service, open } = createSlowService();
  const { optimizer, env, ids, details } = startOptimizer({}, { service });
  await optimizer.addFiles([fileOf('a.jpg')]);
  await env.advance(500);
  let rows = 0;
  let wholes = 0;
  optimizer.items.subscribeItem(ids()[0] ?? '', () => {
    rows += 1;
  });
  optimizer.subscribe(() => {
    wholes += 1;
  });
  const before = details('io-upload-progress').length;
  for (let loaded = 1; loaded <= 400; loaded += 1) {
    open[0]?.progress?.(loaded, 1000);
    await env.advance(5);
  }
  expect(rows).toBeGreaterThan(10);
  expect(rows).toBeLessThanOrEqual(21);
  expect(wholes).toBeGreaterThan(4);
  expect(wholes).toBeLessThanOrEqual(9);
  expect(details('io-upload-progress').length - before).toBeLessThanOrEqual(21);
  expect(optimizer.progress).toMatchObject({ phase: 'upload', fraction: 0.4, totalBytes: 1000 });
});

test('rows that only wait are not told again and again', async () => {
  const { optimizer, env, ids } = startOptimizer({ autoUpload: false });
  await optimizer.addFiles(files(200));
  await env.advance(20);
  const progressOf = new Map<string, number>();
  for (const id of ids()) optimizer.items.subscribeItem(id, () => progressOf.set(id, (progressOf.get(id) ?? 0) + 1));
  void optimizer.upload();
  await env.advance(5000);
  expect(optimizer.counts.uploaded).toBe(200);
  expect(Math.max(...progressOf.values())).toBeLessThanOrEqual(3);
});

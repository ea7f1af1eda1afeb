import { expect, test } from 'vitest';
import {
  completed,
  connectionError,
  createScriptedService,
  failedResult,
  imageOf,
  jobOf,
  progressed,
  resultOf,
} from '../scripted-service.ts';
import { startWithFiles } from '../started-optimizer.ts';

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

test('a name that is changed after an export renames its files, and makes nothing stale', async () => {
  const renamedFiles = [{ from: 'img_1.webp', to: 'a hill.webp' }];
  const service = createScriptedService({ updateImage: async (_session, id) => ({ ...imageOf(id), renamedFiles }) });
  const { optimizer, env, ids } = await startWithFiles(1, {}, { service });
  const exported = optimizer.exportImages();
  await env.advance(20);
  service.exports[0]?.run.push(completed([resultOf('img_1')]));
  await exported;
  optimizer.setMetadata(ids()[0] ?? '', 'filename', 'a hill');
  await env.advance(5000);
  const variants = [{ filename: 'a hill.webp', url: '/a%20hill.webp', path: 'a hill.webp' }];
  expect(optimizer.items.list()[0]).toMatchObject({ status: 'done', stale: false, result: { variants } });
});

test('after a cancel the service’s last words are waited for, but not for ever', async () => {
  const { optimizer, service, env } = await startWithFiles(1);
  const exported = optimizer.exportImages();
  await env.advance(20);
  optimizer.cancel();
  await env.advance(9000);
  expect(service.exports[0]?.run.closed).toBe(false);
  await env.advance(2000);
  expect(await exported).toBeNull();
  expect(service.exports[0]?.run.closed).toBe(true);
  expect(optimizer.items.list()[0]).toMatchObject({ status: 'ready', error: null });
});

test('a cancel is told at once, and what the service answers counts while the stream stands still', async () => {
  const { optimizer, service, env, said, details } = await startWithFiles(2);
  await env.advance(5000);
  said.length = 0;
  const exported = optimizer.exportImages();
  await env.advance(20);
  const { stream } = service.exports[0]?.run ?? {};
  let answer = () => {};
  if (stream) {
    stream.cancel = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
  }
  optimizer.cancel();
  await env.advance(500);
  expect(optimizer).toMatchObject({ state: 'exporting', cancelling: true });
  expect(said.map(({ text }) => text)).toEqual(['bar.cancelling']);
  const results = [resultOf('img_1'), failedResult('img_2', 'job_cancelled')];
  service.balance = 24;
  const credits = { charged: 2, refunded: 1, balance: 24 };
  service.jobs.set('job_1', jobOf('job_1', { status: 'partial', finishedAt: 'now', results, credits }));
  answer();
  expect(await exported).toMatchObject({ succeeded: 1, failed: 0, credits: 1 });
  await env.advance(5000);
  expect(optimizer).toMatchObject({ cancelling: false, balance: 24 });
  expect(optimizer.items.list().map(({ status }) => status)).toEqual(['done', 'ready']);
  expect(said.map(({ text }) => text)).toEqual(['bar.cancelling', 'announce.done.export 1', 'announce.cancelled']);
  expect(details('io-error')).toEqual([]);
  expect(service.exports[0]?.run.closed).toBe(true);
});

test.each([
  ['cannot be sent', async () => Promise.reject(connectionError()), 20, 'network'],
  ['is not answered', () => new Promise<void>(() => {}), 10_100, 'timeout'],
] as const)('a cancel that %s is not told as one', async (_, cancel, ms, code) => {
  const { optimizer, service, env, said, details } = await startWithFiles(1);
  const exported = optimizer.exportImages();
  await env.advance(20);
  const { stream } = service.exports[0]?.run ?? {};
  if (stream) stream.cancel = cancel;
  optimizer.cancel();
  await env.advance(ms);
  expect(await exported).toBeNull();
  await env.advance(5000);
  expect(details('io-error')).toMatchObject([{ phase: 'export', error: { code } }]);
  const announced = said.map(({ text }) => text.split(' ')[0]);
  expect(announced).toContain(`error.${code}`);
  expect(announced).not.toContain('announce.cancelled');
  expect(optimizer.items.list()[0]).toMatchObject({ status: 'failed', error: { code } });
});

import { expect, test } from 'vitest';
import { apiError, completed, connectionError, jobOf, progressed, resultOf } from '../scripted-service.ts';
import { startOptimizer, startWithFiles } from '../started-optimizer.ts';
import { createTestEnvironment } from '../test-environment.ts';

test('what has its files is not paid for again; other settings make it new, a name does not', async () => {
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
  expect(optimizer.counts.toExport).toBe(0);
  optimizer.setSettings({ format: 'avif' });
  expect(optimizer.items.list().map(({ stale, status }) => [stale, status])).toEqual(Array(2).fill([true, 'ready']));
  optimizer.setSettings({ format: 'webp' });
  expect(optimizer.items.list().map(({ stale }) => stale)).toEqual([false, false]);
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
  const job = jobOf('job_1');
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
  service.session.jobs = [jobOf('job_1', { status: 'processing' })];
  const after = startOptimizer({}, { service, env: createTestEnvironment(stored) });
  await after.optimizer.attach('sess_1');
  await after.env.advance(20);
  expect(after.optimizer.state).toBe('exporting');
  expect(service.follows).toMatchObject([{ jobId: 'job_1' }]);
  service.follows[0]?.run.push(completed([resultOf('img_1'), resultOf('img_2')]));
  await after.env.advance(20);
  expect(after.optimizer.state).toBe('done');
  expect(service.exports).toHaveLength(1);
});

test('two presses of the button are one export', async () => {
  const { optimizer, service, env } = await startWithFiles(2);
  const presses = Promise.all([optimizer.exportImages(), optimizer.exportImages()]);
  await env.advance(20);
  service.exports[0]?.run.push(completed([resultOf('img_1'), resultOf('img_2')]));
  expect(await presses).toMatchObject([{ succeeded: 2 }, null]);
  expect(service.exports).toHaveLength(1);
});

test('without a connection an open batch is not touched, and the error is told', async () => {
  const { optimizer, service, env, details } = await startWithFiles(1);
  const exported = optimizer.exportImages();
  await env.advance(20);
  service.exports[0]?.run.fail(connectionError('stream_interrupted'));
  await exported;
  optimizer.configure({
    transport: {
      ...service.transport,
      getSession: async () => {
        throw connectionError();
      },
    },
  });
  expect(await optimizer.exportImages()).toBeNull();
  expect(details('io-error').map(({ error }) => error.code)).toEqual(['stream_interrupted', 'network']);
  expect(service.exports).toHaveLength(1);
});

test('whoever asks for the price gets an answer, also when a later question overtakes it', async () => {
  const open: (() => void)[] = [];
  const { optimizer, service, env } = await startWithFiles(2);
  const { checkCredits } = service.transport;
  optimizer.configure({
    transport: {
      ...service.transport,
      async checkCredits(body) {
        await new Promise<void>((resolve) => open.push(resolve));
        return checkCredits(body);
      },
    },
  });
  const asked = [optimizer.checkCost(), optimizer.checkCost([optimizer.items.list()[0]?.id ?? ''])];
  await env.advance(20);
  for (const answer of open.reverse()) answer();
  expect((await Promise.all(asked)).map((cost) => cost?.images)).toEqual([2, 1]);
  expect(optimizer.cost?.images).toBe(1);
});

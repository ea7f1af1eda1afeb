import { expect, test } from 'vitest';
import { apiError, connectionError, createScriptedService } from '../scripted-service.ts';
import { fileOf, startOptimizer, startWithFiles } from '../started-optimizer.ts';
import { createTestEnvironment, settle } from '../test-environment.ts';
import { createSlowService, files } from './slow-uploads.ts';

test('an upload is tried three times with a growing wait and the same key, then given up', async () => {
  const keys: (string | undefined)[] = [];
  const times: number[] = [];
  const env = createTestEnvironment();
  const service = createScriptedService({
    async createSession(_what, options) {
      keys.push(options?.idempotencyKey);
      times.push(env.now());
      throw connectionError();
    },
  });
  const { optimizer, details } = startOptimizer({}, { service, env });
  await optimizer.addFiles([fileOf('a.jpg')]);
  await env.advance(20);
  expect(optimizer.items.list()[0]).toMatchObject({ status: 'queued', waiting: 'retry', tries: 1 });
  await env.advance(10_000);
  expect(times.map((time) => Math.round((time - (times[0] ?? 0)) / 1000))).toEqual([0, 1, 3]);
  expect(new Set(keys).size).toBe(1);
  expect(optimizer.items.list()[0]).toMatchObject({ status: 'failed', error: { code: 'network', phase: 'upload' } });
  expect(details('io-error')).toMatchObject([{ phase: 'upload', error: { code: 'network', retryable: true } }]);
  expect(optimizer.notices).toMatchObject([{ message: 'a.jpg: error.network network 0', actions: ['retry'] }]);
});

test('a file that the service cannot read fails at once, the others go on', async () => {
  let calls = 0;
  const good = createScriptedService();
  const service = createScriptedService({
    async createSession(what, options) {
      calls += 1;
      if (calls === 1) throw apiError(415, 'unsupported_image');
      return good.transport.createSession(what, options);
    },
    addImages: good.transport.addImages,
  });
  const { optimizer } = await startWithFiles(3, {}, { service });
  expect(optimizer.items.list().map(({ status }) => status)).toEqual(['failed', 'ready', 'ready']);
  expect(optimizer.items.list()[0]?.error).toMatchObject({ code: 'invalid_image', serviceCode: 'unsupported_image' });
  expect(optimizer.counts).toMatchObject({ uploaded: 2, failed: 1 });
});

test('retry by hand uploads what failed', async () => {
  let down = true;
  const good = createScriptedService();
  const service = createScriptedService({
    async createSession(what, options) {
      if (down) throw connectionError();
      return good.transport.createSession(what, options);
    },
    addImages: good.transport.addImages,
  });
  const { optimizer, env } = await startWithFiles(2, {}, { service });
  await env.advance(20_000);
  expect(optimizer.counts.failed).toBe(2);
  down = false;
  const retried = optimizer.retry();
  await env.advance(20);
  await retried;
  expect(optimizer.items.list().map(({ status }) => status)).toEqual(['ready', 'ready']);
  expect(optimizer.notices).toEqual([]);
});

test('an upload without a byte for the stall time is begun again', async () => {
  const { service, open } = createSlowService();
  const { optimizer, env } = startOptimizer({ stallTimeout: 30_000 }, { service });
  await optimizer.addFiles([fileOf('a.jpg')]);
  await env.advance(20);
  open[0]?.progress?.(100, 1000);
  await env.advance(29_000);
  open[0]?.progress?.(200, 1000);
  await env.advance(29_000);
  expect(open[0]?.signal?.aborted).toBe(false);
  await env.advance(2_000);
  expect(open[0]?.signal?.aborted).toBe(true);
  await env.advance(2_000);
  expect(open).toHaveLength(2);
  // All has left: the service may take its time.
  open[1]?.progress?.(1000, 1000);
  await env.advance(50_000);
  expect(open[1]?.signal?.aborted).toBe(false);
});

test('offline nothing is begun and nothing is counted as a try; back online it goes on', async () => {
  const { service, open } = createSlowService();
  const { optimizer, env } = startOptimizer({}, { service });
  await optimizer.addFiles(files(2));
  await env.advance(20);
  env.setOnline(false);
  open[0]?.fail(connectionError());
  await env.advance(60_000);
  expect(open).toHaveLength(1);
  expect(optimizer.offline).toBe(true);
  expect(optimizer.items.list().map(({ waiting }) => waiting)).toEqual(['offline', 'offline']);
  env.setOnline(true);
  await env.advance(20);
  expect(open).toHaveLength(2);
  expect(optimizer.items.list()[0]?.tries).toBe(1);
});

test('a key that is not accepted stops the queue instead of failing every file', async () => {
  let calls = 0;
  let refused = true;
  const good = createScriptedService();
  const service = createScriptedService({
    async createSession(what, options) {
      calls += 1;
      if (refused) throw apiError(401, 'invalid_api_key');
      return good.transport.createSession(what, options);
    },
    addImages: good.transport.addImages,
  });
  const { optimizer, env } = await startWithFiles(5, {}, { service });
  await env.advance(60_000);
  expect(calls).toBe(1);
  expect(optimizer.state).toBe('error');
  expect(optimizer.notices).toMatchObject([{ error: { code: 'unauthorized', status: 401 } }]);
  refused = false;
  const retried = optimizer.retry();
  await env.advance(20);
  await retried;
  expect(optimizer.state).toBe('ready');
  expect(optimizer.counts.uploaded).toBe(5);
});

test('the service is left alone for as long as it asks', async () => {
  const times: number[] = [];
  const env = createTestEnvironment();
  const service = createScriptedService({
    async createSession() {
      times.push(env.now());
      throw Object.assign(apiError(429, 'rate_limited'), { retryAfterMs: 20_000 });
    },
  });
  await startWithFiles(1, {}, { service, env });
  await env.advance(25_000);
  expect(times).toHaveLength(2);
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(20_000);
});

const timeouts = [
  ['a 408', () => Object.assign(apiError(408, 'request_timeout'), { retryable: true })],
  ['a silent service', () => connectionError('timeout')],
] as const;

test.each(timeouts)(
  'after %s half as many upload at a time, and the refused files are tried again',
  async (_, slow) => {
    const { service, open } = createSlowService();
    const { optimizer, env } = startOptimizer({ concurrency: 6 }, { service });
    await optimizer.addFiles(files(9));
    await env.advance(20);
    open[0]?.finish();
    await settle();
    const running = () => optimizer.items.list().filter(({ status }) => status === 'uploading').length;
    expect(running()).toBe(6);
    // All that started together count as one timeout.
    for (const { fail } of open.slice(1, 7)) fail(slow());
    await settle();
    expect([open.length, running()]).toEqual([1 + 6 + 3, 3]);
    open[7]?.fail(slow());
    await settle();
    for (let next = 8; next < open.length; next += 1) {
      open[next]?.finish();
      await settle();
      expect(running()).toBeLessThanOrEqual(2);
    }
    expect(optimizer.counts).toMatchObject({ uploaded: 9, failed: 0 });
    // The next files begin anew.
    const before = open.length;
    await optimizer.addFiles(Array.from({ length: 6 }, (_, index) => fileOf(`later-${index}.jpg`)));
    await env.advance(20);
    expect(open.length - before).toBe(6);
  },
);

test('a timeout of a file that uploads alone counts as a try', async () => {
  const { service, open } = createSlowService();
  const { optimizer, env } = startOptimizer({ retries: 2 }, { service });
  await optimizer.addFiles(files(1));
  await env.advance(20);
  open[0]?.fail(connectionError('timeout'));
  await env.advance(5000);
  open[1]?.fail(connectionError('timeout'));
  await env.advance(20_000);
  expect(open).toHaveLength(2);
  expect(optimizer.items.list()[0]).toMatchObject({ status: 'failed', error: { code: 'timeout' } });
});

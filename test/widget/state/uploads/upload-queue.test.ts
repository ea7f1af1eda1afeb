import { expect, test } from 'vitest';
import { apiError, connectionError, createScriptedService, imageOf } from '../scripted-service.ts';
import { fileOf, startOptimizer, startWithFiles } from '../started-optimizer.ts';
import { createTestEnvironment, settle } from '../test-environment.ts';

type Progress = ((loaded: number, total: number) => void) | undefined;

/** A service whose uploads end when a test says so. */
function createSlowService() {
  const open: { name: string; finish(): void; fail(error: Error): void; progress: Progress; signal?: AbortSignal }[] =
    [];
  let count = 0;
  const send = (name: string, options?: { onProgress?: Progress; signal?: AbortSignal }) =>
    new Promise<never>((resolve, reject) => {
      const finish = () => {
        count += 1;
        const images = [imageOf(`img_${count}`)];
        resolve({ sessionId: 'sess_1', createdAt: '', expiresAt: '', images, rejected: [] } as never);
      };
      open.push({ name, finish, fail: reject, progress: options?.onProgress, signal: options?.signal });
    });
  const nameOf = (what: object) => (what as { files: { name: string }[] }).files[0]?.name ?? '';
  const service = createScriptedService({
    createSession: (what, options) => send(`new ${nameOf(what)}`, options),
    addImages: (_session, what, options) => send(nameOf(what), options),
  });
  return { service, open };
}

const files = (count: number) => Array.from({ length: count }, (_, index) => fileOf(`${index}.jpg`));

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
  const told = new Map<string, number>();
  for (const id of ids()) optimizer.items.subscribeItem(id, () => told.set(id, (told.get(id) ?? 0) + 1));
  void optimizer.upload();
  await env.advance(5000);
  expect(optimizer.counts.uploaded).toBe(200);
  expect(Math.max(...told.values())).toBeLessThanOrEqual(3);
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

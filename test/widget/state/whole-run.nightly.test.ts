import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createI18n, loadLocale } from '../../../widget/i18n/index.ts';
import { Optimizer, type OptimizerOptions } from '../../../widget/state/index.ts';
import { FIXTURES } from '../../support/api-client.ts';
import { type FakeVisionServer, GOOD_ANSWER, startFakeVisionServer } from '../../support/fake-vision-server.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { startTestService, type TestAccount, type TestService } from '../../support/service.ts';
import { noiseImage, plainImages } from '../../support/small-images.ts';
import { createTestEnvironment } from './test-environment.ts';

let vision: FakeVisionServer;
let service: TestService;
let account: TestAccount;
const open: Optimizer[] = [];

beforeAll(async () => {
  vision = await startFakeVisionServer();
  service = await startTestService({
    AI_PROVIDER: 'openai-compatible',
    AI_BASE_URL: vision.url,
    AI_MODEL: 'fake-model',
    AI_CANARY: 'off',
  });
});
beforeEach(async () => {
  for (const optimizer of open.splice(0)) optimizer.dispose();
  account = await service.createAccount({ credits: 10 });
});
afterAll(async () => {
  for (const optimizer of open) optimizer.dispose();
  await service?.close();
  await vision?.close();
});

const { t: translate } = createI18n({ locale: 'en', messages: await loadLocale('en') });

/** The flow as a page has it, with a storage that a reload keeps. */
function start(stored = new Map<string, string>(), options: OptimizerOptions = {}): Optimizer {
  const { storage } = createTestEnvironment(stored);
  const { apiKey } = account;
  const optimizer = new Optimizer({ endpoint: service.url, apiKey, translate, environment: { storage }, ...options });
  open.push(optimizer);
  return optimizer;
}

const asFiles = (images: { name: string; bytes: Uint8Array }[]) =>
  images.map(({ name, bytes }) => new File([bytes as Uint8Array<ArrayBuffer>], name));

/** A real photograph in a size that is encoded soon. */
async function photograph(name: string): Promise<File> {
  const small = await sharp(`${FIXTURES}photos/${name}`).resize(800).jpeg().toBuffer();
  return new File([small as Uint8Array<ArrayBuffer>], name);
}

const balance = async () => (await (await account.api.request('/v1/credits/balance')).json()).balance as number;
const charges = async () => {
  const { transactions } = await (await account.api.request('/v1/credits/transactions')).json();
  return (transactions as { kind: string; ref: string }[]).filter(
    ({ kind, ref }) => kind === 'charge' && !ref.startsWith('test'),
  );
};

test('photographs are uploaded, described, edited, sampled, exported and found again after a reload', async () => {
  const stored = new Map<string, string>();
  const optimizer = start(stored, { settings: { format: 'webp', preset: 'medium' } });
  const before = await balance();
  await optimizer.addFiles(
    await Promise.all(['photo-brushes.jpg', 'photo-dandelion.jpg', 'photo-mountains.jpg'].map(photograph)),
  );
  await optimizer.upload();
  expect(optimizer.items.list().map(({ status }) => status)).toEqual(['ready', 'ready', 'ready']);

  await optimizer.analyze();
  const [first, second] = optimizer.items.list();
  expect(first).toMatchObject({ metadata: { alt: GOOD_ANSWER.alt }, origins: { alt: 'ai' }, status: 'ready' });
  optimizer.setMetadata(first?.id ?? '', 'filename', 'my brushes');
  optimizer.setMetadata(second?.id ?? '', 'alt', 'A dandelion, by me');

  await optimizer.sample([first?.id ?? '']);
  expect(optimizer.samples).toHaveLength(1);
  const sample = await optimizer.fetchResult(first?.id ?? '', 'sample');
  expect(await balance()).toBe(before);
  await expect(optimizer.download(first?.id ?? '')).rejects.toThrow();

  expect(await optimizer.checkCost()).toMatchObject({ images: 3, cost: 3, sufficient: true });
  const outcome = await optimizer.exportImages();
  expect(outcome).toMatchObject({ succeeded: 3, failed: 0, credits: 3 });
  expect(optimizer.state).toBe('done');
  expect(await balance()).toBe(before - 3);

  const file = await optimizer.download(first?.id ?? '');
  expect(file?.filename).toBe('my brushes.webp');
  const bytes = Buffer.from((await file?.blob.arrayBuffer()) ?? new ArrayBuffer(0));
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: first?.image?.width });
  // Settings and pixels are the sample's, so the export delivers its very bytes.
  expect(bytes.equals(Buffer.from(await sample.arrayBuffer()))).toBe(true);

  const { sessionId } = optimizer;
  optimizer.dispose();
  const again = start(stored);
  await again.attach(sessionId ?? '');
  await vi.waitFor(() => expect(again.state).toBe('done'), { timeout: PATIENCE_MS });
  expect(again.settings).toMatchObject({ format: 'webp', preset: 'medium' });
  expect(again.items.list()).toMatchObject([
    { status: 'done', metadata: { filename: 'my brushes' }, origins: { filename: 'user', alt: 'ai' }, stale: false },
    { status: 'done', metadata: { alt: 'A dandelion, by me' }, origins: { alt: 'user' } },
    { status: 'done', sample: null },
  ]);
  expect(again.samples).toHaveLength(1);
  expect(await again.exportImages()).toBeNull();
  expect(await balance()).toBe(before - 3);
});

test('a reload in the middle of an export joins the job, and nothing is charged twice', async () => {
  const stored = new Map<string, string>();
  const first = start(stored, { settings: { format: 'avif', preset: 'maximum' } });
  const images = await Promise.all([1, 2, 3, 4].map((seed) => noiseImage(`noise-${seed}.png`, { seed })));
  await first.addFiles(asFiles(images));
  await first.upload();
  const started = new Promise<void>((resolve) => {
    first.on(({ type }) => type === 'io-export-progress' && resolve());
  });
  const lost = first.exportImages();
  await started;
  const sessionId = first.sessionId ?? '';
  first.dispose();
  await lost;

  const second = start(stored);
  await second.attach(sessionId);
  await vi.waitFor(() => expect(second.state).toBe('done'), { timeout: PATIENCE_MS });
  expect(second.results.map(({ status }) => status)).toEqual(Array(4).fill('completed'));
  expect(await charges()).toHaveLength(1);
  expect(await balance()).toBe(6);
});

test('an answer that never came is asked for again with its key: one job, one charge', async () => {
  let cut = true;
  const optimizer = start();
  await optimizer.addFiles(asFiles(await plainImages(2)));
  await optimizer.upload();
  const { createTransport } = await import('../../../widget/state/transport.ts');
  const real = createTransport({ endpoint: service.url, apiKey: account.apiKey });
  optimizer.configure({
    transport: {
      exportImages(...args) {
        const stream = real.exportImages(...args);
        if (!cut) return stream;
        cut = false;
        return {
          jobId: stream.jobId,
          cancel: stream.cancel,
          // The request has arrived and is paid for, and its answer is lost.
          async *[Symbol.asyncIterator]() {
            yield* [];
            await stream.jobId();
            throw Object.assign(new Error('cut'), { code: 'stream_interrupted', retryable: true });
          },
        };
      },
    },
  });
  expect(await optimizer.exportImages()).toBeNull();
  await optimizer.retry();
  await vi.waitFor(() => expect(optimizer.results).toHaveLength(2), { timeout: PATIENCE_MS });
  expect(await charges()).toHaveLength(1);
  expect(await balance()).toBe(8);
});

test('too few credits: nothing is charged, the affordable part can be exported', async () => {
  account = await service.createAccount({ credits: 2 });
  const optimizer = start();
  await optimizer.addFiles(asFiles(await plainImages(3)));
  await optimizer.upload();
  const errors: unknown[] = [];
  optimizer.on((event) => event.type === 'io-error' && errors.push(event.detail.error));
  expect(await optimizer.exportImages()).toBeNull();
  expect(errors).toMatchObject([{ code: 'insufficient_credits', status: 402, balance: 2, required: 3, shortfall: 1 }]);
  const cost = await optimizer.checkCost();
  expect(cost?.affordable).toBe(2);
  expect(await optimizer.exportImages(undefined, { first: cost?.affordable })).toMatchObject({ succeeded: 2 });
  expect(await balance()).toBe(0);
});

test('a cancelled export is refunded for what was not made', async () => {
  const optimizer = start(undefined, { settings: { format: 'avif', preset: 'maximum' } });
  const size = { width: 1600, height: 1200 };
  const images = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((seed) => noiseImage(`noise-${seed}.png`, { ...size, seed })),
  );
  await optimizer.addFiles(asFiles(images));
  await optimizer.upload();
  const started = new Promise<void>((resolve) => {
    optimizer.on(({ type }) => type === 'io-export-progress' && resolve());
  });
  const exported = optimizer.exportImages();
  await started;
  optimizer.cancel();
  const outcome = await exported;
  const made = optimizer.items.list().filter(({ status }) => status === 'done').length;
  expect(made).toBe(outcome?.succeeded ?? 0);
  expect(made).toBeLessThan(6);
  await vi.waitFor(async () => expect(await balance()).toBe(10 - made), { timeout: PATIENCE_MS });
  expect(optimizer.counts).toMatchObject({ failed: 0, toExport: 6 - made });
});

test('a wrong key and a session that is gone say so', async () => {
  const stranger = start(undefined, { apiKey: 'iw_wrong' });
  const codes: string[] = [];
  stranger.on((event) => event.type === 'io-error' && codes.push(event.detail.error.code));
  await stranger.addFiles(asFiles(await plainImages(1)));
  await stranger.upload();
  expect(codes).toEqual(['unauthorized']);
  expect(stranger.items.list()[0]?.status).toBe('queued');

  const optimizer = start();
  optimizer.on((event) => event.type === 'io-error' && codes.push(event.detail.error.code));
  await optimizer.attach('sess_0000000000000000000000');
  expect(codes).toEqual(['unauthorized', 'not_found']);
  expect(optimizer).toMatchObject({ sessionId: null, notices: [{ id: 'expired', actions: [] }] });
});

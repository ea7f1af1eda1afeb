import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CompleteEvent, ExportImage, ImageResult, Job, UploadResult } from '#contract';
import { expectCleanBooks } from '../support/aftermath.ts';
import { type ApiClient, readEvents } from '../support/api-client.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { noiseImage } from '../support/small-images.ts';

type Replaces = NonNullable<ExportImage['replaces']>;

let test: SharedService;
let api: ApiClient;
let accountId: string;
let uploaded: UploadResult;
beforeAll(async () => {
  test = await sharedService();
});
afterEach(() => expectCleanBooks(test));

const SETTINGS = { format: 'webp', responsive: true, responsiveSizes: [100, 200] };

async function upload(count = 1): Promise<void> {
  ({ api, accountId } = await test.createAccount({ credits: 10 }));
  const files = Array.from({ length: count }, (_, seed) =>
    noiseImage(`${seed}.png`, { width: 300, height: 200, seed }),
  );
  uploaded = await api.upload(await Promise.all(files));
}

function bodyOf(replaces: (Replaces | undefined)[], settings: object) {
  const images = uploaded.images.map(({ id }, index) => ({ id, replaces: replaces[index] }));
  return { images, settings: { ...SETTINGS, ...settings } };
}

const post = (kind: 'export' | 'sample', json: object, headers = {}) =>
  api.request(`/v1/sessions/${uploaded.sessionId}/${kind}`, { json, headers });

async function completeOf(response: Response): Promise<CompleteEvent> {
  for await (const { event, data } of readEvents(response)) if (event === 'complete') return data as CompleteEvent;
  throw new Error('the stream ended without complete');
}

/** Exports the uploaded images with `onlySmaller`. */
async function exportSmaller(...replaces: (Replaces | undefined)[]): Promise<CompleteEvent> {
  return completeOf(await post('export', bodyOf(replaces, { onlySmaller: true })));
}

const namesOf = (result: ImageResult | undefined) => result?.variants.map(({ name }) => name);

/** Sizes of the variants by name. */
async function measure(): Promise<Record<string, number>> {
  const { results } = await completeOf(await post('sample', bodyOf([], {})));
  return Object.fromEntries(results[0]?.variants.map(({ name, size }) => [name, size]) ?? []);
}

describe('an export with onlySmaller', () => {
  it('delivers the variants that are smaller than the files they replace; equal bytes are not smaller', async () => {
    await upload();
    const { full = 0, '100w': small = 0, '200w': large = 0 } = await measure();
    const { results, credits, summary } = await exportSmaller([
      { name: 'full', bytes: full },
      { name: '100w', bytes: small + 1 },
      { name: '200w', bytes: large - 1 },
      { name: '4000w', bytes: 1 },
    ]);
    const [result] = results;
    expect(namesOf(result)).toEqual(['100w']);
    expect(result).toMatchObject({ filename: null, mimeType: 'image/webp', savedBytes: 0, creditsCharged: 1 });
    expect([credits, summary]).toMatchObject([
      { charged: 1, refunded: 0 },
      { completed: 1, originalBytes: 0, outputBytes: 0 },
    ]);
    const file = (name: string) => api.request(`/v1/sessions/${uploaded.sessionId}/download?filename=${name}`);
    expect([(await file('0-100w.webp')).status, (await file('0.webp')).status]).toEqual([200, 404]);
  });

  it('compares full without an entry with the upload; any other variant without an entry is delivered', async () => {
    await upload();
    expect(namesOf((await exportSmaller()).results[0])).toEqual(['full', '100w', '200w']);
    const larger = { format: 'png', preset: 'maximum', responsive: false, onlySmaller: true };
    const again = await completeOf(await post('export', bodyOf([], larger)));
    const fullSize = again.results[0]?.variants[0]?.size ?? Number.POSITIVE_INFINITY;
    expect(fullSize).toBeLessThan(uploaded.images[0]?.size ?? 0);
  });

  it('selects anew from the cache; bytes of 0 stand for no file in use, so nothing is made', async () => {
    await upload();
    const none = { name: 'full', bytes: 0 };
    const first = (await exportSmaller([none, { name: '100w', bytes: 0 }])).results[0];
    expect([namesOf(first), first?.fromCache]).toEqual([['200w'], false]);
    const second = (await exportSmaller([none, { name: '100w', bytes: 1e6 }])).results[0];
    expect([namesOf(second), second?.fromCache]).toEqual([['100w', '200w'], false]);
    const third = (await exportSmaller([none, { name: '200w', bytes: 1 }])).results[0];
    expect([namesOf(third), third?.fromCache]).toEqual([['100w'], true]);
  });

  it('gives the credit back for an image without a gain, once, and keeps its earlier files', async () => {
    await upload(3);
    const all = (bytes: number): Replaces => ['full', '100w', '200w'].map((name) => ({ name, bytes }));
    await exportSmaller();
    const complete = await exportSmaller(all(1), undefined, all(0));
    const earlier = await api.request(`/v1/sessions/${uploaded.sessionId}/download?filename=0.webp`);
    expect(earlier.status).toBe(200);
    expect(complete).toMatchObject({ status: 'completed', credits: { charged: 3, refunded: 2, balance: 6 } });
    expect(complete.summary).toMatchObject({ completed: 3, failed: 0 });
    expect(complete.results.map(({ creditsCharged }) => creditsCharged)).toEqual([0, 1, 0]);
    expect(complete.results[0]).toMatchObject({ status: 'completed', filename: null, variants: [], savedBytes: 0 });
    expect(complete.results[0]?.warnings).toEqual([
      { code: 'no_gain', message: 'No file would get smaller, so nothing was charged.' },
    ]);
    const job = await api.readJson<Job>(`/v1/jobs/${complete.jobId}`);
    expect(job.results).toEqual(complete.results);
    const { transactions } = await api.readJson<{ transactions: object[] }>('/v1/credits/transactions');
    expect(transactions.slice(0, 3)).toMatchObject([{ delta: 2 }, { delta: -3 }, { delta: -3 }]);
    // A settlement after a crash, and the usage, count the same.
    const { jobs } = test.service;
    expect(await jobs.outcomeOf(accountId, complete.jobId)).toEqual({ total: 3, completed: 1 });
    const [past] = await jobs.history.recent(accountId, 1);
    expect(past).toMatchObject({ credits: 1, images: 3, completed: 3, bytesBefore: uploaded.images[1]?.size });
  });

  it('ends with complete when no image gained anything, and the whole charge is back', async () => {
    await upload(2);
    const none: Replaces = [{ name: 'full', bytes: 1 }];
    const body = bodyOf([none, none], { onlySmaller: true, responsive: false });
    const complete = await completeOf(await post('export', body));
    expect(complete).toMatchObject({ status: 'completed', credits: { charged: 2, refunded: 2, balance: 10 } });
    expect(await api.balance()).toBe(10);
    const database = await test.openDatabase();
    const stored = await database.sessions.bytesOfAccount(accountId);
    await database.close();
    expect(stored).toBe(uploaded.images.reduce((sum, { size }) => sum + size, 0));
  });

  it('is another request with other replaces: the same Idempotency-Key is refused', async () => {
    await upload();
    const key = { 'Idempotency-Key': 'once' };
    const body = (bytes: number) => bodyOf([[{ name: 'full', bytes }]], { onlySmaller: true });
    await completeOf(await post('export', body(1), key));
    expect((await post('export', body(2), key)).status).toBe(422);
    await completeOf(await post('export', body(1), key));
    expect(await api.balance()).toBe(9);
  });
});

describe('an export with leastGain', () => {
  type LeastGain = NonNullable<ExportImage['leastGain']>;
  const exportGaining = async (replaces: Replaces, leastGain: LeastGain, settings: object = {}) => {
    const body = bodyOf([replaces], { onlySmaller: true, ...settings });
    const images = body.images.map((image) => ({ ...image, leastGain }));
    return completeOf(await post('export', { ...body, images }));
  };

  it('costs nothing and delivers nothing if the files that people see save less together', async () => {
    await upload();
    const { full = 0, '100w': small = 0, '200w': large = 0 } = await measure();
    const inUse = [
      { name: 'full', bytes: full + 1000 },
      { name: '100w', bytes: small + 30 },
      { name: '200w', bytes: large + 20 },
    ];
    const of = ['100w', '200w', '4000w'];
    const less = await exportGaining(inUse, { bytes: 51, of });
    expect(less).toMatchObject({ credits: { charged: 1, refunded: 1, balance: 10 } });
    expect(less.results[0]).toMatchObject({ variants: [], creditsCharged: 0, warnings: [{ code: 'no_gain' }] });
    const enough = await exportGaining(inUse, { bytes: 50, of });
    expect(enough).toMatchObject({ credits: { charged: 1, refunded: 0, balance: 9 } });
    expect(namesOf(enough.results[0])).toEqual(['full', '100w', '200w']);
    // A file without an entry replaces nothing, so it gains nothing.
    const added = await exportGaining([{ name: 'full', bytes: 1 }], { bytes: 1, of: ['full', '100w'] });
    expect(added.credits).toMatchObject({ charged: 1, refunded: 1 });
  });

  it('counts nothing for files that lost an animation, and tells so; of two formats the smaller file counts', async () => {
    ({ api, accountId } = await test.createAccount({ credits: 10 }));
    uploaded = await api.upload(['field/d-control.gif']);
    const inUse = [{ name: 'full', bytes: 1e6 }];
    const gain = { bytes: 1, of: ['full'] };
    const still = await exportGaining(inUse, gain, { format: 'avif', responsive: false, preset: 'low' });
    expect(still.credits).toMatchObject({ charged: 1, refunded: 1, balance: 10 });
    expect(still.results[0]?.warnings.map(({ code }) => code).slice(-2)).toEqual(['animation_dropped', 'no_gain']);
    const both = { formats: ['avif', 'webp'], responsive: false, preset: 'low' };
    const size = (await exportGaining(inUse, gain, both)).results[0]?.variants.find(
      ({ format }) => format === 'webp',
    )?.size;
    const exact = { ...gain, bytes: 1e6 - (size ?? 0) };
    expect((await exportGaining(inUse, exact, both)).credits).toMatchObject({ refunded: 0 });
    expect((await exportGaining(inUse, { ...exact, bytes: exact.bytes + 1 }, both)).credits).toMatchObject({
      refunded: 1,
    });
  });

  it.each([
    [{ bytes: 0, of: ['full'] }, 'images.0.leastGain.bytes'],
    [{ bytes: 1, of: ['thumbnail'] }, 'expected full, or a width such as 300w'],
    [{ bytes: 1 }, 'images.0.leastGain.of'],
    [{ bytes: 1, of: [], percent: 1 }, 'unknown field "percent"'],
  ])('refuses %j', async (leastGain, message) => {
    await upload();
    const { settings, images } = bodyOf([[]], { onlySmaller: true });
    const response = await post('export', { settings, images: images.map((image) => ({ ...image, leastGain })) });
    expect([response.status, (await response.json()).error]).toEqual([400, expect.stringContaining(message)]);
    expect(await api.balance()).toBe(10);
  });
});

describe('without onlySmaller', () => {
  it('replaces changes nothing; a sample ignores both', async () => {
    await upload();
    const nothing: Replaces = ['full', '100w', '200w'].map((name) => ({ name, bytes: 0 }));
    const names = ['full', '100w', '200w'];
    expect(namesOf((await completeOf(await post('export', bodyOf([nothing], {})))).results[0])).toEqual(names);
    const sample = await completeOf(await post('sample', bodyOf([nothing], { onlySmaller: true })));
    expect(namesOf(sample.results[0])).toEqual(names);
  });
});

describe('replaces', () => {
  it.each([
    [
      'a name twice',
      [
        { name: 'full', bytes: 1 },
        { name: 'full', bytes: 2 },
      ],
      'images.0.replaces.1.name: expected each name once, but received full twice',
    ],
    ['a name that no variant has', [{ name: 'thumbnail', bytes: 1 }], 'expected full, or a width such as 300w'],
    ['a negative size', [{ name: 'full', bytes: -1 }], 'images.0.replaces.0.bytes'],
    ['an unknown field', [{ name: 'full', byte: 1, bytes: 1 }], 'unknown field "byte"; did you mean bytes?'],
    [
      'too many entries',
      Array.from({ length: 22 }, (_, index) => ({ name: `${index + 1}w`, bytes: 1 })),
      'images.0.replaces',
    ],
  ])('with %s is refused, and nothing is charged', async (_, replaces, message) => {
    await upload();
    const response = await post('export', bodyOf([replaces as Replaces], { onlySmaller: true }));
    const { code, error } = await response.json();
    expect([response.status, code]).toEqual([400, 'invalid_request']);
    expect(error).toContain(message);
    expect(await api.balance()).toBe(10);
  });
});

import { createHash } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ImageResult, UploadResult } from '#contract';
import { expectCleanBooks, filesOf, metric, storedFiles } from '../support/aftermath.ts';
import type { ApiClient } from '../support/api-client.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { noiseImage, plainImage } from '../support/small-images.ts';

let test: SharedService;
beforeAll(async () => {
  test = await sharedService();
});
afterEach(() => expectCleanBooks(test));

const encodes = () => metric(test.url, 'imagewright_encode_seconds_count');
const sized = { responsive: true, responsiveSizes: [100, 200] };
let seed = 9000;
const noise = (name = 'noise.png') => noiseImage(name, { seed: seed++ });

async function resultsOf(api: ApiClient, kind: 'export' | 'sample', uploaded: UploadResult, settings = {}) {
  const { last } = await api.run(kind, uploaded, settings);
  expect(last.event).toBe('complete');
  return last.data.results as ImageResult[];
}

async function download(api: ApiClient, url: string) {
  const response = await api.request(url);
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
}

const variants = async () => (await storedFiles(test)).filter((file) => file.startsWith('variants/'));

describe('equal work', () => {
  it('of 100 parallel exports is encoded once, and charged 100 times', async () => {
    // A plan whose streams are not the limit.
    const { api } = await test.createAccount({ credits: 100, plan: 'agency' });
    const uploaded = await api.upload([await noise()]);
    const [before, files] = [await encodes(), (await variants()).length];
    const results = await Promise.all(Array.from({ length: 100 }, () => resultsOf(api, 'export', uploaded, sized)));
    expect((await encodes()) - before).toBe(3);
    expect(new Set(results.map(([result]) => JSON.stringify(result?.variants))).size).toBe(1);
    expect(results.filter(([result]) => result?.fromCache === false).length).toBeGreaterThanOrEqual(1);
    expect(await api.balance()).toBe(0);
    expect((await variants()).length - files).toBe(3);
  });

  it('of a sample is delivered to the full export byte for byte, and nothing is encoded for it', async () => {
    const { api } = await test.createAccount();
    const uploaded = await api.upload([await noise()]);
    const [sample] = await resultsOf(api, 'sample', uploaded, sized);
    expect(sample?.fromCache).toBe(false);
    const before = await encodes();
    const [full] = await resultsOf(api, 'export', uploaded, sized);
    expect(await encodes()).toBe(before);
    expect(full).toMatchObject({ fromCache: true, creditsCharged: 1 });
    expect(full?.variants.map(({ sha256 }) => sha256)).toEqual(sample?.variants.map(({ sha256 }) => sha256));
    for (const { url, sha256, size } of [...(full?.variants ?? []), ...(sample?.variants ?? [])]) {
      expect(await download(api, url)).toEqual({ status: 200, sha256, size });
    }
  });

  it('for which one size is new encodes that one alone', async () => {
    const { api } = await test.createAccount();
    const uploaded = await api.upload([await noise()]);
    await resultsOf(api, 'export', uploaded, sized);
    const before = await encodes();
    const [result] = await resultsOf(api, 'export', uploaded, { responsive: true, responsiveSizes: [100, 200, 300] });
    expect((await encodes()) - before).toBe(1);
    expect(result?.fromCache).toBe(false);
  });

  it('of another format, preset or embedding is other work', async () => {
    const { api } = await test.createAccount();
    const uploaded = await api.upload([await noise()], { metadata: [{ title: 'T' }] });
    const hashes = new Set<string | undefined>();
    for (const settings of [{}, { preset: 'low' }, { format: 'jpeg' }, { embedMetadata: true }]) {
      const [result] = await resultsOf(api, 'export', uploaded, settings);
      expect(result?.fromCache).toBe(false);
      hashes.add(result?.variants[0]?.sha256);
    }
    expect(hashes.size).toBe(4);
  });

  it('is not shared between accounts', async () => {
    const [one, two] = [await test.createAccount(), await test.createAccount()];
    const image = await noise();
    const [first] = await resultsOf(one.api, 'export', await one.api.upload([image]));
    const [second] = await resultsOf(two.api, 'export', await two.api.upload([image]));
    expect([first?.fromCache, second?.fromCache]).toEqual([false, false]);
  });

  it('is the same for the same bytes in another session of the account', async () => {
    const { api } = await test.createAccount();
    const image = await noise();
    const [first] = await resultsOf(api, 'export', await api.upload([image]));
    const [second] = await resultsOf(api, 'export', await api.upload([{ ...image, name: 'other.png' }]));
    expect(second).toMatchObject({ fromCache: true, filename: 'other.webp' });
    expect(second?.variants[0]?.sha256).toBe(first?.variants[0]?.sha256);
  });

  it('is forgotten with the session that was deleted, unless another one holds the same upload', async () => {
    const { api } = await test.createAccount();
    const image = await noise();
    const first = await api.upload([image]);
    const second = await api.upload([image]);
    await resultsOf(api, 'export', first);
    const before = (await variants()).length;
    await api.request(`/v1/sessions/${first.sessionId}`, { method: 'DELETE' });
    expect((await variants()).length).toBe(before);
    const [result] = await resultsOf(api, 'export', second);
    expect(result?.fromCache).toBe(true);
    await api.request(`/v1/sessions/${second.sessionId}`, { method: 'DELETE' });
    expect((await variants()).length).toBe(before - 1);
  });
});

describe('sample and full export', () => {
  it('have namespaces of their own: neither sees, replaces or removes the other', async () => {
    const { api } = await test.createAccount();
    const uploaded = await api.upload([await plainImage('a.png', { colour: '#123456' })]);
    const { sessionId } = uploaded;
    const full = `/v1/sessions/${sessionId}/download?filename=a.webp`;
    const sample = `/v1/sessions/${sessionId}-sample/download?filename=a.webp`;
    const [sampled] = await resultsOf(api, 'sample', uploaded);
    expect(sampled?.variants[0]?.url).toBe(sample);
    expect((await download(api, full)).status).toBe(404);
    const [exported] = await resultsOf(api, 'export', uploaded);
    expect(exported).toMatchObject({ filename: 'a.webp', variants: [{ url: full }] });
    expect(exported?.variants[0]?.path).not.toBe(sampled?.variants[0]?.path);
    await resultsOf(api, 'sample', uploaded, { preset: 'low' });
    expect(await filesOf(test, sessionId)).toHaveLength(1);
    expect((await download(api, full)).sha256).toBe(exported?.variants[0]?.sha256);
  });

  it('at the same moment, 50 pairs of them: both sets are whole and have equal hashes', async () => {
    const { api } = await test.createAccount({ credits: 50 });
    const pairs = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const uploaded = await api.upload([
          await plainImage(`p${index}.png`, { colour: `#0000${(index + 16).toString(16)}` }),
        ]);
        return Promise.all([resultsOf(api, 'sample', uploaded), resultsOf(api, 'export', uploaded)]);
      }),
    );
    for (const [[sample], [full]] of pairs) {
      expect(full?.variants[0]?.sha256).toBe(sample?.variants[0]?.sha256);
      expect(full?.variants[0]?.path).not.toBe(sample?.variants[0]?.path);
      for (const result of [sample, full]) {
        const { url = '', sha256 } = result?.variants[0] ?? {};
        expect((await download(api, url)).sha256).toBe(sha256);
      }
    }
    expect(await api.balance()).toBe(0);
  });
});

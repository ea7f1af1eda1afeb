import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ImageResult, Job, UploadResult, Variant } from '#contract';
import { withCurrentNames } from '../../server/exports/file-names.ts';
import type { ApiClient } from '../support/api-client.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { noiseImage } from '../support/small-images.ts';

// Clients as they were before an address named its bytes (b2d9b9c7): what they take from a result, and what they ask for.

/** `plugin-bridge/host/server/imagewright.ts`: addresses of results that the server of a CMS downloads. */
const RESULT = /^\/v1\/sessions\/sess_[0-9A-Za-z]{22}\/download\?filename=[^&#]+$/;

/** `plugin-bridge/host/replace-rules.ts`. */
function placeOf(url: string): { namespace: string; filename: string } {
  const { pathname, searchParams } = new URL(url, 'http://service');
  return {
    namespace: decodeURIComponent(/\/sessions\/([^/]+)\/download$/.exec(pathname)?.[1] ?? ''),
    filename: searchParams.get('filename') ?? '',
  };
}

/** PHP's `rawurlencode`. */
const rawurlencode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

type Way = (api: ApiClient, sessionId: string, variant: Variant) => Promise<Response>;

const WAYS: Record<string, Way> = {
  'the server of a host, by the whole address': (api, _, { url }) => {
    expect(url).toMatch(RESULT);
    return api.request(url, { redirect: 'error' });
  },
  'the page of a host, by namespace and parameter of the address': (api, sessionId, { url }) => {
    const { namespace, filename } = placeOf(url);
    expect(namespace).toBe(sessionId);
    return api.request(`/v1/sessions/${encodeURIComponent(namespace)}/download?${new URLSearchParams({ filename })}`);
  },
  'the plugin for WordPress, by session and file name': (api, sessionId, { filename }) =>
    api.request(`/v1/sessions/${sessionId}/download?filename=${rawurlencode(filename)}`),
  'the element and the command line, by namespace and file name': (api, sessionId, { filename }) =>
    api.request(`/v1/sessions/${sessionId}/download?${new URLSearchParams({ filename })}`),
};

const settings = { formats: ['webp', 'jpeg'], responsive: true, responsiveSizes: [48] };

let test: SharedService;
let api: ApiClient;
let uploaded: UploadResult;
beforeEach(async () => {
  test = await sharedService();
  ({ api } = test);
  const named = [{ filename: 'Größe & (1) + 100 %' }, {}];
  const images = [0, 1].map((seed) => noiseImage('photo.png', { width: 90, height: 60, seed }));
  uploaded = await api.upload(await Promise.all(images), { metadata: named });
});

async function exportAll(more: object = {}): Promise<{ jobId: string; results: ImageResult[] }> {
  const { last, jobId } = await api.run('export', uploaded, { ...settings, ...more });
  return { jobId, results: last.data.results as ImageResult[] };
}

const jobOf = async (jobId: string) => {
  const { results = [] } = await api.readJson<Job & { results?: ImageResult[] }>(`/v1/jobs/${jobId}`);
  return results;
};

async function expectBytes(results: ImageResult[], way: Way): Promise<void> {
  for (const variant of results.flatMap(({ variants }) => variants)) {
    const response = await way(api, uploaded.sessionId, variant);
    const bytes = Buffer.from(await response.arrayBuffer());
    const hash = createHash('sha256').update(bytes).digest('hex');
    expect([variant.filename, response.status, bytes.length, hash]).toEqual([
      ...[variant.filename, 200, variant.size, variant.sha256],
    ]);
  }
}

describe.each(Object.entries(WAYS))('an older client: %s', (_, way) => {
  it('gets the bytes of its export, at once, from its job, after a renaming, and of a repetition', async () => {
    const { jobId, results } = await exportAll();
    expect(results.flatMap(({ variants }) => variants)).toHaveLength(8);
    await expectBytes(results, way);
    await expectBytes(await jobOf(jobId), way);
    const path = `/v1/sessions/${uploaded.sessionId}/images/${uploaded.images[0]?.id}`;
    await api.readJson(path, { method: 'PATCH', json: { metadata: { filename: 'renamed' } } });
    await expectBytes(results, way);
    await expectBytes(await jobOf(jobId), way);
    const again = await exportAll({ preset: 'low' });
    await expectBytes(again.results, way);
    await expectBytes(await jobOf(again.jobId), way);
  });
});

describe('a result that was stored before addresses named their bytes', () => {
  /** Results as an older service stored them. */
  const older = (results: ImageResult[]) =>
    results.map((result) => ({
      ...result,
      variants: result.variants.map((variant) => ({ ...variant, url: variant.url.replace(/=[0-9a-f]{64}\//, '=') })),
    }));

  it('gets addresses of its bytes where they are still there, and keeps its own elsewhere', async () => {
    const { results } = await exportAll();
    const stored = older(results);
    expect(stored[0]?.variants[0]?.url).not.toBe(results[0]?.variants[0]?.url);
    const [gone] = older(results).slice(1);
    for (const variant of gone?.variants ?? []) variant.sha256 = '0'.repeat(64);
    const database = await test.openDatabase();
    onTestFinished(() => database.close());
    const shown = await withCurrentNames(database, uploaded.sessionId, [stored[0], gone] as ImageResult[]);
    expect(shown[0]?.variants).toEqual(results[0]?.variants);
    expect(shown[1]?.variants).toEqual(gone?.variants);
    // The address that was told answers with the newest file of its name.
    for (const { url, sha256 } of stored.flatMap(({ variants }) => variants)) {
      const answer = await api.request(url);
      await answer.arrayBuffer();
      expect([answer.status, answer.headers.get('ETag')]).toEqual([200, `"${sha256}"`]);
    }
  });
});

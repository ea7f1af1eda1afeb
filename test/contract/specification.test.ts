import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageResult, Summary, UploadResult } from '#contract';
import { expectCleanBooks } from '../support/aftermath.ts';
import type { ApiClient } from '../support/api-client.ts';
import { expectError } from '../support/error-answers.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { plainImage, plainImages } from '../support/small-images.ts';

let test: SharedService;
let api: ApiClient;
let uploaded: UploadResult;
beforeAll(async () => {
  test = await sharedService();
  ({ api } = test);
  uploaded = await api.upload(await plainImages(6, { width: 2000, height: 20 }));
});
afterAll(async () => {
  await expectCleanBooks(test);
});

async function post(path: string, json: unknown, as = api) {
  const response = await as.request(path, { json });
  return { status: response.status, type: response.headers.get('Content-Type') ?? '', text: await response.text() };
}

const session = () => `/v1/sessions/${uploaded.sessionId}`;
const images = (count: number) =>
  uploaded.images.slice(0, count).map(({ id, uploadPath, originalFilename }) => ({ id, uploadPath, originalFilename }));
const only = (count: number): UploadResult => ({ ...uploaded, images: uploaded.images.slice(0, count) });

async function resultOf(settings: object): Promise<ImageResult> {
  const { last } = await api.run('sample', only(1), settings);
  return (last.data.results as ImageResult[])[0] as ImageResult;
}

describe('Authentication', () => {
  it('1–3: a request with a valid key in X-API-Key is served, as its owner', async () => {
    const { api: other } = await test.createAccount({ credits: 7 });
    expect(await other.balance()).toBe(7);
  });

  it('2: the key is shown at its creation and nowhere later', async () => {
    const { accountId, apiKey } = await test.createAccount();
    expect(apiKey).toMatch(/^iw_[0-9A-Za-z]{36}$/);
    expect(JSON.stringify(await test.service.accounts.keys.list(accountId))).not.toContain(apiKey.slice(3, 20));
  });

  it('4: a missing or invalid key is 401, a deactivated one 403, insufficient credits 402', async () => {
    const none = await fetch(`${test.url}/v1/credits/balance`);
    expectError({ status: none.status, text: await none.text() }, 'invalid_api_key');
    const wrong = await api.request('/v1/credits/balance', { headers: { 'X-API-Key': 'nonsense' } });
    expectError({ status: wrong.status, text: await wrong.text() }, 'invalid_api_key');
    const { api: off, accountId, keyId } = await test.createAccount();
    await test.service.accounts.keys.deactivate(accountId, keyId);
    const inactive = await off.request('/v1/credits/balance');
    const { error } = expectError({ status: inactive.status, text: await inactive.text() }, 'inactive_api_key');
    expect(error).toMatch(/deactivated/);
    const poor = (await test.createAccount({ credits: 1 })).api;
    const theirs = await poor.upload(await plainImages(2));
    const refused = await post(`/v1/sessions/${theirs.sessionId}/export`, poor.exportBody(theirs, {}), poor);
    expect(expectError(refused, 'insufficient_credits').error).toBe('Insufficient credits: balance is 1, 2 needed');
  });

  it('5: the free plan has 1 key, Agency has 20', async () => {
    const { keys } = test.service.accounts;
    for (const [plan, limit] of Object.entries({ free: 1, agency: 20 })) {
      const { accountId, api: owner } = await test.createAccount({ plan });
      for (let number = 2; number <= limit; number += 1) await keys.create({ accountId, name: `key ${number}` });
      await expect(keys.create({ accountId, name: 'one too many' })).rejects.toThrow(/at most/);
      expect(await owner.readJson('/v1/credits/balance')).toMatchObject({ plan, keys: { used: limit, limit } });
    }
  });
});

describe('Export images', () => {
  it('takes sessionId, images and settings, and answers with text/event-stream that complete ends', async () => {
    const answer = await post(`${session()}/export`, {
      sessionId: uploaded.sessionId,
      images: images(1),
      settings: { format: 'webp' },
    });
    expect([answer.status, answer.type]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(answer.text.trimEnd().split('\n\n').at(-1)).toMatch(/^id: .*\nevent: complete\ndata: \{.*"results":\[/);
  });

  it('is the same at POST /v1/export, with the session taken from the body', async () => {
    const answer = await post('/v1/export', { sessionId: uploaded.sessionId, images: images(1), settings: {} });
    expect([answer.status, answer.text.includes('event: complete')]).toEqual([200, true]);
  });

  it.each(['images', 'settings'])('without %s is 400 and names it', async (field) => {
    const { [field]: _, ...body } = { sessionId: uploaded.sessionId, images: images(1), settings: {} } as Record<
      string,
      unknown
    >;
    const { errors } = expectError(await post(`${session()}/export`, body), 'invalid_request');
    expect(Object.keys(errors as object)).toEqual([field]);
  });

  it('with the sessionId of another session in the body is 400', async () => {
    const body = { sessionId: `sess_${'z'.repeat(22)}`, images: images(1), settings: {} };
    expectError(await post(`${session()}/export`, body), 'session_mismatch');
  });

  it('with the same image twice, or with none, is 400', async () => {
    expectError(
      await post(`${session()}/export`, { images: [...images(1), ...images(1)], settings: {} }),
      'duplicate_image',
    );
    expectError(await post(`${session()}/export`, { images: [], settings: {} }), 'invalid_request');
  });

  it('has no limit of images: 120 in one request', async () => {
    const many = await api.upload(await plainImages(60));
    const more = await api.upload(await plainImages(60), { sessionId: many.sessionId });
    const { last } = await api.run('export', { ...many, images: [...many.images, ...more.images] });
    expect(last).toMatchObject({
      event: 'complete',
      data: { summary: { total: 120, completed: 120 }, credits: { charged: 120 } },
    });
  });
});

describe('Start sample export', () => {
  it('1: takes 5 images; 6 are 400 with both numbers', async () => {
    expect((await post(`${session()}/sample`, { images: images(5), settings: {} })).status).toBe(200);
    const answer = await post(`${session()}/sample`, { images: images(6), settings: {} });
    expect(expectError(answer, 'sample_limit_exceeded')).toMatchObject({ limit: 5, received: 6 });
  });

  it('2: deducts no credits', async () => {
    const before = await api.balance();
    await api.run('sample', only(5));
    expect(await api.balance()).toBe(before);
  });

  it('3: writes into {sessionId}-sample', async () => {
    const { variants } = await resultOf({});
    expect(variants[0]?.url).toContain(`/v1/sessions/${uploaded.sessionId}-sample/download?`);
    expect(variants[0]?.path).toContain(`${uploaded.sessionId}-sample/`);
  });
});

describe('Settings object', () => {
  it('has the defaults webp, high, not responsive', async () => {
    const result = await resultOf({});
    expect(result).toMatchObject({ format: 'webp', quality: { preset: 'high' } });
    expect(result.variants.map(({ name }) => name)).toEqual(['full']);
  });

  it.each(['webp', 'avif', 'jpeg', 'png', 'original'])('takes the format %s', async (format) => {
    const { mimeType, filename } = await resultOf({ format });
    const real = format === 'original' ? 'png' : format;
    expect([mimeType, filename?.split('.').at(-1)]).toEqual([`image/${real}`, real === 'jpeg' ? 'jpg' : real]);
  });

  it.each(['maximum', 'very_high', 'high', 'medium', 'low', 'minimum'])('takes the preset %s', async (preset) => {
    expect(await resultOf({ format: 'jpeg', preset })).toMatchObject({ status: 'completed', quality: { preset } });
  });

  it('responsive makes 480, 768, 1024, 1440 and 1920, each named <width>w, behind full', async () => {
    const { variants } = await resultOf({ responsive: true });
    expect(variants.map(({ name, width }) => [name, width])).toEqual([
      ['full', 2000],
      ['480w', 480],
      ['768w', 768],
      ['1024w', 1024],
      ['1440w', 1440],
      ['1920w', 1920],
    ]);
  });

  it('responsiveSizes are made when responsive is true, merged, never enlarged, and ignored when it is false', async () => {
    const responsiveSizes = [300, { width: 300 }, { width: 100, height: 20, fit: 'cover' }, 3000];
    const made = await resultOf({ responsive: true, responsiveSizes });
    expect(made.variants.map(({ name, width, height }) => [name, width, height])).toEqual([
      ['full', 2000, 20],
      ['100w', 100, 20],
      ['300w', 300, 3],
    ]);
    expect(made.skippedSizes).toEqual([3000]);
    expect(made.warnings.map(({ code }) => code)).not.toContain('sizes_ignored');
    const ignored = await resultOf({ responsiveSizes });
    expect(ignored.variants).toHaveLength(1);
    expect(ignored.warnings).toContainEqual({
      code: 'sizes_ignored',
      message: '`responsiveSizes` has no effect without `responsive: true`.',
    });
  });

  it('with any other value is 400 and names the field', async () => {
    for (const [field, value] of Object.entries({
      format: 'gif',
      preset: 'best',
      responsive: 'yes',
      responsiveSizes: [15],
      embedMetadata: 1,
    })) {
      const { errors } = expectError(
        await post(`${session()}/sample`, { images: images(1), settings: { [field]: value } }),
        'invalid_request',
      );
      expect(Object.keys(errors as object)[0]).toMatch(new RegExp(`^settings\\.${field}`));
    }
    for (const sizes of [
      [8193],
      Array(11).fill(100),
      [{ height: 20 }],
      [{ width: 100, fit: 'fill' }],
      [{ width: 100, crop: true }],
    ]) {
      expectError(
        await post(`${session()}/sample`, {
          images: images(1),
          settings: { responsive: true, responsiveSizes: sizes },
        }),
        'invalid_request',
      );
    }
  });
});

describe('Export result', () => {
  it('holds the variants with name, path, size, width and height, and sums that add up', async () => {
    const named = await api.upload([await plainImage('DSC1.png', { width: 300 })], { metadata: [{ clientRef: '42' }] });
    const { last, jobId } = await api.run('export', named, { responsive: true, responsiveSizes: [100] });
    const { results, summary, ...rest } = last.data as { results: ImageResult[]; summary: Summary };
    expect(rest).toMatchObject({ sessionId: named.sessionId, jobId, status: 'completed' });
    const [result] = results;
    const full = result?.variants[0];
    expect(result).toMatchObject({
      imageId: named.images[0]?.id,
      clientRef: '42',
      status: 'completed',
      originalFilename: 'DSC1.png',
      filename: 'DSC1.webp',
      format: 'webp',
      mimeType: 'image/webp',
      original: { size: named.images[0]?.size, sha256: named.images[0]?.sha256, width: 300, height: 30, format: 'png' },
      keptOriginal: false,
      fromCache: false,
      skippedSizes: [],
      warnings: [],
      creditsCharged: 1,
      error: null,
    });
    for (const { name, path, size, width, height, filename, url, sha256 } of result?.variants ?? []) {
      expect([typeof name, typeof path, size > 0, width > 0, height > 0]).toEqual([
        'string',
        'string',
        true,
        true,
        true,
      ]);
      // Path and parameter of the specification; the value names the bytes. The plain name stays valid.
      const address = `/v1/sessions/${named.sessionId}/download?filename=`;
      expect(url).toBe(`${address}${sha256}/${filename}`);
      expect((await api.request(address + filename)).headers.get('ETag')).toBe(`"${sha256}"`);
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    }
    const saved = (result?.original.size ?? 0) - (full?.size ?? 0);
    expect(result).toMatchObject({ savedBytes: saved, largerThanOriginal: saved < 0 });
    expect(summary).toMatchObject({
      total: 1,
      completed: 1,
      failed: 0,
      originalBytes: result?.original.size,
      outputBytes: full?.size,
      savedBytes: saved,
      savedPercent: result?.savedPercent,
    });
    expect(await api.readJson(`/v1/jobs/${jobId}`)).toMatchObject({ status: 'completed', results, summary });
  });
});

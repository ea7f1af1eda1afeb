import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageResult } from '#contract';
import { expectError } from '../support/error-answers.ts';
import { createRawClient } from '../support/raw-request.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { noiseImage } from '../support/small-images.ts';

let test: SharedService;
let raw: ReturnType<typeof createRawClient>;
let result: ImageResult;
let path: string;
let etag: string;
let fullFile: Buffer;

const get = (headers: Record<string, string> = {}, method = 'GET', target = path) =>
  raw.send(target, { method, headers: { 'X-API-Key': test.api.apiKey ?? '', ...headers } });

beforeAll(async () => {
  test = await sharedService();
  raw = createRawClient(test.url);
  const uploaded = await test.api.upload([await noiseImage('Größe "1".png')], {
    metadata: [{ filename: 'Größe „1" — 東京' }],
  });
  const { last } = await test.api.run('export', uploaded);
  result = (last.data.results as ImageResult[])[0] as ImageResult;
  path = result.variants[0]?.url ?? '';
  const answer = await get();
  fullFile = answer.body;
  etag = answer.headers.etag ?? '';
});
afterAll(async () => {
  raw.close();
});

describe('a download', () => {
  it('is the very bytes of the result, with their type, length, hash, and every protective header', async () => {
    const { status, headers } = await get();
    const variant = result.variants[0];
    expect(status).toBe(200);
    expect(fullFile.length).toBe(variant?.size);
    expect(createHash('sha256').update(fullFile).digest('hex')).toBe(variant?.sha256);
    expect(headers).toMatchObject({
      'content-type': 'image/webp',
      'content-length': String(variant?.size),
      etag: `"${variant?.sha256}"`,
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
    });
    expect(headers['cache-control']).toContain('private');
  });

  it('is an attachment with the true name in UTF-8 and an ASCII one beside it', async () => {
    expect(result.filename).toBe('Größe „1 — 東京.webp');
    const { headers } = await get();
    // Node hands headers on as Latin-1.
    const disposition = headers['content-disposition'] ?? '';
    expect(disposition).toMatch(/^attachment; filename="[\x20-\x7e]+\.webp"; filename\*=UTF-8''/);
    expect(decodeURIComponent(disposition.split("UTF-8''")[1] ?? '')).toBe(result.filename);
  });

  it.each([
    ['bytes=0-9', 0, 10],
    ['bytes=10-', 10, undefined],
    ['bytes=-7', -7, undefined],
    ['bytes=5-999999999', 5, undefined],
  ])('with Range: %s is 206 with exactly that part', async (range, start, end) => {
    const { status, headers, body } = await get({ Range: range });
    const part = fullFile.subarray(start, end);
    expect([status, body.equals(part)]).toEqual([206, true]);
    const first = start < 0 ? fullFile.length + start : start;
    expect(headers['content-range']).toBe(`bytes ${first}-${first + part.length - 1}/${fullFile.length}`);
    expect(headers['content-length']).toBe(String(part.length));
  });

  it('with a range outside is 416 with the size', async () => {
    const answer = await get({ Range: `bytes=${fullFile.length}-` });
    expect(expectError(answer, 'range_not_satisfiable').size).toBe(fullFile.length);
    expect(answer.headers['content-range']).toBe(`bytes */${fullFile.length}`);
  });

  it.each(['bytes=', 'bytes=9-5', 'items=0-5', 'bytes=0-1,3-4', 'bytes=a-b'])(
    'with the unusable Range %s is the whole file',
    async (range) => {
      const { status, body } = await get({ Range: range });
      expect([status, body.length]).toEqual([200, fullFile.length]);
    },
  );

  it('that the client has already is 304 without a body', async () => {
    for (const value of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
      const { status, body, headers } = await get({ 'If-None-Match': value });
      expect([value, status, body.length, headers.etag]).toEqual([value, 304, 0, etag]);
    }
    expect((await get({ 'If-None-Match': '"other"' })).status).toBe(200);
  });

  it('goes on with If-Range only while the file is the same', async () => {
    expect((await get({ Range: 'bytes=0-9', 'If-Range': etag })).status).toBe(206);
    expect((await get({ Range: 'bytes=0-9', 'If-Range': '"older"' })).status).toBe(200);
  });

  it('by HEAD has the headers of GET and no body', async () => {
    const [head, whole200] = [await get({}, 'HEAD'), await get()];
    expect([head.status, head.body.length]).toEqual([200, 0]);
    for (const name of ['content-length', 'content-type', 'etag', 'content-disposition']) {
      expect(head.headers[name]).toBe(whole200.headers[name]);
    }
  });

  it('needs the key of the account that owns it', async () => {
    expectError(await raw.send(path), 'invalid_api_key');
    const { apiKey } = await test.createAccount();
    expectError(await raw.send(path, { headers: { 'X-API-Key': apiKey } }), 'session_not_found');
  });

  it('by its name gets the new bytes, under a new ETag, once the name holds another export', async () => {
    const uploaded = await test.api.upload([await noiseImage('swap.png', { seed: 77 })]);
    const first = await test.api.run('export', uploaded, { embedMetadata: true });
    await test.api.readJson(`/v1/sessions/${uploaded.sessionId}/images/${uploaded.images[0]?.id}`, {
      method: 'PATCH',
      json: { metadata: { title: 'A title that goes into the file' } },
    });
    const { filename = '', url = '' } = (first.last.data.results as ImageResult[])[0]?.variants[0] ?? {};
    const target = `/v1/sessions/${uploaded.sessionId}/download?filename=${filename}`;
    const before = await get({}, 'GET', target);
    await test.api.run('export', uploaded, { embedMetadata: true });
    const after = await get({ 'If-None-Match': before.headers.etag ?? '' }, 'GET', target);
    expect([after.status, after.headers.etag === before.headers.etag]).toEqual([200, false]);
    expect(after.body.includes('A title that goes into the file')).toBe(true);
    expect((await get({}, 'GET', url)).body.equals(before.body)).toBe(true);
  });
});

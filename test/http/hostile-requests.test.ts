import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedFiles } from '../support/aftermath.ts';
import { expectError } from '../support/error-answers.ts';
import { createRawClient } from '../support/raw-request.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImage } from '../support/small-images.ts';

let test: TestService;
let raw: ReturnType<typeof createRawClient>;
let key: Record<string, string>;
let json: Record<string, string>;
let paths: { export: string; sample: string; image: string; check: string; sessions: string };
beforeAll(async () => {
  test = await startTestService();
  raw = createRawClient(test.url);
  key = { 'X-API-Key': test.api.apiKey ?? '' };
  json = { ...key, 'Content-Type': 'application/json' };
  const { sessionId, images } = await test.api.upload([await plainImage('one.png')]);
  const session = `/v1/sessions/${sessionId}`;
  paths = {
    export: `${session}/export`,
    sample: `${session}/sample`,
    image: `${session}/images/${images[0]?.id}`,
    check: '/v1/credits/check',
    sessions: '/v1/sessions',
  };
});
afterAll(async () => {
  raw.close();
  await test.close();
});

const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = json) =>
  raw.send(path, { method: path === paths.image ? 'PATCH' : 'POST', headers, body });
const targets = () => [paths.export, paths.sample, '/v1/export', paths.image, paths.check, paths.sessions];

describe('a JSON body', () => {
  it('nested 100,000 deep is 400, in every field', async () => {
    const depth = 100_000;
    for (const nest of ['['.repeat(depth) + ']'.repeat(depth), `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`]) {
      for (const path of targets()) {
        for (const body of [nest, `{"images":${nest},"settings":{}}`, `{"settings":${nest}}`, `{"metadata":${nest}}`]) {
          const answer = await post(path, body);
          // The strict parser accepts a list or an object; a credit check counts lists of anything.
          if (path !== paths.check || answer.status !== 200) expectError(answer, 'invalid_request');
        }
      }
    }
  });

  it('nested deep in a field that is ignored is 400, also with an Idempotency-Key, which hashes it', async () => {
    const imageId = paths.image.split('/').at(-1);
    const bodyOf = (depth: number) =>
      `{"images":[{"id":"${imageId}","metadata":{"x":${'['.repeat(depth)}${']'.repeat(depth)}}}],"settings":{}}`;
    for (const headers of [json, { ...json, 'Idempotency-Key': 'deep' }]) {
      expectError(await post(paths.export, bodyOf(100_000), headers), 'invalid_request');
      expectError(await post(paths.sample, bodyOf(100), headers), 'invalid_request');
      expect((await post(paths.check, bodyOf(90), headers)).status).toBe(200);
    }
  });

  it('of hundreds of thousands of wrong elements gets a short 400 without delaying other requests', async () => {
    const body = `{"images":[${'{},'.repeat(300_000)}{}],"settings":{}}`;
    const answer = await post(paths.export, body);
    expectError(answer, 'invalid_request');
    expect(answer.body.length).toBeLessThan(10_000);
    const analysis = await post(paths.export.replace('/export', '/analyze'), `{"images":[${'{},'.repeat(300_000)}{}]}`);
    // Refused by its length, before each of its elements is judged.
    expect(Object.keys(expectError(analysis, 'invalid_request').errors as object)).toEqual(['images']);
    const many = await post(paths.export, `{"images":[${'{},'.repeat(2000)}{}],"settings":{}}`);
    expectError(many, 'invalid_request');
    expect(many.body.length).toBeLessThan(10_000);
  });

  it('above the limit is 413, also if only its inflated form is', async () => {
    const large = JSON.stringify({ images: 'x'.repeat(1_100_000) });
    for (const path of targets()) {
      expect(expectError(await post(path, large), 'request_too_large').limit).toBe(1_048_576);
    }
    const bomb = gzipSync(Buffer.alloc(200_000_000, 0x20));
    const answer = await post(paths.check, bomb, { ...json, 'Content-Encoding': 'gzip' });
    expectError(answer, 'request_too_large');
  });

  it('may be compressed; invalid compressed data is 400, an unknown encoding 415', async () => {
    const body = gzipSync('{"imageCount":3}');
    const good = await post(paths.check, body, { ...json, 'Content-Encoding': 'gzip' });
    expect(JSON.parse(good.text)).toMatchObject({ cost: 3 });
    expectError(await post(paths.check, 'no gzip', { ...json, 'Content-Encoding': 'gzip' }), 'invalid_json');
    expectError(await post(paths.check, body.subarray(0, 12), { ...json, 'Content-Encoding': 'gzip' }), 'invalid_json');
    expectError(await post(paths.check, body, { ...json, 'Content-Encoding': 'zstd9' }), 'unsupported_media_type');
  });

  it.each(['{', '{"a":1,}', 'undefined', "{'a':1}", '"text"', '1', 'null', '{"a":1}x', '\u0000', '{"a":"\u0001"}'])(
    '%j is 400 invalid_json',
    async (body) => {
      for (const path of targets()) expectError(await post(path, body), 'invalid_json');
    },
  );

  it('of zero bytes is 400 and names the missing fields', async () => {
    const { errors } = expectError(await post(paths.export, ''), 'invalid_request');
    expect(Object.keys(errors as object)).toEqual(['images', 'settings']);
  });

  it('of another type than JSON is 415 and names the expected type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'json', '']) {
      for (const path of targets()) {
        const headers = type === '' ? key : { ...key, 'Content-Type': type };
        const { error } = expectError(await post(path, '{"imageCount":1}', headers), 'unsupported_media_type');
        expect(error).toMatch(/application\/json|multipart\/form-data/);
      }
    }
  });

  it('with prototype pollution or database operators changes nothing', async () => {
    for (const body of [
      `{"__proto__":{"images":[]},"images":[],"settings":{}}`,
      `{"images":[{"id":{"$ne":null}}],"settings":{}}`,
      `{"sessionId":{"$gt":""},"images":[{"id":"x"}],"settings":{"format":{"$gt":""}}}`,
      `{"metadata":{"__proto__":{"title":"x"},"constructor":{"prototype":{"a":1}}}}`,
      `{"metadata":{"$set":{"accountId":"acct_x"}}}`,
      `{"imageCount":{"$gt":0}}`,
      `{"images":[{"url":{"$gt":""}}]}`,
    ]) {
      for (const path of targets()) {
        // A credit check counts a list of anything; the session that it may name is a text.
        const isList = body.includes('"images":[') && !/__proto__|"sessionId":{/.test(body);
        const counted = path === paths.check && isList;
        expect([path, body, (await post(path, body)).status]).toEqual([path, body, counted ? 200 : 400]);
      }
    }
    expect(({} as Record<string, unknown>).title).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('a request', () => {
  it('with any of 200 invalid keys is 401', async () => {
    const junk = [
      '',
      ' ',
      'iw_',
      `iw_${'a'.repeat(36)}`,
      '{"$gt":""}',
      '../../',
      'null',
      'a'.repeat(8000),
      'ключ',
      '\u00ff',
    ];
    for (let round = 0; round < 20; round += 1) {
      for (const value of junk) {
        const headers = { 'X-API-Key': Buffer.from(value).toString('latin1') };
        expectError(await raw.send('/v1/credits/balance', { headers }), 'invalid_api_key');
      }
    }
  });

  it('with a key in the query, in Authorization, or given twice is 401', async () => {
    const value = key['X-API-Key'] ?? '';
    expectError(await raw.send(`/v1/credits/balance?X-API-Key=${value}&api_key=${value}`), 'invalid_api_key');
    expectError(
      await raw.send('/v1/credits/balance', { headers: { Authorization: `Bearer ${value}` } }),
      'invalid_api_key',
    );
    expectError(await raw.send('/v1/credits/balance', { headers: { 'X-API-Key': [value, value] } }), 'invalid_api_key');
  });

  it('with forged proxy and method headers gets the same response as without them', async () => {
    const forged = {
      ...key,
      'X-HTTP-Method-Override': 'DELETE',
      'X-Forwarded-For': '127.0.0.1',
      'X-Forwarded-Host': 'evil.example',
      'X-Original-URL': '/metrics',
      'X-Request-Id': 'req_forged',
    };
    const answer = await raw.send('/v1/credits/balance', { headers: forged });
    expect(JSON.parse(answer.text)).toHaveProperty('balance');
    expect(answer.headers['x-request-id']).toMatch(/^req_[0-9A-Za-z]{22}$/);
    expect(JSON.stringify(answer.headers)).not.toContain('evil');
  });

  it('with odd queries is 400 or ignores them, never a 5xx', async () => {
    for (const query of ['?limit=', '?limit=0', '?limit=1e9', '?limit=1&limit=2', '?cursor=%00', '?cursor=../']) {
      expectError(await raw.send(`/v1/credits/transactions${query}`, { headers: key }), 'invalid_request').errors;
    }
    for (const query of [
      '?width=',
      '?width=15',
      '?width=2049',
      '?width=abc',
      '?width=-1',
      '?width=1.5',
      '?width=1&width=2',
    ]) {
      expectError(await raw.send(`${paths.image}/preview${query}`, { headers: key }), 'invalid_request');
    }
    const ignored = await raw.send('/v1/credits/balance?__proto__=1&constructor=2&limit[$gt]=1&a=%E0%A4%A', {
      headers: key,
    });
    expect(ignored.status).toBe(200);
  });
});

describe('every request above', () => {
  it('leaves the session unchanged and no file behind', async () => {
    const session = await test.api.readJson<{ images: unknown[]; jobs: unknown[] }>(
      paths.export.replace('/export', ''),
    );
    expect([session.images.length, session.jobs.length]).toEqual([1, 0]);
    const files = (await storedFiles(test)).filter((file) => file !== 'store-id');
    expect(files).toHaveLength(1);
    expect(await test.api.balance()).toBe(1000);
  });
});

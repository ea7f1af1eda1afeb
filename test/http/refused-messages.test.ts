import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/error-answers.ts';
import { createRawClient } from '../support/raw-request.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImage, type SmallImage } from '../support/small-images.ts';
import { multipartBody, part } from './upload-server.ts';

let test: TestService;
let raw: ReturnType<typeof createRawClient>;
let key: Record<string, string>;
let image: SmallImage;
beforeAll(async () => {
  test = await startTestService();
  raw = createRawClient(test.url);
  key = { 'X-API-Key': test.api.apiKey ?? '' };
  image = await plainImage('one.png');
});
afterAll(async () => {
  raw.close();
  await test.close();
});

const ofImage = () => part('name="images"; filename="one.png"', Buffer.from(image.bytes), 'image/png');

async function upload(...parts: Buffer[]) {
  const headers = { ...key, 'Content-Type': 'multipart/form-data; boundary=xyz' };
  return raw.send('/v1/sessions', { method: 'POST', headers, body: multipartBody('xyz', parts) });
}

describe('text that is not UTF-8', () => {
  const BROKEN = Buffer.from('gr\xfcn', 'latin1');
  const around = (before: string, after: string) => Buffer.concat([Buffer.from(before), BROKEN, Buffer.from(after)]);

  it('is 400 in a JSON body, whatever charset is declared, and changes nothing', async () => {
    const { sessionId, images } = await test.api.upload([image]);
    const path = `/v1/sessions/${sessionId}/images/${images[0]?.id}`;
    const body = around('{"metadata":{"alt":"', '"}}');
    for (const type of ['application/json', 'application/json; charset=iso-8859-1', 'application/merge-patch+json']) {
      const answer = await raw.send(path, { method: 'PATCH', headers: { ...key, 'Content-Type': type }, body });
      expect(expectError(answer, 'invalid_json').error).toContain('expected UTF-8');
    }
    const utf16 = Buffer.from('{"metadata":{"alt":"grün"}}', 'utf16le');
    const headers = { ...key, 'Content-Type': 'application/json; charset=utf-16' };
    expectError(await raw.send(path, { method: 'PATCH', headers, body: utf16 }), 'invalid_json');
    const read = await test.api.readJson<{ images: { metadata: unknown }[] }>(`/v1/sessions/${sessionId}`);
    expect(read.images[0]?.metadata).toBeNull();
  });

  it('is 400 in the field `metadata` of an upload, as text and as a file', async () => {
    const json = around('[{"alt":"', '"}]');
    for (const head of ['name="metadata"', 'name="metadata"; filename="blob"']) {
      const { error } = expectError(await upload(ofImage(), part(head, json)), 'invalid_request');
      expect(error).toContain('metadata: expected UTF-8');
    }
  });

  it('is told from UTF-8, with and without a byte order mark, a replacement character and a declared charset', async () => {
    const types = [undefined, 'application/json', 'text/plain; charset=utf-8'];
    for (const [index, alt] of ['grün 雪', '\ufffd', '\ufeff'].entries()) {
      for (const type of types) {
        const json = `${index === 2 ? '\ufeff' : ''}[{"alt":"${alt.trim()}!"}]`;
        const answer = await upload(ofImage(), part('name="metadata"', json, type));
        expect([type, answer.status]).toEqual([type, 201]);
        expect(JSON.parse(answer.text).images[0].metadata.alt).toBe(`${alt.trim()}!`);
      }
    }
    const latin = part('name="metadata"', around('[{"alt":"', '"}]'), 'text/plain; charset=iso-8859-1');
    expect(JSON.parse((await upload(ofImage(), latin)).text).images[0].metadata.alt).toBe('grün');
  });
});

describe('`metadata` of an upload that is sent as a file', () => {
  it('is read, before and behind the images', async () => {
    const metadata = part('name="metadata"; filename="blob"', '[{"clientRef":"7"}]', 'application/json');
    for (const parts of [
      [metadata, ofImage()],
      [ofImage(), metadata],
    ]) {
      const answer = await upload(...parts);
      const { images, rejected } = JSON.parse(answer.text);
      expect([answer.status, images[0].clientRef, rejected]).toEqual([201, '7', []]);
    }
  });

  it('is 400 if it is no JSON or too long', async () => {
    const as = (content: string) => part('name="metadata"; filename="blob"', content, 'application/json');
    expectError(await upload(ofImage(), as('[{')), 'invalid_request');
    expect(expectError(await upload(ofImage(), as(' '.repeat(100_001))), 'invalid_request').limit).toBe(100_000);
  });
});

/** Opens a connection, sends bytes and returns what is answered so far, by request. */
async function talk() {
  const { hostname, port } = new URL(test.url);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  await once(socket, 'connect');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  const closed = once(socket, 'close');
  return {
    send: (bytes: string | Buffer) => void socket.write(bytes),
    heard: () => text,
    ended: async () => {
      await closed;
      return text;
    },
    close: () => socket.destroy(),
  };
}

describe('a client that waits for `100 Continue`', () => {
  const head = (path: string, lines: string[]) =>
    [`POST ${path} HTTP/1.1`, 'Host: x', 'Expect: 100-continue', ...lines, '', ''].join('\r\n');

  it('is not asked for a body without a key, or for one that is too long', async () => {
    const own = `X-API-Key: ${test.api.apiKey}`;
    for (const [path, lines, status] of [
      ['/v1/sessions', ['Content-Type: multipart/form-data; boundary=x', 'Content-Length: 400000000'], 401],
      ['/v1/sessions', [own, 'Content-Type: multipart/form-data; boundary=x', 'Content-Length: 4000000000'], 413],
      ['/v1/credits/check', [own, 'Content-Type: application/json', 'Content-Length: 2000000'], 413],
      ['/v1/credits/check', ['Content-Type: application/json', 'Content-Length: 20'], 401],
      ['/v1/credits/check', [own, 'Content-Type: text/plain', 'Content-Length: 20'], 415],
    ] as const) {
      const connection = await talk();
      connection.send(head(path, [...lines]));
      const answer = await connection.ended();
      expect([path, answer.slice(0, 12)]).toEqual([path, `HTTP/1.1 ${status}`]);
      expect(answer).toMatch(/^Connection: close\r$/m);
    }
  });

  it.each([
    ['JSON', '/v1/credits/check', 'application/json', () => Buffer.from('{"imageCount":3}'), 200],
    ['files', '/v1/sessions', 'multipart/form-data; boundary=xyz', () => multipartBody('xyz', [ofImage()]), 201],
  ])('is asked for %s, once', async (_, path, type, bodyOf, status) => {
    const body = bodyOf();
    const connection = await talk();
    const lines = [`X-API-Key: ${test.api.apiKey}`, `Content-Type: ${type}`, `Content-Length: ${body.length}`];
    connection.send(head(path, [...lines, 'Connection: close']));
    await expect.poll(connection.heard).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    connection.send(body);
    const answer = (await connection.ended()).slice('HTTP/1.1 100 Continue\r\n\r\n'.length);
    expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
  });
});

describe('a refusal', () => {
  it('for want of a key or log-in names the scheme, which is no Basic', async () => {
    for (const path of ['/v1/credits/balance', '/account/profile']) {
      const answer = await raw.send(path);
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'ApiKey realm="Imagewright"']);
    }
    const headers = { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' };
    const body = JSON.stringify({ email: 'nobody@example.com', password: 'wrong password' });
    const logIn = await raw.send('/account/log-in', { method: 'POST', headers, body });
    expect([logIn.status, logIn.headers['www-authenticate']]).toEqual([401, 'ApiKey realm="Imagewright"']);
  });

  it('of the parser has a date', async () => {
    const connection = await talk();
    connection.send('GARBAGE\r\n\r\n');
    const answer = await connection.ended();
    const [, date = ''] = /^Date: (.*)\r$/m.exec(answer) ?? [];
    expect(Math.abs(Date.parse(date) - Date.now())).toBeLessThan(60_000);
  });

  it.each(['0x10', '1e0', '1.0', '', 'true', '٣'])('of a query tells %j from a whole number', async (text) => {
    const answer = await raw.send(`/v1/sessions?limit=${encodeURIComponent(text)}`, { headers: key });
    expectError(answer, 'invalid_request');
    expect((await raw.send('/v1/sessions?limit=01', { headers: key })).status).toBe(200);
  });
});

describe('a conditional request', () => {
  it('is 304 also beside `no-cache`, which speaks to caches', async () => {
    const uploaded = await test.api.upload([image]);
    await test.api.run('sample', uploaded);
    const file = `/v1/sessions/${uploaded.sessionId}-sample/download?filename=one.webp`;
    for (const path of ['/v1/openapi.json', file]) {
      const { etag = '' } = (await raw.send(path, { headers: key })).headers;
      const ask = (tag: string) =>
        raw.send(path, { headers: { ...key, 'If-None-Match': tag, 'Cache-Control': 'no-cache' } });
      for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) expect((await ask(tag)).status).toBe(304);
      expect((await ask('"other"')).status).toBe(200);
    }
  });
});

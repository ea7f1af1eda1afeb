import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/error-answers.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { startTestService, type TestService } from '../support/service.ts';

let test: TestService;
let key: string;
let logged: string[];
beforeAll(async () => {
  logged = [];
  test = await startTestService({ LOG_LEVEL: 'error' }, { log: (line) => logged.push(line) });
  key = test.api.apiKey ?? '';
});
afterAll(() => test.close());

const CHECK = JSON.stringify({ imageCount: 3 });

/** Sends raw bytes that no client library would send and returns the response. */
function sendBytes(bytes: string): Promise<string> {
  const { hostname, port } = new URL(test.url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('latin1').setTimeout(PATIENCE_MS, () => socket.destroy(new Error(`no end of: ${answer}`)));
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

/** Returns the last response of a connection that the server closes. */
function answerIn(text: string): { status: number; text: string } {
  const last = text.slice(text.lastIndexOf('HTTP/1.1 '));
  return { status: Number(last.slice(9, 12)), text: last.slice(last.indexOf('\r\n\r\n') + 4) };
}

const post = (headers: string[], body: string, path = '/v1/credits/check') =>
  sendBytes(
    [`POST ${path} HTTP/1.1`, 'Host: x', `X-API-Key: ${key}`, 'Connection: close', ...headers, '', body].join('\r\n'),
  );
const get = (target: string, headers: string[]) =>
  sendBytes([`GET ${target} HTTP/1.1`, ...headers, '', ''].join('\r\n'));

describe('a message that HTTP/1.1 forbids and Node accepts is a 400 with the reason', () => {
  it.each([
    ['no host', '/healthz', ['Connection: close'], 'Host: expected one, but received none'],
    ['two hosts', '/healthz', ['Host: a', 'Host: b'], 'Host: expected one, but received 2'],
    ['an address that is none', 'http://[::/healthz', ['Host: x'], 'but received "http://[::/healthz"'],
    ['a path without its /', 'healthz', ['Host: x'], ''],
  ])('%s', async (_, target, headers, why) => {
    const { error } = expectError(answerIn(await get(target, headers)), 'invalid_request');
    expect(error).toContain(why);
  });

  it('an unsupported transfer coding', async () => {
    const chunk = `${CHECK.length.toString(16)}\r\n${CHECK}\r\n0\r\n\r\n`;
    const type = 'Content-Type: application/json';
    const { error } = expectError(
      answerIn(await post([type, 'Transfer-Encoding: gzip, chunked'], chunk)),
      'invalid_request',
    );
    expect(error).toBe('Transfer-Encoding: expected chunked, but received "gzip, chunked"');
    expect(answerIn(await post([type, 'Transfer-Encoding: Chunked'], chunk)).status).toBe(200);
  });
});

describe('unusual but valid messages get a response', () => {
  it('HTTP/1.0 without a host', async () => {
    const answer = await sendBytes(`GET /v1/credits/balance HTTP/1.0\r\nX-API-Key: ${key}\r\n\r\n`);
    expect(answerIn(answer).status).toBe(200);
  });

  it('an unknown expectation', async () => {
    const headers = ['Expect: miracles', 'Content-Type: application/json', `Content-Length: ${CHECK.length}`];
    expect(answerIn(await post(headers, CHECK)).status).toBe(200);
  });

  it('pipelined requests, in order', async () => {
    const one = (path: string, ...headers: string[]) =>
      [`GET ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');
    const answers = await sendBytes(
      one('/healthz') + one('/v1/credits/balance') + one('/nothing', 'Connection: close'),
    );
    expect([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '401', '404']);
  });
});

describe('a body of JSON', () => {
  it.each([
    'application/json;;;',
    'Application/JSON',
    'application/vnd.x+json; charset=utf-8',
    'application/x.y-z+json',
  ])('is read as %s', async (type) => {
    const answer = answerIn(await post([`Content-Type: ${type}`, `Content-Length: ${CHECK.length}`], CHECK));
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"cost":3')]);
  });

  it('is not treated as missing if the parser cannot read its type', async () => {
    const headers = [`Content-Type: application/-${'x'.repeat(200)}+json`, `Content-Length: ${CHECK.length}`];
    expectError(answerIn(await post(headers, CHECK)), 'unsupported_media_type');
  });
});

describe('a missing body', () => {
  it('counts as empty JSON, or as an upload without images', async () => {
    const headers = ['Content-Type: application/json'];
    const { errors } = expectError(answerIn(await post(headers, '')), 'invalid_request');
    expect(errors).toBeTruthy();
    const { error } = expectError(answerIn(await post([], '')), 'unsupported_media_type');
    expect(error).toContain('but received none');
    for (const type of ['multipart/form-data; boundary=x', 'text/plain'])
      expectError(answerIn(await post([`Content-Type: ${type}`], '', '/v1/sessions')), 'no_images');
  });

  it('is not a 5xx if it is cut off or followed by invalid HTTP', async () => {
    const type = 'Content-Type: application/json';
    const cuts = [
      [[type, 'Transfer-Encoding: chunked'], `zz\r\n${CHECK}`],
      [[type, `Content-Length: ${CHECK.length}`], `${CHECK}garbage`],
      [[type, 'Content-Length: 5'], CHECK],
    ] as const;
    for (const [headers, body] of cuts) {
      const { status } = answerIn(await post([...headers], body));
      expect([200, 400]).toContain(status);
    }
    expect(logged).toEqual([]);
  });

  it('with a Content-Length above the limit is refused as too large, whatever space the disk has', async () => {
    const { hostname, port } = new URL(test.url);
    const head = ['POST /v1/sessions HTTP/1.1', 'Host: x', `X-API-Key: ${key}`, 'Content-Length: 999999999999999'];
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write([...head, 'Content-Type: multipart/form-data; boundary=x', '', ''].join('\r\n')),
      );
      socket.once('data', (chunk) => {
        resolve(String(chunk));
        socket.destroy();
      });
    });
    expect(expectError(answerIn(answer), 'request_too_large').limit).toBe(500_000_000);
  });
});

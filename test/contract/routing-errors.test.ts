import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS, type Endpoint } from '#contract';
import { expectError } from '../support/error-answers.ts';
import { createRawClient } from '../support/raw-request.ts';
import { startTestService, type TestService } from '../support/service.ts';

let test: TestService;
let raw: ReturnType<typeof createRawClient>;
let key: Record<string, string>;
beforeAll(async () => {
  test = await startTestService({ REQUEST_TIMEOUT_SECONDS: '1' });
  raw = createRawClient(test.url);
  key = { 'X-API-Key': test.api.apiKey ?? '' };
});
afterAll(async () => {
  raw.close();
  await test.close();
});

const IDS: Record<string, string> = {
  ':sessionId': `sess_${'a'.repeat(22)}`,
  ':imageId': `img_${'a'.repeat(22)}`,
  ':jobId': `job_${'a'.repeat(22)}`,
  ':shareId': `share_${'a'.repeat(22)}`,
  ':keyId': `key_${'a'.repeat(22)}`,
  ':loginId': `login_${'a'.repeat(22)}`,
  ':accountId': `acct_${'a'.repeat(22)}`,
};
const endpoints = Object.entries(ENDPOINTS) as [string, Endpoint][];
const concrete = (path: string) => path.replace(/:\w+/g, (name) => IDS[name] ?? '');
const paths = [...new Set(endpoints.map(([, { path }]) => path))];

/** Sends raw bytes and returns everything received. */
function sendBytes(bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(test.url).port), '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

function parsed(answer: string) {
  const [head = '', text = ''] = answer.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, text };
}

describe('a path that does not exist', () => {
  it.each(['/nothing', '/v1', '/v2/sessions', '/v1/nothing', '/v1/sessions/x/y/z', '/%00', '/v1/%E0%A4%A'])(
    '%s is 404 not_found, with a key and without one',
    async (path) => {
      expectError(await raw.send(path, { headers: key }), 'not_found');
      expectError(await raw.send(path), 'not_found');
      expectError(await raw.send(path, { method: 'POST', body: '{}' }), 'not_found');
      expectError(await raw.send(path, { method: 'PROPFIND' }), 'not_found');
    },
  );
});

describe('a method that a path does not have', () => {
  it.each(paths)('%s is 405 with exactly its methods in Allow', async (path) => {
    const own = endpoints.filter(([, endpoint]) => endpoint.path === path).map(([, { method }]) => method as string);
    const allow = [...own, ...(own.includes('GET') ? ['HEAD'] : [])].sort();
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
      if (own.includes(method)) continue;
      const answer = await raw.send(concrete(path), { method, headers: key });
      expectError(answer, 'method_not_allowed');
      expect(answer.headers.allow?.split(', ').sort()).toEqual(allow);
    }
  });

  it.each(['/healthz', '/readyz', '/metrics'])('%s accepts only GET and HEAD', async (path) => {
    const answer = await raw.send(path, { method: 'POST' });
    expectError(answer, 'method_not_allowed');
    expect(answer.headers.allow).toBe('HEAD, GET');
  });

  it('is listed by OPTIONS, which responds with Allow and does nothing', async () => {
    const answer = await raw.send('/v1/credits/balance', { method: 'OPTIONS' });
    expect([answer.status, answer.headers.allow, answer.text]).toEqual([200, 'HEAD, GET', '']);
    expectError(await raw.send('/v1/nothing', { method: 'OPTIONS' }), 'not_found');
    const whole = await raw.send('*', { method: 'OPTIONS' });
    expect([whole.status, whole.headers.allow]).toEqual([204, 'GET, HEAD, POST, PATCH, DELETE, OPTIONS']);
  });
});

describe('HEAD', () => {
  it('responds like GET without a body', async () => {
    for (const path of ['/healthz', '/v1/credits/balance', '/v1/openapi.json']) {
      const [head, get] = [
        await raw.send(path, { method: 'HEAD', headers: key }),
        await raw.send(path, { headers: key }),
      ];
      expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', String(get.body.length)]);
    }
  });

  it('of a stream responds with its headers at once and does not wait for the job', async () => {
    const uploaded = await test.api.upload(['photos/art-flat-vector.png']);
    const { jobId } = await test.api.run('sample', uploaded);
    const answer = await raw.send(`/v1/jobs/${jobId}/events`, { method: 'HEAD', headers: key });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-job-id': jobId,
    });
    expect(answer.headers['content-length']).toBeUndefined();
  });
});

describe('an id that is malformed or unknown', () => {
  const withIds = endpoints.filter(([, { params, auth }]) => params && auth === 'key');
  it.each(withIds)('is 404 for %s and names the missing resource', async (_name, endpoint) => {
    const what = endpoint.path.includes(':jobId') ? 'job_not_found' : 'session_not_found';
    const images = [{ id: IDS[':imageId'] }];
    const order: Record<string, unknown> = { Export: { settings: {}, images }, Analysis: { images } };
    const bodies: Record<string, unknown> = { POST: order[endpoint.tag] ?? {}, PATCH: { metadata: {} } };
    const body = endpoint.body && !endpoint.takesFiles ? JSON.stringify(bodies[endpoint.method]) : undefined;
    const headers = { ...key, 'Content-Type': 'application/json' };
    const query = endpoint.path.endsWith('/download') ? '?filename=a.webp' : '';
    for (const id of [IDS[':sessionId'], 'sess_short', '..', '%2e%2e%2fetc', 'sess_%00', "'", 'a'.repeat(500)]) {
      const path = endpoint.path
        .replace(/:sessionId|:jobId/, id === IDS[':sessionId'] ? '$&' : (id ?? ''))
        .replace(/:\w+/g, (name) => IDS[name] ?? '');
      if (id === '..') continue;
      const answer = await raw.send(path + query, { method: endpoint.method, headers, body });
      expectError(answer, what);
    }
  });
});

describe('invalid HTTP', () => {
  it('is 400 in the shape of every error, and the connection is closed', async () => {
    for (const bytes of [
      'GARBAGE\r\n\r\n',
      'GET / HTTP/9.9\r\nHost: x\r\n\r\n',
      'GET /v1 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
      'POST /v1/export HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\nBad Header: \x01\r\n\r\n',
      'GET / HTTP/1.1\r\nX-API-Key: a\nb\r\n\r\n',
    ]) {
      const answer = parsed(await sendBytes(bytes));
      expectError(answer, 'invalid_request');
      expect(answer.head).toMatch(/^Connection: close$/im);
    }
  });

  it('with headers above 16 kB is 431', async () => {
    const answer = await sendBytes(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`);
    expectError(parsed(answer), 'headers_too_large');
  });

  it('with an incomplete body is 408 after the time limit', async () => {
    const head = `POST /v1/credits/check HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key['X-API-Key']}\r\n`;
    const answer = await sendBytes(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"imageCount"`);
    expectError(parsed(answer), 'request_timeout');
  });
});

import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImage } from '../support/small-images.ts';

describe('header fields of every response', () => {
  let test: TestService;
  beforeAll(async () => {
    test = await startTestService();
  });
  afterAll(() => test.close());

  it('keeps JSON of an account and errors out of caches', async () => {
    const uploaded = await test.api.upload([await plainImage('one.png')]);
    for (const [path, status] of [
      [`/v1/sessions/${uploaded.sessionId}`, 200],
      ['/v1/nothing', 404],
      ['/v1/sessions/nothing', 404],
    ] as const) {
      const { status: received, headers } = await test.api.request(path);
      expect([path, received, headers.get('Cache-Control')]).toEqual([path, status, 'private, no-store']);
      expect(headers.get('X-Content-Type-Options'), path).toBe('nosniff');
    }
  });

  it('leaves public documents cacheable and forbids to guess their type', async () => {
    for (const path of ['/v1/openapi.json', '/docs', '/healthz', '/metrics']) {
      const { headers } = await fetch(test.url + path);
      expect(headers.get('X-Content-Type-Options'), path).toBe('nosniff');
      expect(headers.get('Cache-Control') ?? '', path).not.toContain('no-store');
    }
  });

  it('has Strict-Transport-Security only where the service is reached by HTTPS', async () => {
    const secure = await startTestService({ PUBLIC_URL: 'https://images.example.com' });
    try {
      for (const path of ['/healthz', '/v1/nothing', '/v1/credits/balance']) {
        const { headers } = await fetch(secure.url + path);
        expect(headers.get('Strict-Transport-Security'), path).toBe('max-age=31536000');
      }
    } finally {
      await secure.close();
    }
    expect((await fetch(`${test.url}/healthz`)).headers.get('Strict-Transport-Security')).toBeNull();
  });

  it('responds to a malformed message with both', async () => {
    const socket = connect(Number(new URL(test.url).port), '127.0.0.1');
    socket.end('no request\r\n\r\n');
    const answer = await text(socket);
    expect(answer).toContain('\r\nCache-Control: private, no-store\r\n');
    expect(answer).toContain('\r\nX-Content-Type-Options: nosniff\r\n');
  });
});

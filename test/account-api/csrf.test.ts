import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPerson, type Person } from '../support/browser-client.ts';
import { expectError } from '../support/error-answers.ts';
import { createRawClient } from '../support/raw-request.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { plainImage } from '../support/small-images.ts';

let test: SharedService;
let me: Person;
let raw: ReturnType<typeof createRawClient>;
let origin: string;
let cookie: string;
let sessionId: string;
let previewPath: string;
beforeAll(async () => {
  test = await sharedService();
  me = await createPerson(test, { plan: 'agency' });
  raw = createRawClient(test.url);
  origin = test.url;
  cookie = `__Host-imagewright=${me.browser.cookie}`;
  const { apiKey } = (await me.browser.post('/account/keys', { name: 'upload' })).body;
  const form = new FormData();
  const { name, bytes } = await plainImage('one.png');
  form.append('images', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  const created = await fetch(`${test.url}/v1/sessions`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey },
    body: form,
  });
  const upload = (await created.json()) as { sessionId: string; images: { id: string }[] };
  sessionId = upload.sessionId;
  previewPath = `/v1/sessions/${sessionId}/images/${upload.images[0]?.id}/preview`;
});
afterAll(async () => {
  raw.close();
});

/** Origin that a request states, and whether its cookie counts for reading and for changing. */
const ORIGINS: [string, () => Record<string, string>, { read: boolean; change: boolean }][] = [
  ['a page of the service', () => ({ 'Sec-Fetch-Site': 'same-origin' }), { read: true, change: true }],
  ['a page of the service, of an older browser', () => ({ Origin: origin }), { read: true, change: true }],
  ['an address that was typed', () => ({ 'Sec-Fetch-Site': 'none' }), { read: true, change: false }],
  ['nowhere', () => ({}), { read: true, change: false }],
  ['a foreign page', () => ({ 'Sec-Fetch-Site': 'cross-site' }), { read: false, change: false }],
  ['a neighbour of the same site', () => ({ 'Sec-Fetch-Site': 'same-site' }), { read: false, change: false }],
  ['a foreign page, of an older browser', () => ({ Origin: 'https://evil.example' }), { read: false, change: false }],
  ['another port of this machine', () => ({ Origin: 'http://127.0.0.1:1' }), { read: false, change: false }],
  ['another scheme', () => ({ Origin: origin.replace('http:', 'https:') }), { read: false, change: false }],
  ['a page without an origin', () => ({ Origin: 'null' }), { read: false, change: false }],
  [
    'a foreign page that forges Origin',
    () => ({ 'Sec-Fetch-Site': 'cross-site', Origin: origin }),
    { read: false, change: false },
  ],
  ['something new', () => ({ 'Sec-Fetch-Site': 'same-planet' }), { read: false, change: false }],
];

const READS = [
  '/account/profile',
  '/account/keys',
  '/account/ledger.csv',
  '/v1/credits/balance',
  () => `/v1/sessions/${sessionId}`,
  () => previewPath,
];
const CHANGES: [string, string, unknown][] = [
  ['POST', '/account/keys', { name: 'made' }],
  ['DELETE', '/account/logins', undefined],
  ['POST', '/v1/credits/check', { imageCount: 1 }],
];

describe.each(ORIGINS)('with a cookie, from %s', (_name, headers, { read, change }) => {
  it(`reading ${read ? 'works' : 'is refused'}`, async () => {
    for (const path of READS) {
      const answer = await raw.send(typeof path === 'string' ? path : path(), {
        headers: { ...headers(), Cookie: cookie },
      });
      if (read) expect(answer.status).toBe(200);
      else expectError(answer, 'cross_site_request');
    }
  });

  it(`changing ${change ? 'works' : 'is refused'}`, async () => {
    for (const [method, path, json] of CHANGES) {
      const answer = await raw.send(path, {
        method,
        headers: { ...headers(), Cookie: cookie, 'Content-Type': 'application/json' },
        body: json === undefined ? undefined : JSON.stringify(json),
      });
      if (change) expect(answer.status).toBeLessThan(300);
      else expectError(answer, 'cross_site_request');
    }
  });

  it('an API key counts wherever the request comes from: no browser adds it by itself', async () => {
    const answer = await raw.send('/v1/credits/balance', { headers: { ...headers(), 'X-API-Key': test.api.apiKey } });
    expect(answer.status).toBe(200);
  });

  it('nobody is logged in as somebody else by a foreign page', async () => {
    const isForeign = !read;
    const answer = await raw.send('/account/log-in', {
      method: 'POST',
      headers: { ...headers(), 'Content-Type': 'application/json' },
      body: '{}',
    });
    if (isForeign || headers()['Sec-Fetch-Site'] === 'none') expectError(answer, 'cross_site_request');
    else expectError(answer, 'invalid_request');
  });
});

describe('the cookie', () => {
  it('is no key, and a key is no cookie', async () => {
    const same = { 'Sec-Fetch-Site': 'same-origin' };
    expectError(
      await raw.send('/v1/credits/balance', { headers: { 'X-API-Key': me.browser.cookie } }),
      'invalid_api_key',
    );
    for (const headers of [
      { 'X-API-Key': test.api.apiKey },
      { Cookie: `__Host-imagewright=${test.api.apiKey}` },
      { Cookie: `imagewright-login=${me.browser.cookie}` },
      { Cookie: `${cookie}; ${cookie}x` },
      { Authorization: `Bearer ${me.browser.cookie}` },
    ]) {
      expectError(await raw.send('/account/profile', { headers: { ...same, ...headers } }), 'not_logged_in');
    }
  });

  it('sees the sessions of its own account alone', async () => {
    const other = await createPerson(test);
    const path = `/v1/sessions/${sessionId}`;
    expect((await me.browser.get(path)).status).toBe(200);
    expectError(await other.browser.get(path), 'session_not_found');
    expectError(await other.browser.get(previewPath), 'session_not_found');
    expectError(await other.browser.delete(path), 'session_not_found');
  });

  it('answers with what no cache keeps', async () => {
    for (const path of ['/account/profile', '/account/options', '/v1/credits/balance']) {
      expect((await me.browser.get(path)).headers.get('Cache-Control')).toMatch(/no-store/);
    }
  });
});

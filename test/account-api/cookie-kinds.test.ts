import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPerson, PASSWORD } from '../support/browser-client.ts';
import { expectError } from '../support/error-answers.ts';
import { tokenIn } from '../support/mail-server.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';

let test: SharedService;
let behindTls: TestService;
let plain: TestService;
beforeAll(async () => {
  test = await sharedService();
  behindTls = await startTestService({ PUBLIC_URL: 'https://images.example.com' });
  plain = await startTestService({ LOGIN_COOKIE: 'plain' });
});
afterAll(async () => {
  await behindTls.close();
  await plain.close();
});

const LOCAL = 'http://localhost:8080';
const ELSEWHERE = 'https://images.example.com';
const SECURE_NAME = '__Host-imagewright';
const PLAIN_NAME = 'imagewright-login';

type Service = Pick<TestService, 'url' | 'service'>;

/** A browser that keeps each cookie it gets, on a page of `origin`; one that is `forgetful` keeps none. */
function openBrowser({ url }: Service, origin: string, { forgetful = false } = {}) {
  const jar = new Map<string, string>();
  async function send(method: string, path: string, json?: unknown) {
    const cookies = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url + path, {
      method,
      headers: {
        'Sec-Fetch-Site': 'same-origin',
        ...(method === 'GET' ? {} : { Origin: origin, 'Content-Type': 'application/json' }),
        ...(cookies ? { Cookie: cookies } : {}),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const set = response.headers.getSetCookie();
    for (const line of forgetful ? [] : set) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value) jar.set(name, value);
      else jar.delete(name);
    }
    const text = await response.text();
    const body = text.startsWith('{') ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, body, set };
  }
  return {
    jar,
    get: (path: string) => send('GET', path),
    post: (path: string, json: unknown = {}) => send('POST', path, json),
  };
}

async function logIn(on: Service, origin: string) {
  const person = await createPerson(on);
  const browser = openBrowser(on, origin);
  const answer = await browser.post('/account/log-in', { email: person.email, password: PASSWORD });
  expect(answer.status).toBe(200);
  return { ...person, browser, set: answer.set };
}

describe('the cookie of a log-in', () => {
  it.each([LOCAL, 'http://127.0.0.1:8080', 'http://[::1]:8080', 'http://localhost'])(
    'is one that every browser keeps, for a page of this machine over plain HTTP: %s',
    async (origin) => {
      const { browser, set } = await logIn(test, origin);
      expect(set).toEqual([expect.stringMatching(/^imagewright-login=iws_\w+; .*HttpOnly; SameSite=Lax$/)]);
      expect((await browser.get('/account/profile')).status).toBe(200);
      expect((await browser.post('/v1/credits/check', { imageCount: 1 })).status).toBe(200);
      const out = await browser.post('/account/log-out');
      expect([out.status, [...browser.jar]]).toEqual([204, []]);
    },
  );

  it.each([ELSEWHERE, 'https://localhost:8080', 'http://evil.localhost:8080', 'http://127.0.0.2:8080'])(
    'is a secure one elsewhere: %s',
    async (origin) => {
      const { set } = await logIn(test, origin);
      expect(set).toEqual([expect.stringMatching(/^__Host-imagewright=iws_\w+; .*; Secure$/)]);
    },
  );

  it('is judged by the page, not by the peer: programs on this machine get the secure one', async () => {
    const { email } = await createPerson(test);
    const body = JSON.stringify({ email, password: PASSWORD });
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${test.url}/account/log-in`, { method: 'POST', headers, body });
    expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-imagewright=/);
  });

  it('is never plain where PUBLIC_URL is https', async () => {
    const { browser, set } = await logIn(behindTls, LOCAL);
    expect(set[0]).toMatch(/^__Host-imagewright=.*Secure$/);
    const token = browser.jar.get(SECURE_NAME) ?? '';
    browser.jar.clear();
    browser.jar.set(PLAIN_NAME, token);
    expectError(await browser.get('/account/profile'), 'not_logged_in');
    // A neighbour on a subdomain can plant a plain cookie: it must not put anybody out.
    browser.jar.set(SECURE_NAME, token);
    expect((await browser.get('/account/profile')).status).toBe(200);
  });

  it('counts only in the kind that its log-in was opened with', async () => {
    for (const [on, origin, name] of [
      [test, ELSEWHERE, SECURE_NAME],
      [test, LOCAL, PLAIN_NAME],
    ] as const) {
      const { browser } = await logIn(on, origin);
      const token = browser.jar.get(name) ?? '';
      browser.jar.clear();
      browser.jar.set(name === SECURE_NAME ? PLAIN_NAME : SECURE_NAME, token);
      expectError(await browser.get('/account/profile'), 'not_logged_in');
      expect((await browser.get('/account/visit')).body).toEqual({ profile: null });
      // Nor can it end the log-in that it does not stand for.
      await browser.post('/account/log-out');
      browser.jar.clear();
      browser.jar.set(name, token);
      expect((await browser.get('/account/profile')).status).toBe(200);
    }
  });

  it('of LOGIN_COOKIE=plain is no longer one after the setting was taken back', async () => {
    const { browser, set } = await logIn(plain, 'http://192.168.1.5:8080');
    expect(set[0]).toMatch(/^imagewright-login=/);
    const token = browser.jar.get(PLAIN_NAME);
    const { browserSessions } = plain.service.signIn;
    expect(await browserSessions.check(token, 'plain')).toMatchObject({ outcome: 'valid' });
    expect(await browserSessions.check(token, 'local')).toEqual({ outcome: 'unknown' });
  });

  it('is refused when two come at once, until a log-in replaces both', async () => {
    const { browser, email } = await logIn(test, LOCAL);
    const attacker = await logIn(test, ELSEWHERE);
    browser.jar.set(SECURE_NAME, attacker.browser.jar.get(SECURE_NAME) ?? '');
    expectError(await browser.get('/account/profile'), 'not_logged_in');
    expectError(await browser.get('/v1/credits/balance'), 'invalid_api_key');
    expect((await browser.post('/account/log-in', { email, password: PASSWORD })).status).toBe(200);
    expect([...browser.jar.keys()]).toEqual([PLAIN_NAME]);
    expect((await browser.get('/account/profile')).body.email).toBe(email);
  });
});

describe('a one-time link', () => {
  const newLink = async () => {
    const email = `claims-${Math.random()}@example.com`;
    const { id } = await test.service.accounts.create({ email });
    return tokenIn(await test.service.signIn.claims.createLink(id));
  };

  it.each([LOCAL, ELSEWHERE])('is used up only once the browser has sent a cookie back: %s', async (origin) => {
    const token = await newLink();
    const forgetful = openBrowser(test, origin, { forgetful: true });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect((await forgetful.post('/account/link', { token })).status).toBe(200);
      expectError(await forgetful.post('/account/claim', { token, password: PASSWORD }), 'cookie_refused');
    }
    const browser = openBrowser(test, origin);
    await browser.post('/account/link', { token });
    expect((await browser.post('/account/claim', { token, password: PASSWORD })).status).toBe(200);
    expect((await browser.get('/account/profile')).status).toBe(200);
    expect([...browser.jar.keys()]).toEqual([origin === LOCAL ? PLAIN_NAME : SECURE_NAME]);
    expectError(await browser.post('/account/claim', { token, password: PASSWORD }), 'cookie_refused');
    expectError(await browser.post('/account/claim', { token, password: PASSWORD }), 'invalid_link');
  });

  it('is refused with the cookie of the other kind, which does not show that this one is kept', async () => {
    const token = await newLink();
    const browser = openBrowser(test, ELSEWHERE);
    browser.jar.set('imagewright-probe', '1');
    expectError(await browser.post('/account/claim', { token, password: PASSWORD }), 'cookie_refused');
    // The refusal gives the cookie anew: the next try of a browser whose cookie had expired succeeds.
    expect((await browser.post('/account/claim', { token, password: PASSWORD })).status).toBe(200);
  });

  it('needs no cookie of programs, which state no origin', async () => {
    const answer = await fetch(`${test.url}/account/claim`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token: await newLink(), password: PASSWORD }),
    });
    expect(answer.status).toBe(200);
  });
});

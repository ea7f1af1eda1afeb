import { createServer } from 'node:http';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type SharedBrowser, sharedBrowser } from '../support/browser.ts';
import { createPerson, PASSWORD } from '../support/browser-client.ts';
import { serveLocally } from '../support/serve-locally.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';

let test: SharedService;
let chromium: SharedBrowser;
beforeAll(async () => {
  test = await sharedService();
  chromium = await sharedBrowser();
});

/** Logs in as a page of the service on this machine does. @returns the cookie, as `name=value` */
async function logInAsBrowsersDo(email: string): Promise<string> {
  const answer = await fetch(`${test.url}/account/log-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: test.url, 'Sec-Fetch-Site': 'same-origin' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

describe('in a real browser, over plain HTTP on this machine', () => {
  it('the cookie is kept, sent, unreadable for scripts, and enough for /v1', async () => {
    const { email } = await createPerson(test);
    const { page, context } = await chromium.open();
    // Any page of the service's own origin.
    await page.goto(`${test.url}/docs/try`);
    const statuses = await page.evaluate(
      async ([mail, password]) => {
        const json = { 'Content-Type': 'application/json' };
        const body = JSON.stringify({ email: mail, password });
        const logIn = await fetch('/account/log-in', { method: 'POST', headers: json, body });
        const profile = await fetch('/account/profile');
        const balance = await fetch('/v1/credits/balance');
        const check = await fetch('/v1/credits/check', { method: 'POST', headers: json, body: '{"imageCount":1}' });
        return [logIn.status, profile.status, balance.status, check.status, document.cookie];
      },
      [email, PASSWORD],
    );
    expect(statuses).toEqual([200, 200, 200, 200, '']);
    expect(await context.cookies()).toMatchObject([
      { name: 'imagewright-login', httpOnly: true, secure: false, sameSite: 'Lax', path: '/' },
    ]);
  });

  it('a page of another port that plants a cookie puts nobody into its own account', async () => {
    const { email } = await createPerson(test);
    const planted = await logInAsBrowsersDo((await createPerson(test)).email);
    const { page, context } = await chromium.open();
    await page.goto(`${test.url}/docs/try`);
    const profile = () => page.evaluate(async () => (await fetch('/account/profile')).json());
    await page.evaluate(
      async ([mail, password]) => {
        const headers = { 'Content-Type': 'application/json' };
        await fetch('/account/log-in', { method: 'POST', headers, body: JSON.stringify({ email: mail, password }) });
      },
      [email, PASSWORD],
    );
    const evil = await serveLocally(createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end()));
    onTestFinished(evil.close);
    const other = await context.newPage();
    await other.goto(evil.url);
    const plant = (more: string) =>
      other.evaluate(
        ([token, rest]) => {
          // biome-ignore lint/suspicious/noDocumentCookie: an attack
          document.cookie = `${token}${rest}`;
        },
        [planted, more] as const,
      );
    await plant('; path=/');
    expect((await profile()).email).toBe(email);
    await plant('; path=/account');
    expect(await profile()).toMatchObject({ code: 'not_logged_in' });
  });

  it('a page of another origin changes nothing and reads nothing with it', async () => {
    const { email, browser } = await createPerson(test);
    const { page } = await chromium.open();
    await page.goto(`${test.url}/docs/try`);
    await page.evaluate(
      async ([mail, password]) => {
        const headers = { 'Content-Type': 'application/json' };
        await fetch('/account/log-in', { method: 'POST', headers, body: JSON.stringify({ email: mail, password }) });
      },
      [email, PASSWORD],
    );
    // The same machine under another name is a foreign site to the browser; this page has no rules of its own.
    await page.goto(`${test.url.replace('127.0.0.1', 'localhost')}/healthz`);
    const outcome = await page.evaluate(async (target) => {
      const attempt = async (path: string, init: RequestInit) =>
        fetch(target + path, { credentials: 'include', ...init }).then(
          ({ status, type }) => `${type} ${status}`,
          () => 'blocked',
        );
      return [
        await attempt('/account/profile', {}),
        await attempt('/account/keys', { method: 'POST', mode: 'no-cors', body: '{"name":"stolen"}' }),
        await attempt('/account/logins', { method: 'DELETE' }),
      ];
    }, test.url);
    expect(outcome).toEqual(['blocked', 'opaque 0', 'blocked']);
    expect((await browser.get('/account/keys')).body.keys).toEqual([]);
    expect((await browser.get('/account/logins')).body.logins).toHaveLength(2);
  });
});

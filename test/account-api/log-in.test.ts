import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createBrowser, createPerson, PASSWORD } from '../support/browser-client.ts';
import { cheapPasswords } from '../support/cheap-passwords.ts';
import { expectError } from '../support/error-answers.ts';
import { type MailServer, startMailServer, tokenIn } from '../support/mail-server.ts';
import { startTestService, type TestService } from '../support/service.ts';

let mail: MailServer;
let test: TestService;
beforeAll(async () => {
  mail = await startMailServer();
  test = await startTestService({ SMTP_URL: mail.url, TRUST_PROXY: '1' });
});
afterAll(async () => {
  await test.close();
  await mail.close();
});

let lastAddress = 0;
/** A browser somewhere else each time, so that what one test guesses is not counted in the next. */
const browserElsewhere = (address = `198.51.100.${++lastAddress}`) =>
  createBrowser(test.url, { headers: { 'X-Forwarded-For': address, 'User-Agent': 'Browser/1.0' } });

const WRONG = { password: 'not the right one' };

describe('logging in', () => {
  it('sets a cookie that scripts and other sites cannot use, and ends with logging out', async () => {
    const { email, accountId } = await createPerson(test);
    const me = browserElsewhere();
    const answer = await me.post('/account/log-in', { email: email.toUpperCase(), password: PASSWORD });
    expect([answer.status, answer.body]).toMatchObject([200, { accountId, email }]);
    const [cookie = '', ...more] = answer.headers.getSetCookie();
    expect(more).toEqual([]);
    expect(cookie).toMatch(
      /^__Host-imagewright=iws_[0-9A-Za-z]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    const token = me.cookie;
    const out = await me.post('/account/log-out');
    expect([out.status, out.headers.getSetCookie()[0]]).toMatchObject([204, expect.stringContaining('Max-Age=0')]);
    me.cookie = token;
    expectError(await me.get('/account/profile'), 'not_logged_in');
    expect((await me.post('/account/log-out')).status).toBe(204);
  });

  it('begins a log-in of its own, whatever cookie somebody has planted, and ends the planted one', async () => {
    const victim = await createPerson(test);
    const attacker = await createPerson(test);
    const planted = attacker.browser.cookie;
    const browser = browserElsewhere();
    browser.cookie = planted;
    await browser.post('/account/log-in', { email: victim.email, password: PASSWORD });
    expect(browser.cookie).not.toBe(planted);
    expect((await browser.get('/account/profile')).body.accountId).toBe(victim.accountId);
    expectError(await attacker.browser.get('/account/profile'), 'not_logged_in');

    const invented = `iws_${'a'.repeat(43)}`;
    browser.cookie = invented;
    await browser.post('/account/log-in', { email: victim.email, password: PASSWORD });
    expect(browser.cookie).not.toBe(invented);
  });

  it('tells nothing about who has an account: same status, same body, same headers, same work', async () => {
    const { email } = await createPerson(test);
    const unclaimed = `unclaimed-${randomUUID()}@example.com`;
    await test.service.accounts.create({ email: unclaimed });
    const answers = [];
    // A password is hashed also where there is none to compare it with (test/sign-in/password-hash.test.ts).
    const verify = vi.spyOn(cheapPasswords, 'verify');
    onTestFinished(() => verify.mockRestore());
    for (const address of [email, 'nobody@example.com', unclaimed]) {
      verify.mockClear();
      const answer = await browserElsewhere().post('/account/log-in', { email: address, ...WRONG });
      const { requestId: _, ...body } = expectError(answer, 'wrong_credentials');
      const names = [...answer.headers.keys()].sort();
      answers.push({ body, names, hashes: verify.mock.calls.length });
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(answers[0]?.hashes).toBe(1);
  });

  it('is refused to a suspended account, but only to who knows its password', async () => {
    const { email, accountId, browser } = await createPerson(test);
    await test.service.accounts.setSuspended(accountId, true);
    expectError(await browser.get('/account/profile'), 'account_suspended');
    expectError(await browser.get('/v1/credits/balance'), 'account_suspended');
    expectError(await browserElsewhere().post('/account/log-in', { email, ...WRONG }), 'wrong_credentials');
    expectError(await browserElsewhere().post('/account/log-in', { email, password: PASSWORD }), 'account_suspended');
    expect((await browser.post('/account/log-out')).status).toBe(204);
    await test.service.accounts.setSuspended(accountId, false);
    expect((await browserElsewhere().post('/account/log-in', { email, password: PASSWORD })).status).toBe(200);
  });

  it('says so where the browser would drop the cookie in silence', async () => {
    const { email } = await createPerson(test);
    const body = { email, password: PASSWORD };
    const from = (origin: string) => browserElsewhere().post('/account/log-in', body, { Origin: origin });
    expect(expectError(await from('http://192.168.1.5:8080'), 'tls_required').error).toContain('LOGIN_COOKIE=plain');
    for (const origin of [
      'https://images.example.com',
      'http://localhost:8080',
      'http://127.0.0.1:1',
      'http://[::1]:1',
    ]) {
      expect((await from(origin)).status).toBe(200);
    }
  });
});

describe('guessing passwords', () => {
  it('ends after 5 for an account from one address, with Retry-After, and not for its owner elsewhere', async () => {
    const { email } = await createPerson(test);
    const guesser = browserElsewhere();
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      expectError(await guesser.post('/account/log-in', { email, ...WRONG }), 'wrong_credentials');
    }
    const refused = await guesser.post('/account/log-in', { email, password: PASSWORD });
    expectError(refused, 'too_many_attempts');
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(600);
    expect((await browserElsewhere().post('/account/log-in', { email, password: PASSWORD })).status).toBe(200);
  });

  it('counts tries that are made at once, each of them', async () => {
    const { email } = await createPerson(test);
    const guesser = browserElsewhere();
    const tries = await Promise.all(
      Array.from({ length: 40 }, () => guesser.post('/account/log-in', { email, ...WRONG })),
    );
    expect(tries.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(tries.filter(({ status }) => status === 429)).toHaveLength(35);
  });

  it('ends for one address over all accounts, existing or not, and IPv6 neighbours are one', async () => {
    const refused = [];
    for (let attempt = 0; attempt < 35; attempt += 1) {
      const browser = browserElsewhere(`2001:db8:1:2::${attempt.toString(16)}`);
      const answer = await browser.post('/account/log-in', { email: `guess-${attempt}@example.com`, ...WRONG });
      if (answer.status === 429) refused.push(attempt);
    }
    expect(refused).toEqual([30, 31, 32, 33, 34]);
  });

  it('is counted for the address that the proxy saw, not for one that the client wrote itself', async () => {
    const { email } = await createPerson(test);
    const statuses = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const browser = browserElsewhere(`203.0.113.${attempt}, 198.51.100.250`);
      statuses.push((await browser.post('/account/log-in', { email, ...WRONG })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('starts anew after a log-in', async () => {
    const { email } = await createPerson(test);
    const me = browserElsewhere();
    for (let round = 0; round < 2; round += 1) {
      for (let attempt = 0; attempt < 4; attempt += 1) await me.post('/account/log-in', { email, ...WRONG });
      expect((await me.post('/account/log-in', { email, password: PASSWORD })).status).toBe(200);
    }
  });

  it('ends for confirmations too, so that a stolen cookie does not help', async () => {
    const { browser } = await createPerson(test);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expectError(await browser.post('/account/delete', WRONG), 'wrong_password');
    }
    expectError(await browser.post('/account/delete', { password: PASSWORD }), 'too_many_attempts');
    expect((await browser.get('/account/profile')).status).toBe(200);
  });
});

describe('a forgotten password', () => {
  it('is replaced with a mailed link, which ends every log-in and every other link', async () => {
    const { email, browser, accountId } = await createPerson(test);
    const me = browserElsewhere();
    expect((await me.post('/account/password-reset', { email })).status).toBe(202);
    const reset = await mail.mailTo(email, ({ subject }) => subject.includes('new password'));
    const other = await test.service.signIn.claims.createLink(accountId);
    const password = 'another long sentence';
    const done = await me.post('/account/password-reset/confirm', { token: tokenIn(reset.text), password });
    expect([done.status, done.body]).toMatchObject([200, { email }]);
    expectError(await browser.get('/account/profile'), 'not_logged_in');
    expect((await me.get('/account/profile')).status).toBe(200);
    expectError(await me.post('/account/claim', { token: tokenIn(other), password }), 'invalid_link');
    expectError(await browserElsewhere().post('/account/log-in', { email, password: PASSWORD }), 'wrong_credentials');
    await mail.mailTo(email, ({ subject }) => subject.includes('was changed'));
  });

  it('is answered the same for everybody, and so is a sign-up; who has an account hears of it by mail', async () => {
    const { email } = await createPerson(test);
    for (const path of ['/account/password-reset', '/account/sign-up']) {
      const known = await browserElsewhere().post(path, { email });
      const unknown = await browserElsewhere().post(path, { email: `unknown-${path.length}@example.com` });
      const comparable = ({ status, body, headers }: typeof known) => ({
        status,
        body,
        names: [...headers.keys()].sort(),
      });
      expect(comparable(known)).toEqual(comparable(unknown));
    }
    const notice = await mail.mailTo(email, ({ subject }) => subject.includes('already'));
    expect(notice.text).not.toContain('#token=');
    // The queue is worked off in order: what the unknown address was to get would have come before this.
    await browserElsewhere().post('/account/sign-up', { email: 'later@example.com' });
    await mail.mailTo('later@example.com');
    expect(
      mail.received.filter(({ to, subject }) => to.includes('unknown-23@example.com') && /password/.test(subject)),
    ).toEqual([]);
  });

  it('makes one mail of many requests, and an address may ask for ten in an hour', async () => {
    const { email } = await createPerson(test);
    const asking = browserElsewhere();
    const statuses = [];
    for (let index = 0; index < 12; index += 1)
      statuses.push((await asking.post('/account/password-reset', { email })).status);
    expect(statuses).toEqual([...Array(10).fill(202), 429, 429]);
    await browserElsewhere().post('/account/sign-up', { email: 'sentinel@example.com' });
    await mail.mailTo('sentinel@example.com');
    expect(mail.received.filter(({ to }) => to.includes(email))).toHaveLength(1);
  });
});

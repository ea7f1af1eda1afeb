import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, createPerson, PASSWORD, type Person } from '../support/browser-client.ts';
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

const NEW = 'another long sentence';

async function logInAgain({ email }: Person, password = PASSWORD, address = '192.0.2.1') {
  const headers = { 'X-Forwarded-For': address, 'User-Agent': 'Second/2.0\u00e9' };
  const browser = createBrowser(test.url, { headers });
  const answer = await browser.post('/account/log-in', { email, password });
  return { browser, answer };
}

describe('log-ins', () => {
  it('are listed with where and when, and each can be ended', async () => {
    const me = await createPerson(test);
    const { browser: second } = await logInAgain(me);
    const { logins } = (await me.browser.get('/account/logins')).body;
    expect(logins).toHaveLength(2);
    expect(logins[0]).toMatchObject({ current: false, address: '192.0.2.1', userAgent: 'Second/2.0' });
    expect(logins[1]).toMatchObject({ current: true });
    expect(Date.parse(logins[0].expiresAt) - Date.parse(logins[0].lastSeenAt)).toBe(12 * 3_600_000);
    expect(JSON.stringify(logins)).not.toContain(second.cookie?.slice(4));

    expect((await me.browser.delete(`/account/logins/${logins[0].id}`)).status).toBe(204);
    expectError(await second.get('/account/profile'), 'not_logged_in');
    expectError(await me.browser.delete(`/account/logins/${logins[0].id}`), 'not_found');
    const own = await me.browser.delete(`/account/logins/${logins[1].id}`);
    expect([own.status, me.browser.cookie]).toEqual([204, undefined]);
  });

  it('can be ended all but the one that asks', async () => {
    const me = await createPerson(test);
    const others = [await logInAgain(me), await logInAgain(me)];
    expect((await me.browser.delete('/account/logins')).body).toEqual({ revoked: 2 });
    for (const { browser } of others) expectError(await browser.get('/account/profile'), 'not_logged_in');
    expect((await me.browser.get('/account/profile')).status).toBe(200);
  });
});

describe('the password', () => {
  it('is changed with the old one; the cookie is renewed, every other log-in ends, and a mail tells of it', async () => {
    const me = await createPerson(test);
    const { browser: second } = await logInAgain(me);
    const before = me.browser.cookie;
    const change = (currentPassword: string, newPassword: string) =>
      me.browser.post('/account/password', { currentPassword, newPassword });
    expectError(await change('wrong', NEW), 'wrong_password');
    expectError(await change(PASSWORD, 'short'), 'weak_password');
    expectError(await change(PASSWORD, me.email), 'weak_password');
    expect((await change(PASSWORD, NEW)).status).toBe(204);
    expect(me.browser.cookie).not.toBe(before);
    expect((await me.browser.get('/account/profile')).status).toBe(200);
    expectError(await second.get('/account/profile'), 'not_logged_in');
    const old = createBrowser(test.url);
    old.cookie = before;
    expectError(await old.get('/account/profile'), 'not_logged_in');
    expectError((await logInAgain(me, PASSWORD, '192.0.2.2')).answer, 'wrong_credentials');
    expect((await logInAgain(me, NEW, '192.0.2.2')).answer.status).toBe(200);
    expect((await mail.mailTo(me.email)).subject).toContain('was changed');
  });
});

describe('the mail address', () => {
  it('is changed with the password and the link that the new address gets', async () => {
    const me = await createPerson(test);
    const email = `new-${me.email}`;
    expectError(await me.browser.patch('/account/profile', { email, password: 'wrong' }), 'wrong_password');
    const requested = await me.browser.patch('/account/profile', { email, password: PASSWORD });
    expect(requested.body).toMatchObject({ email: me.email, pendingEmail: email });
    const { text } = await mail.mailTo(email);
    expect((await me.browser.get('/account/profile')).body).toMatchObject({ email: me.email, pendingEmail: email });

    const elsewhere = createBrowser(test.url);
    const token = tokenIn(text);
    expectError(await elsewhere.post('/account/password-reset/confirm', { token, password: NEW }), 'invalid_link');
    expect((await elsewhere.post('/account/email/confirm', { token })).body).toEqual({ email });
    expectError(await elsewhere.post('/account/email/confirm', { token }), 'invalid_link');
    expect((await me.browser.get('/account/profile')).body).toMatchObject({ email, pendingEmail: null });
    expect((await mail.mailTo(me.email)).subject).toContain('was changed');
    expectError((await logInAgain(me)).answer, 'wrong_credentials');
    expect((await logInAgain({ ...me, email })).answer.status).toBe(200);
  });

  it('of somebody else is answered the same, and that person hears of it', async () => {
    const [me, other] = [await createPerson(test), await createPerson(test)];
    const free = { email: `free-${me.email}`, password: PASSWORD };
    const open = await me.browser.patch('/account/profile', free);
    await mail.mailTo(free.email);
    const taken = await me.browser.patch('/account/profile', { email: other.email, password: PASSWORD });
    expect([taken.status, Object.keys(taken.body)]).toEqual([open.status, Object.keys(open.body)]);
    expect(taken.body.pendingEmail).toBe(other.email);
    const { text } = await mail.mailTo(other.email);
    expect(text).not.toContain('#token=');
    // The profile tells no more after the mails went out than before.
    expect((await me.browser.get('/account/profile')).body).toEqual(taken.body);
    expect(taken.body).toEqual({ ...open.body, pendingEmail: other.email });
  });

  it('cannot be asked for without end: the eleventh mail in an hour is refused', async () => {
    const me = await createPerson(test);
    const statuses = [];
    for (let index = 0; index < 11; index += 1) {
      const email = `stranger-${index}-${me.email}`;
      statuses.push((await me.browser.patch('/account/profile', { email, password: PASSWORD })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(200), 429]);
  });
});

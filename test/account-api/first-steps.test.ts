import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { announceFirstAccount } from '../../server/explain-start.ts';
import { createBrowser, PASSWORD } from '../support/browser-client.ts';
import { expectError } from '../support/error-answers.ts';
import { type MailServer, startMailServer, tokenIn } from '../support/mail-server.ts';
import { startTestService, type TestService } from '../support/service.ts';

let mail: MailServer;
let test: TestService;
beforeAll(async () => {
  mail = await startMailServer();
  test = await startTestService({ SMTP_URL: mail.url, MAIL_FROM: 'Images <images@example.com>' });
  test.service.listensAt('https://images.example.com');
});
afterAll(async () => {
  await test.close();
  await mail.close();
});

const browser = () => createBrowser(test.url);

describe('signing up', () => {
  it('goes from a mail address to an account with 25 credits and a key, by a link', async () => {
    const me = browser();
    const options = (await me.get('/account/options')).body;
    expect(options).toEqual({
      signUp: 'open',
      delivery: 'mail',
      password: { minLength: 10, maxLength: 200 },
      descriptions: 'off',
    });
    const requested = await me.post('/account/sign-up', { email: ' New@Example.com ' });
    expect([requested.status, requested.body.delivery]).toEqual([202, 'mail']);

    const { from, text, subject } = await mail.mailTo('new@example.com');
    expect([from, subject]).toEqual(['images@example.com', 'Your Imagewright account']);
    expect(text).toContain('https://images.example.com/dashboard/confirm#token=iwl_');
    const token = tokenIn(text);
    expect((await me.post('/account/link', { token })).body).toMatchObject({
      purpose: 'sign-up',
      email: 'new@example.com',
      placeholderEmail: false,
    });
    const made = await me.post('/account/sign-up/confirm', { token, password: PASSWORD });
    expect([made.status, made.body]).toMatchObject([201, { email: 'new@example.com', balance: 25, role: 'user' }]);
    expect((await me.get('/account/profile')).body).toEqual(made.body);

    const { apiKey } = (await me.post('/account/keys', { name: 'site' })).body;
    const balance = await fetch(`${test.url}/v1/credits/balance`, { headers: { 'X-API-Key': apiKey } });
    expect(await balance.json()).toMatchObject({ balance: 25, keys: { used: 1, limit: 1 } });
  });

  it('uses a link up once, also when it is tried ten times at once', async () => {
    await browser().post('/account/sign-up', { email: 'once@example.com' });
    const token = tokenIn((await mail.mailTo('once@example.com')).text);
    const tries = await Promise.all(
      Array.from({ length: 10 }, () => browser().post('/account/sign-up/confirm', { token, password: PASSWORD })),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(400)]);
    expectError(await browser().post('/account/link', { token }), 'invalid_link');
  });

  it('refuses links that are malformed, unknown, or for something else', async () => {
    const account = await test.createAccount();
    const link = await test.service.signIn.claims.createLink(account.accountId);
    for (const token of ['x', `iwl_${'a'.repeat(43)}`, tokenIn(link), test.api.apiKey]) {
      expectError(await browser().post('/account/sign-up/confirm', { token, password: PASSWORD }), 'invalid_link');
    }
  });

  it.each([
    ['short', 'at least 10'],
    ['weak@example.com', 'mail address'],
    ['Password123!', 'too common'],
    ['1234567890', 'too common'],
    ['aaaaaaaaaaaa', 'different characters'],
  ])('does not take %s for a password, and the link stays good', async (password, message) => {
    const me = browser();
    await me.post('/account/sign-up', { email: 'weak@example.com' });
    const token = tokenIn((await mail.mailTo('weak@example.com')).text);
    expect(
      expectError(await me.post('/account/sign-up/confirm', { token, password }), 'weak_password').error,
    ).toContain(message);
    expect((await me.post('/account/link', { token })).status).toBe(200);
  });

  it('can be switched off', async () => {
    const closed = await startTestService({ SIGN_UP: 'closed' });
    try {
      const me = createBrowser(closed.url);
      expect((await me.get('/account/options')).body).toMatchObject({ signUp: 'closed', delivery: 'operator' });
      expectError(await me.post('/account/sign-up', { email: 'a@example.com' }), 'sign_up_closed');
    } finally {
      await closed.close();
    }
  });

  it('is off by itself where others than this machine can reach the service', async () => {
    const reachable = await startTestService({ PUBLIC_URL: 'https://images.example.com' });
    try {
      expect((await createBrowser(reachable.url).get('/account/options')).body.signUp).toBe('closed');
    } finally {
      await reachable.close();
    }
  });
});

describe('the first account', () => {
  it('is claimed once with the link that the first start prints, and makes an operator', async () => {
    const fresh = await startTestService();
    const printed: string[] = [];
    try {
      // The service of a test makes an account of its own: only an empty database is a first start.
      for await (const { id } of fresh.service.accounts.list()) await fresh.service.accountRemoval.remove(id);
      const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
      await announceFirstAccount({ ...fresh.service, url: fresh.url, printKey: true });
      spy.mockRestore();
      const [, token = ''] = /dashboard\/claim#token=(\S+)/.exec(printed.join('')) ?? [];
      const me = createBrowser(fresh.url);
      expect((await me.post('/account/link', { token })).body).toMatchObject({
        purpose: 'claim',
        placeholderEmail: true,
      });
      expect(
        expectError(await me.post('/account/claim', { token, password: PASSWORD }), 'invalid_request').errors,
      ).toEqual({ email: ['expected your email address'] });
      const claim = { token, password: PASSWORD, email: 'me@example.com' };
      expect((await me.post('/account/claim', claim)).body).toMatchObject({
        email: 'me@example.com',
        role: 'operator',
      });
      expect((await me.get('/account/operator/audit')).body).toMatchObject({ ok: true });
      expectError(await createBrowser(fresh.url).post('/account/claim', claim), 'invalid_link');
      const [, apiKey = ''] = /X-API-Key: (iw_\w+)/.exec(printed.join('')) ?? [];
      expect((await me.get('/account/keys')).body.keys).toMatchObject([{ name: 'first key', last4: apiKey.slice(-4) }]);
    } finally {
      await fresh.close();
    }
  });
});

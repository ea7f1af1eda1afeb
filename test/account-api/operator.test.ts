import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS, type Endpoint } from '#contract';
import { expectCleanBooks } from '../support/aftermath.ts';
import { createBrowser, createPerson, PASSWORD, type Person } from '../support/browser-client.ts';
import { expectError } from '../support/error-answers.ts';
import { tokenIn } from '../support/mail-server.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { untilAnswered } from '../support/until-answered.ts';

let test: TestService;
let operator: Person;
let user: Person;
beforeAll(async () => {
  test = await startTestService();
  operator = await createPerson(test, { operator: true });
  user = await createPerson(test);
});
afterAll(() => test.close());

const pathOf = (person: Person, rest = '') => `/account/operator/accounts/${person.accountId}${rest}`;

describe('operators', () => {
  it('are the only ones who may', async () => {
    const endpoints = (Object.values(ENDPOINTS) as Endpoint[]).filter(({ auth }) => auth === 'operator');
    expect(endpoints.length).toBeGreaterThan(4);
    const stranger = createBrowser(test.url);
    for (const { method, path } of endpoints) {
      const filled = path.replace(':accountId', operator.accountId);
      const body = method === 'GET' ? undefined : {};
      expectError(await user.browser.call(method, filled, body), 'operator_required');
      expectError(await stranger.call(method, filled, body), 'not_logged_in');
    }
    await test.service.accounts.setRole(user.accountId, 'operator');
    expect((await user.browser.get('/account/operator/audit')).body).toMatchObject({ ok: true });
    await test.service.accounts.setRole(user.accountId, 'user');
    expectError(await user.browser.get('/account/operator/audit'), 'operator_required');
  });

  it('find accounts by a part of the mail address or by id, in pages, and see nothing secret', async () => {
    const all = [];
    for (let cursor = ''; ; ) {
      const { body, text } = await operator.browser.get(`/account/operator/accounts?limit=2${cursor}`);
      expect(text).not.toMatch(/hash|scrypt/i);
      all.push(...body.accounts);
      if (!body.nextCursor) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(all).toContainEqual(
      expect.objectContaining({ email: user.email, state: 'active', role: 'user', plan: 'free' }),
    );
    const search = async (text: string) =>
      (await operator.browser.get(`/account/operator/accounts?search=${encodeURIComponent(text)}`)).body.accounts;
    expect(await search(user.email.slice(3, 20).toUpperCase())).toMatchObject([{ id: user.accountId }]);
    expect(await search(user.accountId)).toMatchObject([{ email: user.email }]);
    expect(await search('person.')).toEqual([]);
    expect(await search('.*(')).toEqual([]);
  });

  it('change plan and role, suspend and resume; it counts at once', async () => {
    const { apiKey } = (await user.browser.post('/account/keys', { name: 'site' })).body;
    const use = async () =>
      (await fetch(`${test.url}/v1/credits/balance`, { headers: { 'X-API-Key': apiKey } })).status;
    const patch = (json: unknown) => operator.browser.patch(pathOf(user), json);
    expect((await patch({ plan: 'agency' })).body).toMatchObject({ plan: 'agency', keys: { used: 1, limit: 20 } });
    const unknown = expectError(await patch({ plan: 'platinum', suspended: true }), 'invalid_request');
    expect(unknown.error).toBe('expected plan to be one of free, agency, but received "platinum"');
    expect(await use()).toBe(200);
    expect((await patch({ suspended: true })).body).toMatchObject({ suspended: true, state: 'suspended' });
    expect(await use()).toBe(403);
    expectError(await user.browser.get('/account/profile'), 'account_suspended');
    expect((await patch({ suspended: false, plan: 'free' })).body).toMatchObject({ state: 'active' });
    expect([await use(), (await user.browser.get('/account/profile')).status]).toEqual([200, 200]);
    expectError(await patch({}), 'invalid_request');
    expectError(await operator.browser.patch('/account/operator/accounts/acct_none', {}), 'not_found');
  });

  it('cannot shut themselves out', async () => {
    expectError(await operator.browser.patch(pathOf(operator), { suspended: true }), 'own_account');
    expectError(await operator.browser.patch(pathOf(operator), { role: 'user' }), 'own_account');
    expect((await operator.browser.patch(pathOf(operator), { plan: 'agency' })).status).toBe(200);
  });

  it('give credits, once per Idempotency-Key', async () => {
    const before = (await user.browser.get('/account/profile')).body.balance;
    const grant = (json: unknown, key?: string) =>
      operator.browser.post(pathOf(user, '/credits'), json, key === undefined ? {} : { 'Idempotency-Key': key });
    const same = await Promise.all(
      Array.from({ length: 5 }, () => untilAnswered(() => grant({ amount: 10, note: 'sorry' }, 'one'))),
    );
    for (const { status, body } of same) {
      expect([status, body]).toEqual([200, { accountId: user.accountId, granted: 10, balance: before + 10 }]);
    }
    expectError(await grant({ amount: 11 }, 'one'), 'idempotency_mismatch');
    expect((await user.browser.get('/account/ledger?kind=grant')).body.transactions).toMatchObject([
      { delta: 10, note: 'sorry' },
    ]);
    for (const amount of [0, -5, 1.5, '5', 2_000_000_000]) expectError(await grant({ amount }), 'invalid_request');
    expectError(
      await operator.browser.post(`/account/operator/accounts/acct_${'a'.repeat(22)}/credits`, { amount: 1 }),
      'not_found',
    );
    await expectCleanBooks(test);
  });

  it('make accounts for others, who get a link to choose their password', async () => {
    const invited = await operator.browser.post('/account/operator/accounts', {
      email: 'Guest@example.com',
      plan: 'agency',
    });
    expect([invited.status, invited.body.account]).toMatchObject([
      201,
      { email: 'guest@example.com', state: 'unclaimed' },
    ]);
    const guest = createBrowser(test.url);
    const claimed = await guest.post('/account/claim', { token: tokenIn(invited.body.link), password: PASSWORD });
    expect([claimed.status, claimed.body]).toMatchObject([
      200,
      { email: 'guest@example.com', role: 'user', plan: 'agency' },
    ]);
    expectError(
      await operator.browser.post('/account/operator/accounts', { email: 'guest@example.com' }),
      'email_taken',
    );
    const unknown = await operator.browser.post('/account/operator/accounts', { email: 'x@example.com', plan: 'none' });
    expectError(unknown, 'invalid_request');
  });
});

describe("an operator's password", () => {
  it('is asked before accounts are changed and keys are made, for a cookie alone does neither', async () => {
    const thief = await createPerson(test, { operator: true, confirmed: false });
    const key = await test.service.accounts.keys.create({ accountId: thief.accountId, name: 'own' });
    await test.service.accounts.keys.deactivate(thief.accountId, key.keyId);
    const { balance } = (await user.browser.get('/account/profile')).body;
    const attempts = [
      () => thief.browser.patch(pathOf(user), { role: 'operator' }),
      () => thief.browser.patch(pathOf(user), { suspended: true }),
      () => thief.browser.patch(pathOf(user), { plan: 'agency' }),
      () => thief.browser.post(pathOf(user, '/credits'), { amount: 1 }),
      () => thief.browser.post(pathOf(user, '/withdrawals'), { amount: 1 }),
      () => thief.browser.post(pathOf(user, '/link')),
      () => thief.browser.delete(pathOf(user)),
      () => thief.browser.post('/account/operator/accounts', { email: 'friend@example.com' }),
      () => thief.browser.post('/account/keys', { name: 'mine' }),
      () => thief.browser.patch(`/account/keys/${key.keyId}`, { active: true }),
    ];
    for (const attempt of attempts) expectError(await attempt(), 'password_required');
    expect((await user.browser.get('/account/profile')).body).toMatchObject({ role: 'user', plan: 'free', balance });
    expect(await test.service.accounts.findByEmail('friend@example.com')).toBeNull();
    expect((await thief.browser.get('/account/keys')).body.keys).toMatchObject([{ active: false }]);
    // Reading and revoking need none.
    expect((await thief.browser.get('/account/operator/accounts')).status).toBe(200);
    expect((await thief.browser.delete(`/account/keys/${key.keyId}`)).status).toBe(204);
  });

  it('holds for 10 minutes of the log-in that gave it, and for no other', async () => {
    const me = await createPerson(test, { operator: true, confirmed: false });
    const elsewhere = createBrowser(test.url);
    await elsewhere.post('/account/log-in', { email: me.email, password: PASSWORD });
    const confirmed = await me.browser.post('/account/confirm-password', { password: PASSWORD });
    const minutes = (Date.parse(confirmed.body.confirmedUntil) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(5);
    expect(minutes).toBeLessThanOrEqual(10);
    expect((await me.browser.patch(pathOf(user), { plan: 'agency' })).status).toBe(200);
    expect((await me.browser.post('/account/keys', { name: 'mine' })).status).toBe(201);
    expectError(await elsewhere.patch(pathOf(user), { plan: 'free' }), 'password_required');
  });

  it('is guessed five times at most, by a user as well', async () => {
    for (const operator of [true, false]) {
      const { browser } = await createPerson(test, { operator, confirmed: false });
      const guess = (password: string) => browser.post('/account/confirm-password', { password });
      for (let attempt = 0; attempt < 5; attempt += 1) expectError(await guess('a wrong one'), 'wrong_password');
      expectError(await guess(PASSWORD), 'too_many_attempts');
    }
  });

  it('is not asked of users, who made their key with their own log-in', async () => {
    const { browser } = await createPerson(test);
    expect((await browser.post('/account/keys', { name: 'site' })).status).toBe(201);
  });
});

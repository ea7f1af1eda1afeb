import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forEachLimit } from '#contract';
import { createPerson, type Person } from '../support/browser-client.ts';
import { expectError } from '../support/error-answers.ts';
import { startTestService, type TestService } from '../support/service.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService();
});
afterAll(() => test.close());

const use = async (apiKey: string) =>
  (await fetch(`${test.url}/v1/credits/balance`, { headers: { 'X-API-Key': apiKey } })).status;

async function newKey({ browser }: Person, name = 'site') {
  const answer = await browser.post('/account/keys', { name });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body as { id: string; apiKey: string };
}

describe('API keys', () => {
  it('are shown once, at their creation, and then by their last four characters', async () => {
    const me = await createPerson(test);
    const { id, apiKey } = await newKey(me, ' My site ');
    expect(apiKey).toMatch(/^iw_[0-9A-Za-z]{36}$/);
    const list = await me.browser.get('/account/keys');
    expect(list.body).toEqual({
      keys: [
        {
          id,
          name: 'My site',
          last4: apiKey.slice(-4),
          active: true,
          createdAt: expect.any(String),
          lastUsedAt: null,
          disabledAt: null,
        },
      ],
      limit: { used: 1, limit: 1 },
    });
    expect(list.text).not.toContain(apiKey.slice(3, 30));
    expect(await use(apiKey)).toBe(200);
    expect((await me.browser.get('/account/keys')).body.keys[0].lastUsedAt).toEqual(expect.any(String));
  });

  it('are renamed, deactivated (403 at once), activated and deleted (401 at once)', async () => {
    const me = await createPerson(test);
    const { id, apiKey } = await newKey(me);
    const path = `/account/keys/${id}`;
    expect((await me.browser.patch(path, { name: 'other' })).body).toMatchObject({ name: 'other', active: true });
    expect((await me.browser.patch(path, { active: false })).body).toMatchObject({ name: 'other', active: false });
    expect(await use(apiKey)).toBe(403);
    expect((await me.browser.patch(path, { active: true, name: 'third' })).body).toMatchObject({
      active: true,
      disabledAt: null,
    });
    expect(await use(apiKey)).toBe(200);
    expect((await me.browser.delete(path)).status).toBe(204);
    expect(await use(apiKey)).toBe(401);
    expectError(await me.browser.delete(path), 'not_found');
    expectError(await me.browser.patch(path, {}), 'invalid_request');
  });

  it('on the free plan are one: the second is refused until the first is deactivated or deleted', async () => {
    const me = await createPerson(test);
    const first = await newKey(me);
    const refused = expectError(await me.browser.post('/account/keys', { name: 'second' }), 'key_limit_reached');
    expect(refused).toMatchObject({ limit: 1, used: 1 });
    expect((await me.browser.get('/account/keys')).body.keys).toHaveLength(1);
    await me.browser.patch(`/account/keys/${first.id}`, { active: false });
    const second = await newKey(me, 'second');
    const again = await me.browser.patch(`/account/keys/${first.id}`, { active: true, name: 'renamed' });
    expectError(again, 'key_limit_reached');
    expect((await me.browser.get('/account/keys')).body.keys[0].name).toBe('site');
    await me.browser.delete(`/account/keys/${second.id}`);
    expect((await me.browser.patch(`/account/keys/${first.id}`, { active: true })).status).toBe(200);
  });

  it('on Agency are 20, also when 40 are asked for at once', async () => {
    const me = await createPerson(test, { plan: 'agency' });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => me.browser.post('/account/keys', { name: `key ${index}` })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(expectError(answer, 'key_limit_reached')).toMatchObject({ limit: 20, used: 20 });
    }
    const { keys, limit } = (await me.browser.get('/account/keys')).body;
    expect([keys.length, limit]).toEqual([20, { used: 20, limit: 20 }]);
    expectError(await me.browser.post('/account/keys', { name: 'one more' }), 'key_limit_reached');
    for (const { body } of answers.filter(({ status }) => status === 201)) expect(await use(body.apiKey)).toBe(200);
  });

  it('are not made by a key: only somebody who is logged in can', async () => {
    const answer = await test.api.request('/account/keys', { json: { name: 'more' } });
    expectError({ status: answer.status, text: await answer.text() }, 'not_logged_in');
  });

  it('stand in the plans, which an operator may set', async () => {
    const own = await startTestService({
      PLANS: JSON.stringify({
        free: { keys: 1 },
        agency: { keys: 20 },
        studio: { keys: 2, signupCredits: 100, rateLimit: { requests: 60, windowSeconds: 60 } },
      }),
    });
    try {
      const me = await createPerson(own, { plan: 'studio' });
      const { plans, current } = (await me.browser.get('/account/plans')).body;
      expect(current).toBe('studio');
      const unlimited = { ...forEachLimit(() => null), streams: 64 };
      expect(plans).toEqual([
        { name: 'free', keys: 1, signupCredits: 25, rateLimit: null, ...unlimited, isDefault: true },
        { name: 'agency', keys: 20, signupCredits: 25, rateLimit: null, ...unlimited, isDefault: false },
        {
          name: 'studio',
          keys: 2,
          signupCredits: 100,
          rateLimit: { requests: 60, windowSeconds: 60 },
          ...unlimited,
          isDefault: false,
        },
      ]);
      expect((await me.browser.get('/account/profile')).body).toMatchObject({
        balance: 100,
        keys: { used: 0, limit: 2 },
      });
      const headers = (await me.browser.get('/v1/credits/balance')).headers;
      expect(headers.get('RateLimit-Policy')).toBe('"studio";q=60;w=60');
    } finally {
      await own.close();
    }
  });
});

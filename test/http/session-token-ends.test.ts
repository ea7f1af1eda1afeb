import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccounts, loadPepper } from '../../server/accounts/index.ts';
import { CONFIG } from '../accounts/accounts-fixture.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImage, type SmallImage } from '../support/small-images.ts';
import { callWithToken, createTokenOf, ORIGIN, outcomeOf } from './token-calls.ts';

let test: TestService;
let image: SmallImage;

beforeAll(async () => {
  test = await startTestService({ SESSION_TOKENS_PER_ACCOUNT: '40' });
  image = await plainImage('one.png');
});
afterAll(() => test.close());

describe('the end of a session token', () => {
  const statusOf = (token: string, sessionId: string) =>
    outcomeOf(callWithToken(test.api, token, `/v1/sessions/${sessionId}`));

  async function fresh() {
    const account = await test.createAccount({ plan: 'agency' });
    const { sessionId } = await account.api.upload([image]);
    const { token, expiresAt } = await createTokenOf(account, { sessionId });
    expect(await statusOf(token, sessionId)).toBe('200');
    return { account, sessionId, token, expiresAt };
  }

  it('comes after an hour', async () => {
    const { account, sessionId, expiresAt } = await fresh();
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(59 * 60_000);
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(60 * 60_000);
    const database = await test.openDatabase();
    const pepper = await loadPepper({ directory: test.dataDir });
    const anHourAgo = () => new Date(Date.now() - 3_600_001);
    const { tokens } = createAccounts({ repositories: database, pepper, config: CONFIG, now: anHourAgo });
    const { accountId, keyId } = account;
    const { token } = await tokens.create({
      ...{ accountId, keyId, origin: ORIGIN, sessionId },
      ...{ maxCredits: 0, maxSamples: 0, maxAnalyses: 0 },
    });
    await database.close();
    expect(await statusOf(token, sessionId)).toBe('401 invalid_api_key');
  });

  it('comes with its key, its session and its account', async () => {
    const { accounts } = test.service;
    const key = await fresh();
    await accounts.keys.deactivate(key.account.accountId, key.account.keyId);
    expect(await statusOf(key.token, key.sessionId)).toBe('403 inactive_api_key');
    await accounts.keys.remove(key.account.accountId, key.account.keyId);
    expect(await statusOf(key.token, key.sessionId)).toBe('401 invalid_api_key');

    const session = await fresh();
    await session.account.api.request(`/v1/sessions/${session.sessionId}`, { method: 'DELETE' });
    expect(await statusOf(session.token, session.sessionId)).toBe('401 invalid_api_key');

    const suspended = await fresh();
    await accounts.setSuspended(suspended.account.accountId, true);
    expect(await statusOf(suspended.token, suspended.sessionId)).toBe('403 account_suspended');
  });

  it('is awaited when an account has too many', async () => {
    const account = await test.createAccount();
    const json = { origin: ORIGIN };
    const answers = await Promise.all(Array.from({ length: 45 }, () => account.api.request('/v1/tokens', { json })));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(5);
    expect(await refused[0]?.json()).toMatchObject({ code: 'token_limit_reached', limit: 40, used: 40 });
    expect(Number(refused[0]?.headers.get('Retry-After'))).toBeGreaterThan(3000);
  });
});

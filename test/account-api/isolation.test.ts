import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS, type Endpoint, type EndpointName } from '#contract';
import { createAnswerSchemas, type OpenApiDocument } from '../support/answer-schemas.ts';
import { createBrowser, createPerson, PASSWORD, type Person } from '../support/browser-client.ts';
import { expectError } from '../support/error-answers.ts';
import { type MailServer, startMailServer, tokenIn } from '../support/mail-server.ts';
import { startTestService, type TestService } from '../support/service.ts';

const endpoints = (Object.entries(ENDPOINTS) as [EndpointName, Endpoint][]).filter(([, { path }]) =>
  path.startsWith('/account/'),
);

let mail: MailServer;
let test: TestService;
let me: Person;
let other: Person;
beforeAll(async () => {
  mail = await startMailServer();
  test = await startTestService({ SMTP_URL: mail.url });
  me = await createPerson(test, { plan: 'agency' });
  other = await createPerson(test, { plan: 'agency' });
});
afterAll(async () => {
  await test.close();
  await mail.close();
});

describe('another account', () => {
  it('sees nothing of this one at any endpoint, and changes nothing', async () => {
    const key = (await me.browser.post('/account/keys', { name: 'mine alone' })).body;
    const [login] = (await me.browser.get('/account/logins')).body.logins;
    const ids = { ':keyId': key.id, ':loginId': login.id, ':accountId': me.accountId } as Record<string, string>;
    const traces = [me.accountId, me.email, key.id, login.id, 'mine alone'];
    for (const [name, { method, path, auth, body: schema }] of endpoints) {
      if (name === 'deleteAccount' || name === 'logOut' || name === 'logIn') continue;
      const filled = path.replace(/:\w+/g, (part) => ids[part] ?? '');
      const answer = await other.browser.call(method, filled, schema && { name: 'x', active: false });
      const { requestId: _, ...body } = answer.body ?? {};
      // An id of one's own request is no knowledge.
      const shown = JSON.stringify(body)
        .replaceAll(filled, '')
        .replace(/No \w+.? ?\w+ \w+_\w+|No log-in \w+/, '');
      for (const trace of traces) expect([name, shown.includes(trace)]).toEqual([name, false]);
      if (path.includes(':') && auth === 'login') expect([name, answer.status]).toEqual([name, 404]);
      if (auth === 'operator') expect([name, answer.status]).toEqual([name, 403]);
    }
    expect((await me.browser.get('/account/keys')).body.keys).toMatchObject([{ name: 'mine alone', active: true }]);
    expect((await me.browser.get('/account/profile')).status).toBe(200);
  });
});

describe('without a log-in', () => {
  it('every endpoint that wants one answers 401 before it reads a body', async () => {
    const stranger = createBrowser(test.url);
    for (const [, { method, path, auth }] of endpoints.filter(([, endpoint]) => endpoint.auth !== 'none')) {
      const filled = path.replace(/:\w+/g, 'x');
      expect(auth).toMatch(/login|operator/);
      expectError(await stranger.call(method, filled, method === 'GET' ? undefined : 'no object'), 'not_logged_in');
    }
  });
});

describe('answers', () => {
  it('are as documented, with every schema closed, for every endpoint below /account', async () => {
    const document = (await (await fetch(`${test.url}/v1/openapi.json`)).json()) as OpenApiDocument;
    const schemas = createAnswerSchemas(document);
    const seen = new Set<EndpointName>();
    const browser = createBrowser(test.url);
    const check = async (name: EndpointName, json?: unknown, ids: Record<string, string> = {}) => {
      const { method, path, success } = ENDPOINTS[name] as Endpoint;
      const answer = await browser.call(
        method,
        path.replace(/:(\w+)/g, (_, part: string) => ids[part] ?? ''),
        json,
      );
      expect([name, answer.status, answer.text.slice(0, 200)]).toEqual([name, success.status, expect.any(String)]);
      const pattern = path.replace(/:(\w+)/g, '{$1}');
      if (success.kind === 'json') {
        expect([name, schemas.answer(pattern, method.toLowerCase(), answer.status, answer.body)]).toEqual([name, []]);
      }
      seen.add(name);
      return answer.body;
    };
    await check('getAccountOptions');
    await check('getVisit');
    await check('signUp', { email: 'documented@example.com' });
    await check('requestPasswordReset', { email: 'documented@example.com' });
    const { accountId, email } = await createPerson(test, { operator: true });
    const link = await test.service.signIn.claims.createLink(accountId);
    await check('readLink', { token: tokenIn(link) });
    await check('claimAccount', { token: tokenIn(link), password: PASSWORD });
    await check('logIn', { email, password: PASSWORD });
    await check('getProfile');
    await check('updateProfile', { email: `new-${email}`, password: PASSWORD });
    await check('changePassword', { currentPassword: PASSWORD, newPassword: PASSWORD });
    await check('listLogins');
    const second = await test.service.signIn.browserSessions.open(accountId, { address: '', userAgent: '' });
    await check('revokeLogin', undefined, { loginId: second.loginId });
    await check('revokeOtherLogins');
    await check('confirmPassword', { password: PASSWORD });
    const { id: keyId } = await check('createKey', { name: 'documented' });
    await check('listKeys');
    await check('updateKey', { name: 'renamed' }, { keyId });
    await check('deleteKey', undefined, { keyId });
    for (const name of ['getUsage', 'listJobs', 'listLedger', 'exportLedger', 'listPlans'] as const) await check(name);
    const { account } = await check('inviteAccount', { email: 'invited@example.com' });
    await check('listAccounts');
    await check('updateAccount', { plan: 'agency' }, { accountId: account.id });
    await check('grantCredits', { amount: 1 }, { accountId: account.id });
    await check('withdrawCredits', { amount: 1 }, { accountId: account.id });
    await check('createAccountLink', undefined, { accountId: account.id });
    await check('listAccountLedger', undefined, { accountId: account.id });
    await check('exportAccountLedger', undefined, { accountId: account.id });
    await check('removeAccount', undefined, { accountId: account.id });
    await check('getServiceUsage');
    await check('getServiceState');
    await check('checkInstallation');
    for (const name of ['listOperatorLog', 'exportOperatorLog', 'exportOperatorLogLines'] as const) await check(name);
    await check('auditCredits');
    await check('logOut');
    expect(
      endpoints
        .map(([name]) => name)
        .filter((name) => !seen.has(name))
        .sort(),
    ).toEqual(['confirmEmail', 'confirmSignUp', 'deleteAccount', 'resetPassword']);
  });
});

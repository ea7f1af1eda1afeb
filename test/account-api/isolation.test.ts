import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS, type Endpoint, type EndpointName, ERROR_CATALOGUE, errorCodesOf } from '#contract';
import { createAnswerSchemas, type OpenApiDocument } from '../support/answer-schemas.ts';
import { createBrowser, createPerson, PASSWORD, type Person } from '../support/browser-client.ts';
import { expectError } from '../support/error-answers.ts';
import { type MailServer, startMailServer, tokenIn } from '../support/mail-server.ts';
import { createRawClient, inParallel } from '../support/raw-request.ts';
import { startTestService, type TestService } from '../support/service.ts';

const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
const endpoints = (Object.entries(ENDPOINTS) as [EndpointName, Endpoint][]).filter(([, { path }]) =>
  path.startsWith('/account/'),
);

let mail: MailServer;
let test: TestService;
let me: Person;
let other: Person;
let operator: Person;
beforeAll(async () => {
  console.log(`seed of the malformed account bodies: ${seed} (FUZZ_SEED=${seed} repeats them)`);
  mail = await startMailServer();
  test = await startTestService({ SMTP_URL: mail.url });
  me = await createPerson(test, { plan: 'agency' });
  other = await createPerson(test, { plan: 'agency' });
  operator = await createPerson(test, { operator: true });
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
    for (const [name, { method, path, auth, bodyKind }] of endpoints) {
      if (name === 'deleteAccount' || name === 'logOut' || name === 'logIn') continue;
      const filled = path.replace(/:\w+/g, (part) => ids[part] ?? '');
      const answer = await other.browser.call(
        method,
        filled,
        bodyKind === 'json' ? { name: 'x', active: false } : undefined,
      );
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
    const nobody = createBrowser(test.url);
    for (const [, { method, path, auth }] of endpoints.filter(([, endpoint]) => endpoint.auth !== 'none')) {
      const filled = path.replace(/:\w+/g, 'x');
      expect(auth).toMatch(/login|operator/);
      expectError(await nobody.call(method, filled, method === 'GET' ? undefined : 'no object'), 'not_logged_in');
    }
  });
});

describe('malformed bodies', () => {
  const nasty = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom<unknown>(null, true, -1, 1.5, '', ' ', '\u0000', '\ud800', 'a'.repeat(5000)),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom<unknown>([], {}, { $gt: '' }, ['$ne'], { $where: '1' }, 'x@y.example', '__proto__'),
    },
    { weight: 2, arbitrary: fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text) as unknown) },
    { weight: 1, arbitrary: fc.string({ maxLength: 80 }) },
  );
  const fields = [
    'email',
    'password',
    'token',
    'currentPassword',
    'newPassword',
    'name',
    'active',
    'plan',
    'amount',
    'note',
  ];
  const bodies = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.dictionary(fc.constantFrom(...fields), nasty, { maxKeys: 5 }).map((body) => JSON.stringify(body)),
    },
    { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
    { weight: 1, arbitrary: fc.string({ maxLength: 200 }) },
  );

  it('3,000 over all endpoints: never a 5xx, always the one error shape with a documented code', async () => {
    const raw = createRawClient(test.url, { sockets: 8 });
    const withJson = endpoints.filter(([name, { bodyKind }]) => bodyKind === 'json' && name !== 'deleteAccount');
    const samples = fc.sample(fc.tuple(bodies, fc.nat()), { numRuns: 3000, seed });
    const faults: string[] = [];
    const statuses = new Map<number, number>();
    await inParallel(samples, 8, async ([body, pick]) => {
      const [, endpoint] = withJson[pick % withJson.length] as [EndpointName, Endpoint];
      const ids = { ':keyId': `key_${'a'.repeat(22)}`, ':accountId': other.accountId } as Record<string, string>;
      const answer = await raw.send(
        endpoint.path.replace(/:\w+/g, (part) => ids[part] ?? ''),
        {
          method: endpoint.method,
          headers: {
            Cookie: `__Host-imagewright=${operator.browser.cookie}`,
            'Sec-Fetch-Site': 'same-origin',
            'Content-Type': 'application/json',
          },
          body,
        },
      );
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status < 400) return;
      const { code, error, requestId } = JSON.parse(answer.text) as Record<string, string>;
      const known = code as keyof typeof ERROR_CATALOGUE;
      const fine = error && requestId && ERROR_CATALOGUE[known]?.status === answer.status && answer.status < 500;
      if (!fine || !errorCodesOf(endpoint).includes(known))
        faults.push(`${answer.status} ${code} ${endpoint.path} ${body.slice(0, 200)}`);
    });
    raw.close();
    expect(faults.slice(0, 10)).toEqual([]);
    expect(statuses.get(400)).toBeGreaterThan(1500);
    expect((await operator.browser.get('/account/profile')).status).toBe(200);
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

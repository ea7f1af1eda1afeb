import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogLine } from '#contract';
import { createBrowser, createPerson, PASSWORD, type Person } from '../support/browser-client.ts';
import { expectError } from '../support/error-answers.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { startTestService, type TestService } from '../support/service.ts';

const ADDRESS = '203.0.113.9';

const logged: string[] = [];
let mail: MailServer;
let test: TestService;
let operator: Person;
beforeAll(async () => {
  mail = await startMailServer();
  test = await startTestService(
    { SMTP_URL: mail.url, TRUST_PROXY: '1', LOG_LEVEL: 'warn' },
    { log: (line) => void logged.push(line) },
  );
  operator = await createPerson(test, { operator: true });
});
afterAll(async () => {
  await test.close();
  await mail.close();
});

const elsewhere = () => createBrowser(test.url, { headers: { 'X-Forwarded-For': ADDRESS } });
const pathOf = ({ accountId }: Person, rest = '') => `/account/operator/accounts/${accountId}${rest}`;

async function linesOf(account: string, query = ''): Promise<LogLine[]> {
  const answer = await operator.browser.get(`/account/operator/log?account=${encodeURIComponent(account)}${query}`);
  expect(answer.status).toBe(200);
  return answer.body.lines;
}

describe('the operator log', () => {
  it('has a line for each change of an account, with actor, old and new value and address', async () => {
    const user = await createPerson(test);
    const me = elsewhere();
    await me.post('/account/log-in', { email: operator.email, password: PASSWORD });
    await me.post('/account/confirm-password', { password: PASSWORD });
    await me.patch(pathOf(user), { plan: 'agency', suspended: true, role: 'operator' });
    await me.patch(pathOf(user), { suspended: false });
    await me.post(pathOf(user, '/credits'), { amount: 5, note: 'sorry' });
    const lines = await linesOf(user.email);
    expect(lines.map(({ action, change }) => [action, change])).toEqual([
      ['credits.grant', { amount: 5, note: 'sorry', ref: expect.stringMatching(/^grant_/) }],
      ['account.resume', {}],
      ['account.role', { from: 'user', to: 'operator' }],
      ['account.suspend', {}],
      ['account.plan', { from: 'free', to: 'agency' }],
    ]);
    for (const { actor, target, address } of lines) {
      expect([actor, target, address]).toEqual([
        { accountId: operator.accountId, name: operator.email },
        { accountId: user.accountId, email: user.email },
        ADDRESS,
      ]);
    }
    expect(await linesOf(operator.accountId, '&action=log-in')).toMatchObject([{ action: 'log-in', address: ADDRESS }]);
  });

  it("has operators' keys and everybody's password changes, but no secret and no key of a user", async () => {
    const me = await createPerson(test, { operator: true });
    const { id, apiKey } = (await me.browser.post('/account/keys', { name: 'site' })).body;
    await me.browser.patch(`/account/keys/${id}`, { active: false });
    await me.browser.patch(`/account/keys/${id}`, { active: true, name: 'shop' });
    await me.browser.delete(`/account/keys/${id}`);
    const user = await createPerson(test);
    await user.browser.post('/account/keys', { name: 'site' });
    await user.browser.post('/account/password', { currentPassword: PASSWORD, newPassword: 'another long sentence' });
    expect((await linesOf(me.email)).map(({ action }) => action)).toEqual([
      'key.delete',
      'key.rename',
      'key.activate',
      'key.deactivate',
      'key.create',
    ]);
    expect((await linesOf(user.email)).map(({ action }) => action)).toEqual(['password.change']);
    const { text } = await operator.browser.get('/account/operator/log?limit=200');
    for (const secret of [apiKey, PASSWORD, 'another long sentence', 'scrypt', me.browser.cookie]) {
      expect(text).not.toContain(secret);
    }
  });

  it('is read in pages, by action and day, and exported as CSV and JSON lines', async () => {
    const user = await createPerson(test);
    for (let amount = 1; amount <= 5; amount += 1) await operator.browser.post(pathOf(user, '/credits'), { amount });
    const all: LogLine[] = [];
    for (let cursor = ''; ; ) {
      const path = `/account/operator/log?account=${user.accountId}&action=credits.grant&limit=2${cursor}`;
      const { body } = await operator.browser.get(path);
      all.push(...body.lines);
      if (!body.nextCursor) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    expect(all.map(({ change }) => change.amount)).toEqual([5, 4, 3, 2, 1]);
    expect(await linesOf(user.accountId, '&to=2020-01-01')).toEqual([]);
    const file = async (format: string) =>
      operator.browser.get(`/account/operator/log.${format}?account=${user.accountId}`);
    const jsonl = await file('jsonl');
    expect(jsonl.headers.get('Content-Disposition')).toMatch(
      /^attachment; filename="imagewright-operator-log-.*jsonl"$/,
    );
    expect(
      jsonl.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(all);
    const csv = (await file('csv')).text.trim().split('\r\n');
    expect([csv.length, csv[0]]).toEqual([6, 'time,actor,actor id,action,account,account id,change,address,id']);
    expectError(await user.browser.get('/account/operator/log'), 'operator_required');
  });

  it('has a line before the action: without one the action does not happen, and a failure is a second line', async () => {
    const user = await createPerson(test);
    const { accounts } = test.service;
    const actor = { accountId: operator.accountId, name: operator.email, address: '' };
    const refused = accounts.operatorLog.record(actor, { action: 'account.plan', target: user.accountId }, () =>
      accounts.setPlan(user.accountId, 'none'),
    );
    await expect(refused).rejects.toThrow('expected plan');
    const [second, first] = await linesOf(user.accountId);
    expect(first?.change).toEqual({});
    expect(second?.change).toEqual({ line: first?.id, failed: 'invalid_request' });
  });
});

describe('the account concerned', () => {
  it('gets a mail about its role, suspension, plan, credits and keys', async () => {
    const user = await createPerson(test);
    await operator.browser.patch(pathOf(user), { role: 'operator' });
    await operator.browser.patch(pathOf(user), { suspended: true });
    await operator.browser.patch(pathOf(user), { suspended: false, plan: 'agency' });
    for (const amount of [1, 30]) await operator.browser.post(pathOf(user, '/credits'), { amount, note: 'the fair' });
    const texts = () => mail.received.filter(({ to }) => to.includes(user.email)).map(({ text }) => text);
    await expect.poll(() => texts().length).toBe(6);
    for (const sentence of [
      'has the role of an operator now',
      'is suspended: its API keys',
      'is not suspended any more',
      'The plan of your account is agency now',
      'has received 1 credit.',
      'has received 30 credits.',
    ]) {
      expect(texts().filter((text) => text.includes(sentence))).toHaveLength(1);
    }
    expect(texts().join()).toContain('Note: the fair');
  });
});

describe('a refused password', () => {
  it('is logged with the address of the client behind the proxy, never with what was typed', async () => {
    const user = await createPerson(test);
    const typed = 'typed into the wrong field';
    await elsewhere().post('/account/log-in', { email: user.email, password: typed });
    await elsewhere().post('/account/log-in', { email: 'nobody@example.com', password: typed });
    await user.browser.post('/account/confirm-password', { password: typed });
    const lines = logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'a password was refused');
    expect(lines).toMatchObject([
      { code: 'wrong_credentials', address: ADDRESS, accountId: user.accountId },
      { code: 'wrong_credentials', address: ADDRESS },
      { code: 'wrong_password', accountId: user.accountId },
    ]);
    expect(lines[1]).not.toHaveProperty('accountId');
    for (const secret of [typed, user.email, 'nobody@example.com']) expect(logged.join()).not.toContain(secret);
  });
});

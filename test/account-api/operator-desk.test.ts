import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectCleanBooks } from '../support/aftermath.ts';
import { createBrowser, createPerson, PASSWORD, type Person } from '../support/browser-client.ts';
import { expectError } from '../support/error-answers.ts';
import { type MailServer, startMailServer, tokenIn } from '../support/mail-server.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImages } from '../support/small-images.ts';
import { untilAnswered } from '../support/until-answered.ts';

let test: TestService;
let operator: Person;
beforeAll(async () => {
  test = await startTestService();
  operator = await createPerson(test, { operator: true });
});
afterAll(() => test.close());

const pathOf = ({ accountId }: Pick<Person, 'accountId'>, rest = '') =>
  `/account/operator/accounts/${accountId}${rest}`;
const balanceOf = async ({ accountId }: Person) => (await test.service.accounts.find(accountId))?.balance;
const logOf = async ({ accountId }: Pick<Person, 'accountId'>) =>
  (await operator.browser.get(`/account/operator/log?account=${accountId}`)).body.lines;

describe('credits are taken back', () => {
  const withdraw = (person: Person, json: unknown, key?: string) =>
    operator.browser.post(pathOf(person, '/withdrawals'), json, key === undefined ? {} : { 'Idempotency-Key': key });

  it('once per Idempotency-Key, with a line in both ledgers of what happened', async () => {
    const user = await createPerson(test, { credits: 100 });
    const same = await Promise.all(
      Array.from({ length: 5 }, () => untilAnswered(() => withdraw(user, { amount: 30, note: 'Mistake' }, 'w1'))),
    );
    for (const { status, body } of same)
      expect([status, body]).toEqual([200, { accountId: user.accountId, withdrawn: 30, balance: 70 }]);
    expectError(await withdraw(user, { amount: 31 }, 'w1'), 'idempotency_mismatch');
    expect((await user.browser.get('/account/ledger?kind=withdrawal')).body.transactions).toMatchObject([
      { delta: -30, note: 'Mistake' },
    ]);
    expect((await user.browser.get('/account/profile')).body).toMatchObject({ balance: 70, granted: 70, used: 0 });
    expect(await logOf(user)).toMatchObject([{ action: 'credits.withdraw', change: { amount: 30, note: 'Mistake' } }]);
    await expectCleanBooks(test);
  });

  it('never below zero, however many ask at once', async () => {
    const user = await createPerson(test, { credits: 50 });
    const refused = expectError(await withdraw(user, { amount: 51 }), 'insufficient_credits');
    expect(refused).toMatchObject({ balance: 50, required: 51, shortfall: 1 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => withdraw(user, { amount: 9 })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(7);
    expect(await balanceOf(user)).toBe(5);
    for (const amount of [0, -5, 1.5, '5']) expectError(await withdraw(user, { amount }), 'invalid_request');
    await expectCleanBooks(test);
  });

  it('while an export is being paid: what is charged stays charged', async () => {
    const { accountId, api } = await test.createAccount({ credits: 10 });
    const uploaded = await api.upload(await plainImages(4, { width: 64, height: 48 }));
    const [run, ...answers] = await Promise.all([
      api.run('export', uploaded),
      ...Array.from({ length: 6 }, () => operator.browser.post(pathOf({ accountId }, '/withdrawals'), { amount: 1 })),
    ]);
    expect(run.last.event).toBe('complete');
    const taken = answers.filter(({ status }) => status === 200).length;
    expect((await test.service.accounts.find(accountId))?.balance).toBe(10 - 4 - taken);
    await expectCleanBooks(test);
  });
});

describe('the ledger of an account', () => {
  it('is read in pages, by kind, and as CSV, as its owner sees it', async () => {
    const user = await createPerson(test, { credits: 60 });
    await operator.browser.post(pathOf(user, '/credits'), { amount: 5, note: 'For the fair' });
    const own = (await user.browser.get('/account/ledger')).body;
    expect((await operator.browser.get(pathOf(user, '/ledger'))).body).toEqual(own);
    expect(own.transactions).toHaveLength(3);
    const first = (await operator.browser.get(pathOf(user, '/ledger?limit=1'))).body;
    const second = (await operator.browser.get(pathOf(user, `/ledger?limit=2&cursor=${first.nextCursor}`))).body;
    expect([...first.transactions, ...second.transactions]).toEqual(own.transactions);
    expect((await operator.browser.get(pathOf(user, '/ledger.csv?kind=grant'))).text).toContain('For the fair');
    expectError(await operator.browser.get(`/account/operator/accounts/acct_${'a'.repeat(22)}/ledger`), 'not_found');
  });
});

describe('a new link', () => {
  it('sets the first password of an unclaimed account, and the next one of another', async () => {
    const invited = await operator.browser.post('/account/operator/accounts', { email: 'late@example.com' });
    const accountId = invited.body.account.id;
    const again = await operator.browser.post(pathOf({ accountId }, '/link'));
    expect(again.status).toBe(200);
    const guest = createBrowser(test.url);
    const until = (await guest.post('/account/link', { token: tokenIn(again.body.link) })).body.expiresAt;
    expect(Math.round((Date.parse(until) - Date.now()) / 3_600_000)).toBe(72);
    expect((await guest.post('/account/claim', { token: tokenIn(again.body.link), password: PASSWORD })).status).toBe(
      200,
    );
    // The first link is void for an account that was claimed.
    expectError(
      await guest.post('/account/claim', { token: tokenIn(invited.body.link), password: 'another long sentence' }),
      'invalid_link',
    );
    const reset = await operator.browser.post(pathOf({ accountId }, '/link'));
    expect(reset.body.link).toContain('/dashboard/reset#token=');
    expect((await logOf({ accountId })).map(({ action }: { action: string }) => action)).toEqual([
      'account.link',
      'account.link',
      'account.create',
    ]);
  });

  it('is neither for oneself nor for a suspended account', async () => {
    expectError(await operator.browser.post(pathOf(operator, '/link')), 'own_account');
    const user = await createPerson(test);
    await test.service.accounts.setSuspended(user.accountId, true);
    expectError(await operator.browser.post(pathOf(user, '/link')), 'account_suspended');
  });

  it('is mailed, and not shown, where the service sends mail', async () => {
    const mail: MailServer = await startMailServer();
    const mailing = await startTestService({ SMTP_URL: mail.url, MAIL_FROM: 'images@example.com' });
    try {
      const me = await createPerson(mailing, { operator: true });
      const user = await createPerson(mailing);
      expect((await me.browser.post(pathOf(user, '/link'))).body).toEqual({ link: null });
      expect((await mail.mailTo(user.email, ({ text }) => text.includes('/dashboard/reset#token='))).subject).toContain(
        'password',
      );
      expect((await me.browser.get('/account/operator/state')).body.mail).toMatchObject({ sends: true });
    } finally {
      await mailing.close();
      await mail.close();
    }
  });
});

describe('deleting an account', () => {
  it('removes it with its sessions and keys; the log keeps its id and what was left', async () => {
    const { accountId, api } = await test.createAccount({ credits: 12 });
    await api.upload(await plainImages(1, { width: 64, height: 48 }));
    expect((await operator.browser.delete(pathOf({ accountId }))).status).toBe(204);
    expect(await test.service.accounts.find(accountId)).toBeNull();
    expect((await api.request('/v1/credits/balance')).status).toBe(401);
    expect(await logOf({ accountId })).toMatchObject([{ action: 'account.delete', change: { balance: 12 } }]);
    expectError(await operator.browser.delete(pathOf({ accountId })), 'not_found');
    expectError(await operator.browser.delete(pathOf(operator)), 'own_account');
    await expectCleanBooks(test);
  });
});

describe('the whole service', () => {
  it('tells its usage, also that of deleted accounts, and all credits', async () => {
    const usage = async () => (await operator.browser.get('/account/operator/usage?days=7')).body;
    const before = await usage();
    const { accountId, api } = await test.createAccount();
    await api.run('export', await api.upload(await plainImages(3, { width: 64, height: 48 })));
    await api.run('sample', await api.upload(await plainImages(1, { width: 64, height: 48, from: 7 })));
    const after = await usage();
    expect(after.days).toHaveLength(7);
    expect([after.total.images - before.total.images, after.total.samples - before.total.samples]).toEqual([3, 1]);
    expect(after.accounts.total - before.accounts.total).toBe(1);
    expect(after.credits.balance - before.credits.balance).toBe(22);
    expect(after.credits.used - before.credits.used).toBe(3);
    const { figures } = (await operator.browser.get('/account/operator/audit')).body;
    expect(after.credits).toEqual({ balance: figures.balance, used: figures.used, granted: figures.granted });
    await operator.browser.delete(pathOf({ accountId }));
    const later = await usage();
    expect([later.accounts.total, later.credits.balance]).toEqual([before.accounts.total, before.credits.balance]);
  });

  it('tells its disk, model, mail and queue', async () => {
    const { status, body, text } = await operator.browser.get('/account/operator/state');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      model: { provider: 'none', name: null, state: 'off' },
      mail: { sends: false, waiting: 0, retried: 0 },
      queue: { waiting: 0, busy: 0 },
    });
    expect(body.queue.workers).toBeGreaterThan(0);
    expect(body.disk.freeBytes).toBeGreaterThan(0);
    expect(body.disk.totalBytes).toBeGreaterThan(body.disk.freeBytes);
    expect(text).not.toMatch(/key|secret|password/i);

    // The last hour of this server: this request refuses one more.
    const { lastHour } = body;
    expect(lastHour.queue[0]).toEqual({ at: lastHour.since, waiting: 0, busy: 0 });
    expect((await test.api.request('/v1/sessions/ses_0000000000000000')).status).toBe(404);
    await expect
      .poll(async () => (await operator.browser.get('/account/operator/state')).body.lastHour)
      .toMatchObject({ refused: lastHour.refused + 1, failed: lastHour.failed, since: lastHour.since });
  });
});

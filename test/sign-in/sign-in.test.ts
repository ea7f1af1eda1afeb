import { beforeAll, describe, expect, test } from 'vitest';
import { PLACEHOLDER_EMAIL } from '../../server/accounts/index.ts';
import { rejection, useAccounts } from '../accounts/accounts-fixture.ts';
import { tokenIn } from '../support/mail-server.ts';

const fixture = useAccounts();
// The database removes expired records by the real clock.
beforeAll(() => {
  fixture.clock.now = new Date();
});
const VISITOR = { address: '::ffff:192.0.2.7', userAgent: `Browser\u202e\n${'x'.repeat(500)}` };
const HOUR = 3_600_000;
const wait = (ms: number) => {
  fixture.clock.now = new Date(fixture.clock.now.getTime() + ms);
};
const outcome = async (token: unknown) => (await fixture.signIn.browserSessions.check(token)).outcome;

describe('a browser session', () => {
  test('is stored as a hash with a description of the visitor', async () => {
    const accountId = await fixture.newAccount();
    const { token, loginId } = await fixture.signIn.browserSessions.open(accountId, VISITOR);
    const [stored] = await fixture.repositories.browserSessions.list(accountId, fixture.clock.now);
    expect(stored).toMatchObject({ _id: loginId, address: '192.0.2.7', userAgent: `Browser${'x'.repeat(193)}` });
    expect(JSON.stringify(stored)).not.toContain(token.slice(4, 20));
    expect(await fixture.signIn.browserSessions.check(token)).toMatchObject({
      outcome: 'valid',
      loginId,
      account: { id: accountId },
    });
  });

  test('of a version without kinds of cookies stays valid, but never in the plain cookie of this machine', async () => {
    const accountId = await fixture.newAccount();
    const { token } = await fixture.signIn.browserSessions.open(accountId, VISITOR);
    const { browserSessions } = fixture.repositories;
    const [record] = await browserSessions.list(accountId, fixture.clock.now);
    expect(record?.cookie).toBe('secure');
    const { cookie: _, ...older } = record as NonNullable<typeof record>;
    await browserSessions.removeOfAccount(accountId);
    await browserSessions.insert(older);
    for (const [kind, found] of [
      ['secure', 'valid'],
      ['plain', 'valid'],
      ['local', 'unknown'],
    ] as const) {
      expect((await fixture.signIn.browserSessions.check(token, kind)).outcome).toBe(found);
    }
  });

  test('ends 12 hours after its last use', async () => {
    const { token } = await fixture.signIn.browserSessions.open(await fixture.newAccount(), VISITOR);
    for (let use = 0; use < 3; use += 1) {
      wait(11.9 * HOUR);
      expect(await outcome(token)).toBe('valid');
    }
    wait(12 * HOUR + 1000);
    expect(await outcome(token)).toBe('unknown');
  });

  test('ends after 14 days even if used', async () => {
    const { token } = await fixture.signIn.browserSessions.open(await fixture.newAccount(), VISITOR);
    for (let halfDay = 0; halfDay < 30; halfDay += 1) {
      wait(11 * HOUR);
      expect(await outcome(token)).toBe('valid');
    }
    wait(6 * HOUR);
    expect(await outcome(token)).toBe('unknown');
  });

  test('is not looked up for a malformed token', async () => {
    let queries = 0;
    fixture.connection.set('debug', () => {
      queries += 1;
    });
    for (const junk of [
      '',
      'x',
      `iwl_${'a'.repeat(43)}`,
      `iws_${'a'.repeat(42)}`,
      `iws_${'é'.repeat(43)}`,
      null,
      { $gt: '' },
    ]) {
      expect(await outcome(junk)).toBe('unknown');
    }
    expect(queries).toBe(0);
    expect(await outcome(`iws_${'a'.repeat(43)}`)).toBe('unknown');
    expect(queries).toBe(1);
    fixture.connection.set('debug', false);
  });
});

describe('a one-time link', () => {
  test('expires', async () => {
    const { claims } = fixture.signIn;
    const accountId = await fixture.newAccount();
    const token = tokenIn(await claims.createLink(accountId));
    wait(24 * HOUR - 1000);
    expect(await fixture.signIn.readLink(token)).toMatchObject({ purpose: 'claim' });
    wait(2000);
    expect(await rejection(fixture.signIn.readLink(token))).toMatchObject({ code: 'invalid_link' });
    const claim = claims.claim({ token, password: 'a long enough sentence' }, VISITOR);
    expect(await rejection(claim)).toMatchObject({ code: 'invalid_link' });
  });

  test('grants the operator role only with the claim of the first account', async () => {
    const { accounts, signIn } = fixture;
    const password = 'a long enough sentence';
    const ordinary = await accounts.findByEmail((await accounts.create({ email: 'o@example.org' })).email);
    await signIn.claims.claim(
      { token: tokenIn(await signIn.claims.createLink(ordinary?.id ?? '')), password },
      VISITOR,
    );
    expect(await accounts.findByEmail('o@example.org')).toMatchObject({ role: 'user', state: 'active' });

    const first = await accounts.create({ email: PLACEHOLDER_EMAIL });
    const token = tokenIn(await signIn.claims.createLink(first.id));
    const taken = signIn.claims.claim({ token, password, email: 'o@example.org' }, VISITOR);
    expect(await rejection(taken)).toMatchObject({ code: 'email_taken' });
    await signIn.claims.claim({ token, password, email: 'me@example.org' }, VISITOR);
    expect(await accounts.find(first.id)).toMatchObject({ role: 'operator', email: 'me@example.org' });
    await signIn.claims.claim({ token: tokenIn(await signIn.claims.createLink(first.id)), password }, VISITOR);
    expect(await accounts.find(first.id)).toMatchObject({ role: 'operator' });
  });

  test('cannot change the address of an account', async () => {
    const { accounts, signIn } = fixture;
    await accounts.create({ email: 'boss@example.org' });
    const { id, email } = await accounts.create({ email: 'invited@example.org' });
    const token = tokenIn((await signIn.invite({ id, email })) ?? '');
    const claim = (wanted: string) =>
      signIn.claims.claim({ token, password: 'a long enough sentence', email: wanted }, VISITOR);
    const faults = [];
    for (const wanted of ['boss@example.org', 'free@example.org']) {
      const { code, details } = await rejection(claim(wanted));
      expect(code).toBe('invalid_request');
      faults.push(details);
    }
    expect(faults[1]).toEqual(faults[0]);
    expect(await accounts.find(id)).toMatchObject({ email, state: 'unclaimed' });
    await claim(email);
    expect(await accounts.find(id)).toMatchObject({ email, state: 'active' });
  });

  test('is printed for the operator if no mail is sent, and not logged', async () => {
    await fixture.signIn.signUp.request('printed@example.org', VISITOR);
    await fixture.signIn.deliver();
    const text = fixture.printed.join('');
    expect(text).toContain('Pass this on to printed@example.org');
    expect(tokenIn(text)).toMatch(/^iwl_/);
  });
});

import { describe, expect, test } from 'vitest';
import { newApiKey } from '../../server/accounts/index.ts';
import { rejection, useAccounts } from './accounts-fixture.ts';

const fixture = useAccounts();

async function outcomeOf(apiKey: unknown): Promise<string> {
  return (await fixture.accounts.keys.check(apiKey)).outcome;
}

describe('API keys', () => {
  test('a new key is valid for its account, and only its hash is stored', async () => {
    const accountId = await fixture.newAccount();
    const { keyId, apiKey } = await fixture.accounts.keys.create({ accountId, name: ' build server ' });
    expect(keyId).toMatch(/^key_[0-9A-Za-z]{22}$/);
    expect(await fixture.accounts.keys.check(apiKey)).toMatchObject({
      outcome: 'valid',
      keyId,
      account: { _id: accountId },
    });
    expect(await fixture.accounts.keys.list(accountId)).toMatchObject([
      { id: keyId, name: 'build server', last4: apiKey.slice(-4), active: true, disabledAt: null },
    ]);
    expect(JSON.stringify(await fixture.repositories.apiKeys.list(accountId))).not.toContain(apiKey.slice(3, 20));
  });

  test('a deactivated key is inactive at once and valid again after activation', async () => {
    const accountId = await fixture.newAccount('free');
    const { keyId, apiKey } = await fixture.accounts.keys.create({ accountId, name: 'a' });
    expect(await fixture.accounts.keys.deactivate(accountId, keyId)).toMatchObject({ active: false });
    expect(await outcomeOf(apiKey)).toBe('inactive');
    expect((await fixture.accounts.keys.list(accountId))[0]?.disabledAt).toEqual(fixture.clock.now);
    await fixture.accounts.keys.activate(accountId, keyId);
    expect(await outcomeOf(apiKey)).toBe('valid');
    expect((await fixture.accounts.keys.list(accountId))[0]).toMatchObject({ active: true, disabledAt: null });
  });

  test('the keys of a suspended account are refused', async () => {
    const accountId = await fixture.newAccount();
    const { apiKey } = await fixture.accounts.keys.create({ accountId, name: 'a' });
    await fixture.accounts.setSuspended(accountId, true);
    expect(await outcomeOf(apiKey)).toBe('suspended');
  });

  test('an account has at most 1000 keys, and the request for the last one can be repeated', async () => {
    const accountId = await fixture.newAccount();
    await fill(accountId, 999);
    const { keys } = fixture.accounts;
    const made = newApiKey();
    await keys.create({ accountId, name: 'last', made });
    expect(await keys.create({ accountId, name: 'last', made })).toEqual(made);
    expect(await outcomeOf(made.apiKey)).toBe('valid');
    expect(await rejection(keys.create({ accountId, name: 'one more' }))).toMatchObject({ code: 'key_limit_reached' });
  });

  test('12 keys made at once by two servers: never more than 1000 stay', async () => {
    const accountId = await fixture.newAccount();
    await fill(accountId, 997);
    const servers = [fixture.accounts, fixture.createWith({})];
    const made = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) => servers[index % 2]?.keys.create({ accountId, name: 'new' })),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await fixture.repositories.apiKeys.countOf(accountId)).toBe(1000);
  });

  test('a key cannot be read or changed by another account', async () => {
    const owner = await fixture.newAccount();
    const other = await fixture.newAccount();
    const { keyId, apiKey } = await fixture.accounts.keys.create({ accountId: owner, name: 'a' });
    const { keys } = fixture.accounts;
    expect(await rejection(keys.deactivate(other, keyId))).toMatchObject({ code: 'not_found' });
    expect(await rejection(keys.activate(other, keyId))).toMatchObject({ code: 'not_found' });
    expect(await rejection(keys.rename(other, keyId, 'mine'))).toMatchObject({ code: 'not_found' });
    expect(await outcomeOf(apiKey)).toBe('valid');
  });

  test('malformed keys are refused without a database query, unknown keys with one', async () => {
    let queries = 0;
    const counting = { ...fixture.repositories.apiKeys };
    counting.findByHash = async (hash) => {
      queries += 1;
      return fixture.repositories.apiKeys.findByHash(hash);
    };
    const { keys } = fixture.createWith({ apiKeys: counting });
    for (const junk of ['', 'x', 'iw_0000000000000000000000000000003PZPfl', { $gt: '' }, ['a'], null, undefined]) {
      expect((await keys.check(junk)).outcome).toBe('malformed');
    }
    expect(queries).toBe(0);
    expect((await keys.check('iw_0000000000000000000000000000003PZPfk')).outcome).toBe('unknown');
    expect(queries).toBe(1);
  });

  test('the last use is stored at most once a minute', async () => {
    const accountId = await fixture.newAccount();
    const { keyId, apiKey } = await fixture.accounts.keys.create({ accountId, name: 'a' });
    const lastUsedAt = async () => (await fixture.repositories.apiKeys.find(accountId, keyId))?.lastUsedAt?.getTime();
    const start = fixture.clock.now.getTime();
    expect(await lastUsedAt()).toBeUndefined();
    for (const [seconds, expected] of [
      [0, 0],
      [59, 0],
      [61, 61],
      [90, 61],
      // The clock was set back.
      [-3600, -3600],
      [-3590, -3600],
    ] as const) {
      fixture.clock.now = new Date(start + seconds * 1000);
      await fixture.accounts.keys.check(apiKey);
      expect(await lastUsedAt()).toBe(start + expected * 1000);
    }
  });

  test.each([
    ['free', 1],
    ['agency', 20],
  ])('40 keys made at once on the plan %s: exactly %i are', async (plan, limit) => {
    const accountId = await fixture.newAccount(plan);
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => fixture.accounts.keys.create({ accountId, name: `key ${index}` })),
    );
    const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(made).toHaveLength(limit);
    for (const { apiKey } of made) expect(await outcomeOf(apiKey)).toBe('valid');
    const refused = results.find((result) => result.status === 'rejected')?.reason;
    expect(refused).toMatchObject({ code: 'key_limit_reached', details: { limit, used: limit } });
    expect(await fixture.accounts.keys.list(accountId)).toHaveLength(limit);
  });

  test('activation is subject to the limit', async () => {
    const accountId = await fixture.newAccount('free');
    const first = await fixture.accounts.keys.create({ accountId, name: 'first' });
    await fixture.accounts.keys.deactivate(accountId, first.keyId);
    const second = await fixture.accounts.keys.create({ accountId, name: 'second' });
    expect(await rejection(fixture.accounts.keys.activate(accountId, first.keyId))).toMatchObject({
      code: 'key_limit_reached',
    });
    expect([await outcomeOf(first.apiKey), await outcomeOf(second.apiKey)]).toEqual(['inactive', 'valid']);
  });

  test('a crash during creation or deactivation leaves a correct count', async () => {
    const accountId = await fixture.newAccount('free');
    const crash = async () => {
      throw new Error('crash');
    };
    const { accounts, apiKeys } = fixture.repositories;
    const dying = fixture.createWith({ accounts: { ...accounts, addActiveKey: crash } });
    await rejection(dying.keys.create({ accountId, name: 'lost' }));
    const { keyId, apiKey } = await fixture.accounts.keys.create({ accountId, name: 'kept' });

    const dyingLater = fixture.createWith({ apiKeys: { ...apiKeys, setDisabledAt: crash } });
    await rejection(dyingLater.keys.deactivate(accountId, keyId));
    expect(await outcomeOf(apiKey)).toBe('inactive');
    expect(await fixture.accounts.find(accountId)).toMatchObject({ keys: { used: 0, limit: 1 } });
  });

  test('a name that is empty or too long is refused', async () => {
    const accountId = await fixture.newAccount();
    for (const name of ['', '  ', 'x'.repeat(101)]) {
      expect(await rejection(fixture.accounts.keys.create({ accountId, name }))).toMatchObject({
        code: 'invalid_request',
      });
    }
    const { keyId } = await fixture.accounts.keys.create({ accountId, name: 'old' });
    await fixture.accounts.keys.rename(accountId, keyId, 'new');
    expect((await fixture.accounts.keys.list(accountId))[0]?.name).toBe('new');
  });
});

/** Gives an account keys that are deactivated. */
async function fill(accountId: string, count: number): Promise<void> {
  const fields = {
    accountId,
    name: 'old',
    last4: 'abcd',
    createdAt: new Date(),
    lastUsedAt: null,
    disabledAt: new Date(),
  };
  const others = Array.from({ length: count }, (_, index) => ({
    _id: `key_${accountId}${index}`,
    hash: `${accountId}${index}`,
  }));
  await fixture.connection.collection('api_keys').insertMany(others.map((key) => ({ ...key, ...fields })) as never[]);
}

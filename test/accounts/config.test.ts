import { describe, expect, test } from 'vitest';
import { accountsConfig } from '../../server/accounts/index.ts';

describe('accounts configuration', () => {
  test('contains the plans of the specification by default', () => {
    expect(accountsConfig.parse({}).PLANS).toEqual({
      free: {
        keys: 1,
        signupCredits: 25,
        streams: 64,
        samplesPerDay: 50,
        analysesPerDay: 50,
        storageMb: 2048,
        sessions: 100,
      },
      agency: { keys: 20, signupCredits: 25, streams: 512 },
    });
  });

  test('reads plans with a rate limit from JSON', () => {
    const PLANS = '{"team":{"keys":5,"signupCredits":0,"rateLimit":{"requests":100,"windowSeconds":60}}}';
    expect(accountsConfig.parse({ PLANS }).PLANS).toEqual({ team: { ...JSON.parse(PLANS).team, streams: 64 } });
  });

  test.each([
    ['no JSON', '{'],
    ['no plan', '{}'],
    ['a plan without a number of keys', '{"free":{}}'],
    ['a misspelt field', '{"free":{"keys":1,"ratelimit":{}}}'],
    ['a plan name that cannot stand in a header', '{"a\\"b":{"keys":1}}'],
    ['a negative limit', '{"free":{"keys":1,"storageMb":-1}}'],
    ['a negative number', '{"free":{"keys":1,"signupCredits":-1}}'],
  ])('refuses %s', (_, PLANS) => {
    expect(accountsConfig.safeParse({ PLANS }).success).toBe(false);
  });

  test('rejects a short pepper', () => {
    expect(accountsConfig.safeParse({ API_KEY_PEPPER: 'x'.repeat(31) }).success).toBe(false);
    expect(accountsConfig.safeParse({ API_KEY_PEPPER: 'x'.repeat(32) }).success).toBe(true);
  });
});

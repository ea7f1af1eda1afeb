import { expect, it } from 'vitest';
import { useAccounts } from '../accounts/accounts-fixture.ts';

const fixture = useAccounts();
const VISITOR = { address: '192.0.2.7', userAgent: 'test' };

it('a confirmation ends after 10 minutes, and does not count after the clock was set back', async () => {
  // The database removes expired records by the real time.
  fixture.clock.now = new Date();
  const begun = fixture.clock.now.getTime();
  const { browserSessions } = fixture.signIn;
  const accountId = await fixture.newAccount();
  const { loginId, token } = await browserSessions.open(accountId, VISITOR);
  const confirmed = async (minutes: number) => {
    fixture.clock.now = new Date(begun + minutes * 60_000);
    const check = await browserSessions.check(token);
    return check.outcome === 'valid' && check.confirmed;
  };
  expect(await confirmed(0)).toBe(false);
  expect((await browserSessions.confirm(accountId, loginId)).getTime()).toBe(begun + 600_000);
  expect([await confirmed(0), await confirmed(9.9), await confirmed(10), await confirmed(-1)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

import { expect, it, onTestFinished } from 'vitest';
import { createPasswordHash } from '../../server/sign-in/password-rules.ts';
import { createBrowser, PASSWORD } from '../support/browser-client.ts';
import { cheapPasswords } from '../support/cheap-passwords.ts';
import { startTestService } from '../support/service.ts';

/** Wrong passwords of one account in 15 minutes are 100 at most. */
const PEOPLE = 3;
/** Without a hash for strangers it would be above 1,000 with hashes of the real cost. */
const MOST_PERCENT = 25;

const middle = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

it.each([
  // With fast hashing, differences of the look-ups are measurable.
  { tries: 500, cost: 'low', passwords: cheapPasswords },
  { tries: 100, cost: 'real', passwords: createPasswordHash() },
])('$tries tries with hashes of $cost cost do not tell accounts by their time', async ({ tries, passwords }) => {
  const test = await startTestService({ TRUST_PROXY: '1' }, { passwords });
  onTestFinished(test.close);
  const people: string[] = [];
  for (let index = 0; index < PEOPLE; index += 1) {
    const email = `known-${index}@example.com`;
    await test.service.accounts.create({ email, passwordHash: await passwords.hash(PASSWORD) });
    people.push(email);
  }
  const times: Record<'account' | 'stranger', number[]> = { account: [], stranger: [] };
  for (let index = 0; index < tries; index += 1) {
    const kind = index % 2 === 0 ? 'account' : 'stranger';
    const email = kind === 'account' ? people[(index / 2) % PEOPLE] : `stranger-${index}@example.com`;
    const headers = { 'X-Forwarded-For': `198.51.${index % 250}.${1 + Math.floor(index / 250)}` };
    const browser = createBrowser(test.url, { headers });
    const begun = performance.now();
    const { status } = await browser.post('/account/log-in', { email, password: 'not the right one' });
    times[kind].push(performance.now() - begun);
    expect(status).toBe(401);
  }
  const [account, stranger] = [middle(times.account), middle(times.stranger)];
  console.log(`accounts ${account.toFixed(1)} ms, strangers ${stranger.toFixed(1)} ms`);
  expect((Math.abs(account - stranger) / stranger) * 100).toBeLessThan(MOST_PERCENT);
});

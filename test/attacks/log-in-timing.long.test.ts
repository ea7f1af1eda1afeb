import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPasswordHash } from '../../server/sign-in/password-hash.ts';
import { createBrowser, PASSWORD } from '../support/browser-client.ts';
import { startTestService, type TestService } from '../support/service.ts';

const TRIES = 500;
/** Wrong passwords of one account in 15 minutes are 100 at most. */
const PEOPLE = 3;
/** A difference that 500 tries over a network do not show; what it would be without a hash for strangers is 1,000. */
const MOST_PERCENT = 15;

/** Hashes of the cost that users meet. */
const passwords = createPasswordHash();

let test: TestService;
beforeAll(async () => {
  test = await startTestService({ TRUST_PROXY: '1' }, { passwords });
});
afterAll(() => test.close());

const middle = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

it('500 tries do not tell accounts from strangers by their time', { timeout: 600_000 }, async () => {
  const people: string[] = [];
  for (let index = 0; index < PEOPLE; index += 1) {
    const email = `known-${index}@example.com`;
    await test.service.accounts.create({ email, passwordHash: await passwords.hash(PASSWORD) });
    people.push(email);
  }
  const times: Record<'account' | 'stranger', number[]> = { account: [], stranger: [] };
  for (let index = 0; index < TRIES; index += 1) {
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

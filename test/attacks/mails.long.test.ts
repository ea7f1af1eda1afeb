import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COUNTERS, type CountingService, startWithCounters } from '../support/both-counters.ts';
import { createBrowser } from '../support/browser-client.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';

const REQUESTS = 60;
/** Mails that one network address may request per hour. */
const MOST = 10;

describe.each(COUNTERS)('with counters %s', (kind) => {
  let mail: MailServer;
  let test: CountingService;
  beforeAll(async () => {
    mail = await startMailServer();
    test = await startWithCounters(kind, { SMTP_URL: mail.url, SIGN_UP: 'open', TRUST_PROXY: '1' });
  });
  afterAll(async () => {
    await test.close();
    await mail.close();
  });

  it.each([
    { route: '/account/sign-up', address: '198.51.100.1', hasAccounts: false },
    { route: '/account/password-reset', address: '198.51.100.2', hasAccounts: true },
  ])('60 requests of $route from one address send ten mails at most', async ({ route, address, hasAccounts }) => {
    const people = Array.from({ length: REQUESTS }, (_, index) => `person-${index}@${address}.example.com`);
    if (hasAccounts) for (const email of people) await test.service.accounts.create({ email, plan: 'free' });
    const sentBefore = mail.received.length;
    const statuses = await Promise.all(
      people.map(async (email, index) => {
        const headers = { 'X-Forwarded-For': address };
        const browser = createBrowser(test.urls[index % test.urls.length] as string, { headers });
        return (await browser.post(route, { email })).status;
      }),
    );
    expect(statuses.filter((status) => status === 202)).toHaveLength(MOST);
    expect(statuses.filter((status) => status === 429)).toHaveLength(REQUESTS - MOST);
    await expect.poll(async () => (await test.service.signIn.mailState()).waiting).toBe(0);
    expect(mail.received.length - sentBefore).toBe(MOST);
  });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InstallationCheck, installationCheckSchema } from '#contract';
import { createPerson, type Person } from '../support/browser-client.ts';
import { expectError } from '../support/error-answers.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { startTestService, type TestService } from '../support/service.ts';

const CHECK = '/account/operator/check';

let test: TestService;
let mail: MailServer;
let operator: Person;
beforeAll(async () => {
  mail = await startMailServer();
  test = await startTestService({ SMTP_URL: mail.url, MAIL_FROM: 'images@example.com' });
  operator = await createPerson(test, { operator: true });
});
afterAll(async () => {
  await test.close();
  await mail.close();
});

it('an operator checks the running service, which answers at its own address', async () => {
  const sent = mail.received.length;
  const { status, body } = await operator.browser.post(CHECK);
  expect(status).toBe(200);
  const check: InstallationCheck = installationCheckSchema.parse(body);
  const uri = process.env.TEST_MONGODB_URI;
  expect(check.checks.map(({ part, state, code }) => `${part} ${state} ${code}`)).toEqual([
    'settings ok valid',
    'database ok works',
    'store ok works',
    'disk ok writable',
    expect.stringMatching(/^disk (ok space|warning little_space)$/),
    'mail ok works',
    'model off not_set',
    'clock ok together',
    'address ok this_installation',
    'streams ok at_once',
    'uploads ok let_through',
  ]);
  expect(check.ok).toBe(true);
  expect(check.checks[1]?.tried).toContain(uri ? 'MONGODB_URI' : 'the embedded one in');
  expect(mail.received).toHaveLength(sent);
});

it('those who ask at once get the same check', async () => {
  const answers = await Promise.all([operator.browser.post(CHECK), operator.browser.post(CHECK)]);
  expect(answers[0]?.body).toEqual(answers[1]?.body);
});

it('takes neither parameters, nor anyone who is no operator, nor another page', async () => {
  expectError(await operator.browser.post(`${CHECK}?url=http://127.0.0.1:1`), 'invalid_request');
  expectError(await operator.browser.post(CHECK, { mail: 'me@example.com' }), 'invalid_request');
  expectError(await operator.browser.get(CHECK), 'method_not_allowed');
  const user = await createPerson(test);
  expectError(await user.browser.post(CHECK), 'operator_required');
  const cookie = `__Host-imagewright=${operator.browser.cookie}`;
  for (const [headers, code] of [
    [{}, 'not_logged_in'],
    [{ Cookie: cookie }, 'cross_site_request'],
    [{ Cookie: cookie, 'Sec-Fetch-Site': 'cross-site' }, 'cross_site_request'],
    [{ Cookie: cookie, Origin: 'https://evil.example' }, 'cross_site_request'],
  ] as const) {
    const response = await fetch(test.url + CHECK, { method: 'POST', headers });
    expect([headers, ((await response.json()) as { code: string }).code]).toEqual([headers, code]);
  }
});

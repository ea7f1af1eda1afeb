import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { startTestService, type TestService } from '../support/service.ts';

const FOREIGN = 'evil.example.net';

/** Posts JSON with a foreign name in each field from which a service could take its own name, and returns the status. */
function postAs(url: string, path: string, body: object): Promise<number> {
  const headers = {
    Host: FOREIGN,
    'X-Forwarded-Host': FOREIGN,
    'X-Forwarded-Proto': 'https',
    Forwarded: `host=${FOREIGN};proto=https`,
    'Content-Type': 'application/json',
    'Sec-Fetch-Site': 'same-origin',
  };
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

const SETTINGS: { names: string; env: Record<string, string> }[] = [
  { names: 'PUBLIC_URL', env: { PUBLIC_URL: 'https://images.example.com' } },
  { names: 'nothing but its address', env: {} },
];

describe.each(SETTINGS)('a service that knows $names', ({ env }) => {
  let mail: MailServer;
  let test: TestService;
  beforeAll(async () => {
    mail = await startMailServer();
    // Also a name that the service accepts is none for its links.
    const open = { SIGN_UP: 'open', TRUST_PROXY: '1', ALLOWED_HOSTS: FOREIGN };
    test = await startTestService({ ...env, ...open, SMTP_URL: mail.url });
  });
  afterAll(async () => {
    await test.close();
    await mail.close();
  });

  it.each(['/account/sign-up', '/account/password-reset'])('never takes the host of a link from %s', async (path) => {
    const email = `${path.split('/').pop()}@example.com`;
    if (path.endsWith('reset')) await test.service.accounts.create({ email, plan: 'free' });
    expect(await postAs(test.url, path, { email })).toBe(202);
    const { text, subject } = await mail.mailTo(email);
    expect(text).toContain(`${env.PUBLIC_URL ?? test.url}/dashboard/`);
    expect(text + subject).not.toContain('evil');
  });
});

it('refuses a name that nobody gave it', async () => {
  const test = await startTestService({ SIGN_UP: 'open' });
  expect(await postAs(test.url, '/account/password-reset', { email: 'someone@example.com' })).toBe(421);
  await test.close();
});

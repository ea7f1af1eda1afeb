import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { composeService } from '../../server/compose.ts';
import { openAccounts } from '../../server/compose-accounts.ts';
import { loadConfig } from '../../server/config/index.ts';
import { createLogger } from '../../server/observability/index.ts';
import { testDatabase } from '../support/database.ts';
import { startMailServer } from '../support/mail-server.ts';

it('mails that an earlier run has left go out once the service is reached, with its address', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'waiting-mails-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const database = testDatabase();
  onTestFinished(database.drop);
  const mail = await startMailServer();
  onTestFinished(mail.close);
  const env = {
    DATA_DIR: directory,
    PORT: '0',
    SMTP_URL: mail.url,
    MAIL_FROM: 'images@example.com',
    SIGN_UP: 'open',
    ...(database.uri && { MONGODB_URI: database.uri }),
  };
  const before = await openAccounts(env);
  // Later orders are left to the service.
  await before.signIn.close();
  await before.signIn.signUp.request('late@example.com', { address: '192.0.2.1', userAgent: '' });
  await before.close();

  const service = await composeService(loadConfig(env), createLogger({ level: 'silent', format: 'json' }));
  onTestFinished(() => service.stop());
  await service.start();
  // A service that looked for mails already would have sent this one by now, with a link that leads nowhere.
  await sleep(1000);
  service.listensAt('http://127.0.0.1:4711');
  const { text } = await mail.mailTo('late@example.com');
  expect(text).toContain('http://127.0.0.1:4711/dashboard/confirm#token=iwl_');
  expect(mail.received).toHaveLength(1);
});

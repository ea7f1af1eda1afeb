import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { administer } from '../server/admin/administer.ts';
import { openAccounts, openConfiguredDatabase } from '../server/compose-accounts.ts';
import { loadConfig } from '../server/config/index.ts';
import { startEmbedded } from '../server/db/index.ts';
import { createLogger } from '../server/observability/index.ts';
import { rejection } from './accounts/accounts-fixture.ts';

const logger = createLogger({ level: 'silent', format: 'json' });

/** Settings of a service whose database is in use by another process. */
async function takenDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'compose-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const other = await startEmbedded({ directory: join(directory, 'db') });
  return { config: loadConfig({ DATA_DIR: directory }), directory, other };
}

it('a service waits for an administration command that uses its database', async () => {
  const { config, other } = await takenDirectory();
  const opening = openConfiguredDatabase(config, logger, { aloneWithinMs: 60_000 });
  await other.close();
  const { exclusive, database, close } = await opening;
  expect(exclusive).toBe(true);
  await database.ping();
  await close();
});

it('a service reports that its database is in use by another process', async () => {
  const { config, directory, other } = await takenDirectory();
  const refused = await rejection(openConfiguredDatabase(config, logger, { aloneWithinMs: 1 }));
  expect(refused.message).toBe(
    `DATA_DIR: ${directory} is in use by another running service; stop that, or set another directory`,
  );
  await other.close();
});

it('a server with another pepper than that of the database is refused, until an operator accepts it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'compose-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const first = { DATA_DIR: directory };
  const other = { ...first, API_KEY_PEPPER: 'another pepper of at least thirty-two bytes' };
  await (await openAccounts(first)).close();
  const refused = await rejection(openAccounts(other));
  expect(refused).toMatchObject({ name: 'StartError' });
  expect(refused.message).toMatch(/^API_KEY_PEPPER: expected .*fingerprint [0-9a-f]{12}.*this server has another/);
  await administer({ args: ['pepper', 'accept'], config: loadConfig(other) });
  await (await openAccounts(other)).close();
  expect((await rejection(openAccounts(first))).name).toBe('StartError');
});

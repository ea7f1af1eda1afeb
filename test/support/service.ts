import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeService, type Service } from '../../server/compose.ts';
import { loadConfig } from '../../server/config/index.ts';
import { type Database, EMBEDDED_TIMEOUT_MS, openDatabase, startEmbedded } from '../../server/db/index.ts';
import { listen } from '../../server/http/index.ts';
import { createLogger } from '../../server/observability/index.ts';
import type { PasswordHash } from '../../server/sign-in/index.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { cheapPasswords } from './cheap-passwords.ts';
import { testDatabase } from './database.ts';

/** A whole service on a free port and a fresh directory, with one account to call it as. */
export interface TestService {
  url: string;
  service: Service;
  dataDir: string;
  /** The first account's client. */
  api: ApiClient;
  /** Makes another account with exactly `credits` credits. */
  createAccount(options?: { credits?: number; plan?: string }): Promise<TestAccount>;
  /** Connection string of the service's database. */
  databaseUri(): Promise<string>;
  /** A second connection to the service's database, to see or change what no request can. The caller closes it. */
  openDatabase(): Promise<Database>;
  /** Stops the service and removes its directory. */
  close(): Promise<void>;
}

/** An account with a key. */
export interface TestAccount {
  accountId: string;
  keyId: string;
  apiKey: string;
  api: ApiClient;
}

const SIGNUP = 25;

/**
 * Starts the real service: real database, real disk, real workers, real HTTP. Three things cost less than where it is
 * delivered, and have tests of their own: exports are not searched for their quality, and passwords are hashed cheaply.
 * One process encodes, because others of the tests use the processor, too.
 * `env` overrides settings; `log` gets what the service logs.
 */
export async function startTestService(
  env: Record<string, string> = {},
  { log, passwords = cheapPasswords }: { log?: (line: string) => void; passwords?: PasswordHash } = {},
): Promise<TestService> {
  const dataDir = env.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'imagewright-test-')));
  const database = testDatabase();
  const config = loadConfig({
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'silent',
    SHUTDOWN_SECONDS: '5',
    WORKERS: '1',
    QUALITY_SEARCH: 'off',
    ...(database.uri ? { MONGODB_URI: database.uri } : {}),
    ...env,
  });
  const logger = createLogger({
    level: config.observability.LOG_LEVEL,
    format: 'json',
    ...(log && { destination: { write: log } }),
  });
  const service = await composeService(config, logger, { passwords });
  await service.start();
  const server = await listen(service.app, config.http);
  service.listensAt(server.url);
  const { accounts } = service;

  async function createAccount({ credits = SIGNUP, plan = 'free' } = {}): Promise<TestAccount> {
    const account = await accounts.create({ email: `user-${randomUUID()}@example.com`, plan });
    const extra = credits - account.balance;
    if (extra > 0) await accounts.ledger.grant({ accountId: account.id, ref: `test-${account.id}`, amount: extra });
    if (extra < 0) await accounts.ledger.charge({ accountId: account.id, ref: `test-${account.id}`, amount: -extra });
    const { keyId, apiKey } = await accounts.keys.create({ accountId: account.id, name: 'test' });
    return { accountId: account.id, keyId, apiKey, api: createApiClient({ url: server.url, apiKey }) };
  }

  const databaseUri = async () => database.uri ?? (await startEmbedded({ directory: join(dataDir, 'db') })).uri;

  return {
    url: server.url,
    service,
    dataDir,
    api: (await createAccount({ credits: 1000 })).api,
    createAccount,
    databaseUri,
    async openDatabase() {
      return openDatabase({ uri: await databaseUri(), timeoutMs: EMBEDDED_TIMEOUT_MS });
    },
    async close() {
      await service.stop(() => server.close());
      await database.drop();
      if (!env.DATA_DIR) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

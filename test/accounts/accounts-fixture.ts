import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type Accounts, accountsConfig, createAccounts } from '../../server/accounts/index.ts';
import { type Connection, connectDatabase, EMBEDDED_TIMEOUT_MS } from '../../server/db/connect.ts';
import { startEmbedded } from '../../server/db/embedded/index.ts';
import { createRepositories, type Repositories } from '../../server/db/repositories/index.ts';
import { createMailer, mailConfig } from '../../server/mail/index.ts';
import { createLogger } from '../../server/observability/index.ts';
import { createSignIn, type SignIn, type SignInDeps, signInConfig } from '../../server/sign-in/index.ts';
import { cheapPasswords } from '../support/cheap-passwords.ts';

/** Default settings. */
export const CONFIG = accountsConfig.parse({});

/** Pepper of all tests. */
export const PEPPER = Buffer.from('a pepper for tests, 32 bytes long');

/** Modules over a database of the test file, with an adjustable clock. */
export interface Fixture {
  connection: Connection;
  repositories: Repositories;
  accounts: Accounts;
  signIn: SignIn;
  /** Mails printed for the operator. */
  printed: string[];
  clock: { now: Date };
  /** Creates accounts with some repositories replaced. */
  createWith(overrides: Partial<Repositories>): Accounts;
  /** Creates sign-in as in another process, with some dependencies replaced; mails are discarded. */
  newSignIn(parts: Partial<SignInDeps>): SignIn;
  /** Creates an account with 25 sign-up credits. @returns its id */
  newAccount(plan?: string): Promise<string>;
}

/** Opens a new database, on the embedded store or the server of `TEST_MONGODB_URI`, and drops it after the tests. */
export function useAccounts(config = CONFIG): Fixture {
  const fixture = { clock: { now: new Date('2026-03-01T12:00:00Z') } } as Fixture;
  const directory = mkdtempSync(join(tmpdir(), 'accounts-test-'));
  let close = async () => {};
  beforeAll(async () => {
    const real = process.env.TEST_MONGODB_URI;
    const server = real ? { uri: real, close: async () => {} } : await startEmbedded({ directory, ttlSeconds: 1 });
    const uri = new URL(server.uri);
    uri.pathname = `/test_${randomUUID().replaceAll('-', '')}`;
    // The same timeout as in the service, since the machine may be busy.
    const connection = await connectDatabase({ uri: uri.href, ...(real ? {} : { timeoutMs: EMBEDDED_TIMEOUT_MS }) });
    const repositories = createRepositories(connection);
    for (const name of ['Account', 'ApiKey', 'LedgerLine', 'IdempotencyRecord', 'Login', 'OneTimeLink', 'Notice']) {
      await connection.model(name).createIndexes();
    }
    const now = () => new Date(fixture.clock.now);
    const createWith = (overrides: Partial<Repositories>) =>
      createAccounts({ repositories: { ...repositories, ...overrides }, pepper: PEPPER, config, now });
    const accounts = createWith({});
    const printed: string[] = [];
    const newSignIn = (parts: Partial<SignInDeps>) =>
      createSignIn({
        repositories,
        accounts,
        mailer: createMailer({ config: mailConfig.parse({}), print: () => {} }),
        pepper: PEPPER,
        config: { ...signInConfig.parse({}), SIGN_UP: 'open' },
        publicUrl: () => 'http://127.0.0.1:8080',
        logger: createLogger({ level: 'silent', format: 'json' }),
        now,
        monotonicNow: () => fixture.clock.now.getTime(),
        passwords: cheapPasswords,
        ...parts,
      });
    const mailer = createMailer({ config: mailConfig.parse({}), print: (text) => void printed.push(text) });
    const signIn = newSignIn({ mailer });
    Object.assign(fixture, { connection, repositories, createWith, newSignIn, accounts, signIn, printed });
    fixture.newAccount = async (plan = 'agency') => {
      const account = await fixture.accounts.create({ email: `${randomUUID()}@example.org`, plan });
      return account.id;
    };
    close = async () => {
      await signIn.close();
      await connection.dropDatabase();
      await connection.close();
      await server.close();
    };
  });
  afterAll(async () => {
    await close();
    rmSync(directory, { recursive: true, force: true });
  });
  return fixture;
}

/** Returns the error of a rejected promise. @throws Error if it resolves */
export async function rejection(promise: Promise<unknown>): Promise<Error & { code?: string; details?: unknown }> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: Error) => ({ error }),
  );
  if ('error' in outcome) return outcome.error;
  throw new Error(`expected a rejection, but received ${JSON.stringify(outcome.value)}`);
}

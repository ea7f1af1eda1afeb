import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Accounts, createAccounts, fingerprintOf, loadPepper } from './accounts/index.ts';
import { adminCommand } from './admin-command.ts';
import { requireNoHalfRestore } from './backup/index.ts';
import type { SharedCounters } from './budgets/index.ts';
import { type Config, loadConfig } from './config/index.ts';
import {
  type Database,
  describeFault,
  EMBEDDED_TIMEOUT_MS,
  openDatabase,
  openWithin,
  startEmbedded,
} from './db/index.ts';
import { StartError } from './errors.ts';
import { isLoopback, localUrl } from './gateway/index.ts';
import { createMailer } from './mail/index.ts';
import { createLogger, type Logger } from './observability/index.ts';
import { createSignIn, type PasswordHash, type SignIn } from './sign-in/index.ts';
import { closeDirectory, makeDirectory } from './storage/index.ts';

interface OpenedDatabase {
  database: Database;
  /** True if no other process can use the data. */
  exclusive: boolean;
  close(): Promise<void>;
}

interface OpenOptions {
  /** Called if the embedded database exits unexpectedly. */
  onDatabaseLost?: (() => void) | undefined;
  /**
   * Longest wait in ms for another process to release the embedded database; 0 shares it, and does not wait for a MongoDB either.
   * @default 0
   */
  aloneWithinMs?: number;
}

const ALONE_EVERY_MS = 250;
/** Connection timeout for the embedded database of another process, which is gone for good once that process ends. */
const GUEST_TIMEOUT_MS = 2500;

/**
 * Connects to the configured MongoDB, or to the embedded one below `DATA_DIR`, which is started unless another process runs it.
 * @throws StartError if another process still runs it after `aloneWithinMs`
 */
export async function openConfiguredDatabase(
  config: Config,
  logger: Logger,
  { onDatabaseLost, aloneWithinMs = 0 }: OpenOptions = {},
): Promise<OpenedDatabase> {
  const dataDirectory = resolve(config.storage.DATA_DIR);
  await requireNoHalfRestore(dataDirectory);
  await closeDirectory(dataDirectory, (err, path) =>
    logger.warn({ err, path }, 'other users may be able to read this; its mode could not be changed'),
  );
  const log = (fields: Record<string, unknown>, message: string) => logger.info(fields, message);
  if (config.db.MONGODB_URI) {
    await makeDirectory(join(dataDirectory, 'files'));
    const database = await openServer(config.db, { logger, waits: aloneWithinMs > 0 });
    return { database, exclusive: false, close: () => database.close() };
  }
  if (config.jobs.ROLE !== 'all')
    throw new StartError(`ROLE: ${config.jobs.ROLE} needs MONGODB_URI; the embedded database belongs to one server`);
  const directory = join(dataDirectory, 'db');
  await makeDirectory(directory);
  const start = () =>
    startEmbedded({ directory, logger: { warn: (message) => logger.warn(message) }, onEnd: onDatabaseLost });
  let embedded = await start();
  if (!embedded.owner && aloneWithinMs > 0) logger.info('another process uses the database; waiting for it to end');
  const waitsUntil = performance.now() + aloneWithinMs;
  while (!embedded.owner && aloneWithinMs > 0) {
    if (performance.now() > waitsUntil)
      throw new StartError(
        `DATA_DIR: ${dataDirectory} is in use by another running service; stop that, or set another directory`,
      );
    await sleep(ALONE_EVERY_MS);
    embedded = await start();
  }
  const selection = embedded.owner ? {} : { serverSelectionTimeoutMs: GUEST_TIMEOUT_MS };
  try {
    const alone = embedded.owner;
    const database = await openDatabase({
      uri: embedded.uri,
      timeoutMs: EMBEDDED_TIMEOUT_MS,
      ...selection,
      alone,
      log,
    });
    return {
      database,
      exclusive: embedded.owner,
      async close() {
        await database.close();
        await embedded.close();
      },
    };
  } catch (error) {
    // Otherwise its thread would keep the process alive.
    await embedded.close();
    throw error;
  }
}

/** Opens a MongoDB, and says why the start waits for it. @throws StartError */
function openServer(
  { MONGODB_URI: uri = '', DATABASE_WAIT_SECONDS: seconds }: Config['db'],
  { logger, waits }: { logger: Logger; waits: boolean },
): Promise<Database> {
  const log = (fields: Record<string, unknown>, message: string) => logger.info(fields, message);
  return openWithin(uri, () => openDatabase({ uri, log }), {
    waitMs: waits ? seconds * 1000 : 0,
    onWait(fault) {
      if (fault === null) logger.info('the database is there now');
      else
        logger.warn({ code: fault.code }, `MONGODB_URI: ${describeFault(fault)}; the start waits up to ${seconds} s`);
    },
  });
}

interface AccountsInput {
  config: Config;
  database: Database;
  logger: Logger;
  /** Called for each link. */
  publicUrl: () => string;
  /** Counts that all servers share; absent: this process is the only one. */
  counters?: SharedCounters | undefined;
  /** @default hashes of the recommended cost */
  passwords?: PasswordHash | undefined;
  /** Makes this server's pepper that of the database. @default false */
  acceptPepper?: boolean | undefined;
}

/** Constructs accounts and sign-in. @throws StartError if the database's keys were stored with another pepper */
export async function composeAccounts(input: AccountsInput) {
  const { config, database, logger, publicUrl, counters, passwords, acceptPepper = false } = input;
  const directory = resolve(config.storage.DATA_DIR);
  const pepper = await loadPepper({ directory, override: config.accounts.API_KEY_PEPPER });
  if (acceptPepper) await database.cluster.replace('pepperFingerprint', fingerprintOf(pepper));
  await confirmPepper(database, pepper);
  const accounts = createAccounts({ repositories: database, pepper, config: config.accounts });
  const signIn = createSignIn({
    repositories: database,
    counters,
    accounts,
    mailer: createMailer({ config: config.mail }),
    pepper,
    config: { ...config.signIn, SIGN_UP: config.signIn.SIGN_UP ?? defaultSignUp(config) },
    publicUrl,
    logger,
    passwords,
  });
  return { accounts, signIn, pepper };
}

/**
 * Refuses a pepper that is not the one with which the database's keys were hashed: all of them would be unknown.
 * @throws StartError
 */
async function confirmPepper({ cluster }: Database, pepper: Buffer): Promise<void> {
  const own = fingerprintOf(pepper);
  const agreed = await cluster.agree('pepperFingerprint', own);
  if (agreed === own) return;
  throw new StartError(
    `API_KEY_PEPPER: expected the secret with which the keys in this database were stored (fingerprint ${agreed}), but this server has another (${own}). Set the same value on every server, or copy secrets/api-key-pepper from the server that has it. If it is lost, \`${adminCommand('pepper accept')}\` accepts the present one: every API key, log-in and link becomes invalid`,
  );
}

/** Allows sign-up only on a loopback address, since new accounts can use credits and the paid vision model. */
function defaultSignUp({ http }: Config): 'open' | 'closed' {
  return http.PUBLIC_URL === undefined && isLoopback(http.HOST) ? 'open' : 'closed';
}

/** Returns the service's URL according to the settings. */
export function configuredUrl({ http }: Config): string {
  return http.PUBLIC_URL ?? localUrl(http.HOST, http.PORT);
}

/** Returns the service's URL for other processes; empty if only the running service knows its port. */
function urlFromOutside(config: Config): string {
  const { PUBLIC_URL, PORT } = config.http;
  return PUBLIC_URL === undefined && PORT === 0 ? '' : configuredUrl(config);
}

/** Accounts opened for administration. */
export interface OpenedAccounts {
  accounts: Accounts;
  signIn: SignIn;
  close(): Promise<void>;
}

/** Opens the accounts for administration, with or without a running service. */
export async function openAccounts(env: NodeJS.ProcessEnv): Promise<OpenedAccounts> {
  return openConfiguredAccounts(loadConfig(env));
}

/** Same as {@link openAccounts}, with parsed settings. */
export async function openConfiguredAccounts(
  config: Config,
  { acceptPepper }: { acceptPepper?: boolean } = {},
): Promise<OpenedAccounts> {
  const logger = createLogger({ level: 'silent', format: 'json' });
  const { database, close } = await openConfiguredDatabase(config, logger);
  try {
    const publicUrl = () => urlFromOutside(config);
    const { accounts, signIn } = await composeAccounts({ config, database, logger, publicUrl, acceptPepper });
    return {
      accounts,
      signIn,
      async close() {
        await signIn.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

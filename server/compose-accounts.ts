import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Accounts, createAccounts, loadPepper } from './accounts/index.ts';
import { type Config, loadConfig } from './config/index.ts';
import { type Database, EMBEDDED_TIMEOUT_MS, openDatabase, startEmbedded } from './db/index.ts';
import { DirectoryInUseError } from './errors.ts';
import { isLoopback, localUrl } from './gateway/index.ts';
import { createMailer } from './mail/index.ts';
import { createLogger, type Logger } from './observability/index.ts';
import { createSignIn, type SignIn } from './sign-in/index.ts';
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
  /** Longest wait in ms for another process to release the embedded database; 0 shares it. @default 0 */
  aloneWithinMs?: number;
}

const ALONE_EVERY_MS = 250;
/** Connection timeout for the embedded database of another process, which is gone for good once that process ends. */
const GUEST_TIMEOUT_MS = 2500;

/**
 * Connects to the configured MongoDB, or to the embedded one below `DATA_DIR`, which is started unless another process runs it.
 * @throws DirectoryInUseError if another process still runs it after `aloneWithinMs`
 */
export async function openConfiguredDatabase(
  config: Config,
  logger: Logger,
  { onDatabaseLost, aloneWithinMs = 0 }: OpenOptions = {},
): Promise<OpenedDatabase> {
  const dataDirectory = resolve(config.storage.DATA_DIR);
  await closeDirectory(dataDirectory, (err, path) =>
    logger.warn({ err, path }, 'other users may be able to read this; its mode could not be changed'),
  );
  if (config.db.MONGODB_URI) {
    await makeDirectory(join(dataDirectory, 'files'));
    const database = await openDatabase({ uri: config.db.MONGODB_URI });
    return { database, exclusive: false, close: () => database.close() };
  }
  const directory = join(dataDirectory, 'db');
  await makeDirectory(directory);
  const start = () =>
    startEmbedded({ directory, logger: { warn: (message) => logger.warn(message) }, onEnd: onDatabaseLost });
  let embedded = await start();
  if (!embedded.owner && aloneWithinMs > 0) logger.info('another process uses the database; waiting for it to end');
  const waitsUntil = performance.now() + aloneWithinMs;
  while (!embedded.owner && aloneWithinMs > 0) {
    if (performance.now() > waitsUntil)
      throw new DirectoryInUseError(
        `DATA_DIR: ${dataDirectory} is in use by another running service; stop that, or set another directory`,
      );
    await sleep(ALONE_EVERY_MS);
    embedded = await start();
  }
  const selection = embedded.owner ? {} : { serverSelectionTimeoutMs: GUEST_TIMEOUT_MS };
  try {
    const database = await openDatabase({ uri: embedded.uri, timeoutMs: EMBEDDED_TIMEOUT_MS, ...selection });
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

/** Constructs accounts and sign-in. `publicUrl` is called for each link. */
export async function composeAccounts(config: Config, database: Database, logger: Logger, publicUrl: () => string) {
  const directory = resolve(config.storage.DATA_DIR);
  const pepper = await loadPepper({ directory, override: config.accounts.API_KEY_PEPPER });
  const accounts = createAccounts({ repositories: database, pepper, config: config.accounts });
  const signIn = createSignIn({
    repositories: database,
    accounts,
    mailer: createMailer({ config: config.mail }),
    pepper,
    config: { ...config.signIn, SIGN_UP: config.signIn.SIGN_UP ?? defaultSignUp(config) },
    publicUrl,
    logger,
  });
  return { accounts, signIn };
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
export async function openConfiguredAccounts(config: Config): Promise<OpenedAccounts> {
  const logger = createLogger({ level: 'silent', format: 'json' });
  const { database, close } = await openConfiguredDatabase(config, logger);
  try {
    const { accounts, signIn } = await composeAccounts(config, database, logger, () => urlFromOutside(config));
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

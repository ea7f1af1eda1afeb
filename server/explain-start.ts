import { resolve, sep } from 'node:path';
import { type Account, type Accounts, PLACEHOLDER_EMAIL } from './accounts/index.ts';
import { adminCommand } from './admin-command.ts';
import { type Config, ConfigError, findNearMisses } from './config/index.ts';
import { describeFault, explainDatabaseError } from './db/index.ts';
import { isDiskFull, StartError, StoreAwayError } from './errors.ts';
import type { Logger } from './observability/index.ts';
import type { SignIn } from './sign-in/index.ts';

/** Fields of Node's error of a failed system call. */
type SystemError = Partial<Pick<NodeJS.ErrnoException, 'code' | 'syscall' | 'path'>> & { message: string };

/**
 * Explains in one line that names the setting why the service cannot start, if the operator can change that; null for all
 * other errors, which are printed whole.
 * @param config absent if the settings themselves are invalid
 */
export function explainStart(error: unknown, config?: Config): string | null {
  if (error instanceof ConfigError || error instanceof StartError) return error.message;
  if (error instanceof StoreAwayError) return error.trouble ? error.message : `FILES_URL: ${error.message}`;
  if (!config || !(error instanceof Error)) return null;
  const { code = '', syscall = '', path = '', message } = error as SystemError;
  const { HOST, PORT } = config.http;
  if (syscall === 'listen' && code === 'EADDRINUSE')
    return `PORT: ${PORT} on ${HOST} is in use by another program; stop that, or set another port`;
  if (syscall === 'listen' && code === 'EACCES')
    return `PORT: this user may not listen on ${PORT}; set one from 1024 to 65535, or 0 for any that is free`;
  if (syscall === 'getaddrinfo' || code === 'EADDRNOTAVAIL')
    return `HOST: ${HOST} is not an address of this machine (${code})`;
  const directory = resolve(config.storage.DATA_DIR);
  const uri = config.db.MONGODB_URI;
  // The disk of the embedded database is that of the files.
  if (isDiskFull(error) && !(uri && !path)) return `DATA_DIR: the disk of ${directory} has no space left (${message})`;
  const fault = uri ? explainDatabaseError(error, uri) : null;
  if (fault) return `MONGODB_URI: ${describeFault(fault)}`;
  if (code && path && (isWithin(path, directory) || (syscall === 'mkdir' && isWithin(directory, path))))
    return `DATA_DIR: ${directory} cannot be used (${message})`;
  return null;
}

function isWithin(path: string, directory: string): boolean {
  return `${resolve(path)}${sep}`.startsWith(`${resolve(directory)}${sep}`);
}

/** Logs a warning of each setting that is valid and yet most likely not what was meant. */
export function warnOfSettings(config: Config, env: NodeJS.ProcessEnv, logger: Pick<Logger, 'warn'>): void {
  for (const { given, meant } of findNearMisses(env)) {
    logger.warn({ given, meant }, `the variable ${given} is not a setting and was ignored: did you mean ${meant}?`);
  }
  const { PUBLIC_URL } = config.http;
  if (PUBLIC_URL && config.signIn.LOGIN_COOKIE === 'secure' && isPlain(new URL(PUBLIC_URL))) {
    const effect = 'browsers keep no log-in there, so claiming the first account and the dashboard fail';
    logger.warn({ PUBLIC_URL }, `PUBLIC_URL begins with http: ${effect}; use an https address, or LOGIN_COOKIE=plain`);
  }
}

/** Browsers treat this machine as safe. */
function isPlain({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !/^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

/** Plan of the first account, which is the operator's; the default plan if the settings have none of this name. */
const OWNER_PLAN = 'agency';

interface FirstAccountDeps {
  accounts: Accounts;
  signIn: Pick<SignIn, 'claims'>;
  /** Base URL under which the service is reached. */
  url: string;
  /** Makes and prints an API key too. Off where the output is kept, since a key is valid until it is deactivated. */
  printKey: boolean;
}

/**
 * Creates one account in an empty database and prints its claim link, and with `printKey` its first API key and commands
 * to try. It prints to standard output, since the log masks both. Until the account is claimed or has a key, each start
 * prints a new link.
 */
export async function announceFirstAccount({ accounts, signIn, url, printKey }: FirstAccountDeps): Promise<void> {
  const account = await firstAccount(accounts);
  if (!account) return;
  const made = printKey ? await accounts.keys.create({ accountId: account.id, name: 'first key' }) : undefined;
  const link = await signIn.claims.createLink(account.id);
  process.stdout.write(welcome({ apiKey: made?.apiKey, link, url, plan: account.plan, credits: account.balance }));
}

/** Returns the account that is unclaimed and has no key; null if the service has been in use. */
async function firstAccount(accounts: Accounts): Promise<Account | null> {
  const there: Account[] = [];
  for await (const account of accounts.list()) if (there.push(account) > 1) return null;
  const [only] = there;
  if (!only) return createUnlessThere(accounts);
  if (only.email !== PLACEHOLDER_EMAIL) return null;
  // A key that was never active was never shown.
  const keys = await accounts.keys.list(only.id);
  return keys.every(({ active, disabledAt }) => !active && !disabledAt) ? only : null;
}

async function createUnlessThere(accounts: Accounts): Promise<Account | null> {
  try {
    const hasPlan = accounts.plans.list().some(({ name }) => name === OWNER_PLAN);
    return await accounts.create({ email: PLACEHOLDER_EMAIL, ...(hasPlan ? { plan: OWNER_PLAN } : {}) });
  } catch (error) {
    // Another process on the same database was first.
    if (await accounts.findByEmail(PLACEHOLDER_EMAIL)) return null;
    throw error;
  }
}

interface Welcome {
  apiKey: string | undefined;
  link: string;
  url: string;
  plan: string;
  credits: number;
}

function welcome({ apiKey, link, url, plan, credits }: Welcome): string {
  return `
  Imagewright runs at ${url}  (API documentation: ${url}/docs)

  Your first account has the plan ${plan} and ${credits} credits. Open this link within 24 hours to claim it: you
  set its email address and password and become the operator. The link works once:

    ${link}

${apiKey ? aboutKey(apiKey, url) : ABOUT_NO_KEY}
  More credits: ${adminCommand(`credits grant --email ${PLACEHOLDER_EMAIL} --amount 1000`)}
  A new link: ${adminCommand(`account link --email ${PLACEHOLDER_EMAIL}`)}

`;
}

function aboutKey(apiKey: string, url: string): string {
  return `  Its first API key, for programs. It is not shown again:

    ${apiKey}

  Try it:

    curl -H 'X-API-Key: ${apiKey}' ${url}/v1/credits/balance
    curl -H 'X-API-Key: ${apiKey}' -F images=@photo.jpg ${url}/v1/sessions
`;
}

const ABOUT_NO_KEY = `  An API key for programs: ${adminCommand(`key create --email ${PLACEHOLDER_EMAIL} --name NAME`)}
  (after the claim with your email address). None is printed here, since logs are kept.
`;

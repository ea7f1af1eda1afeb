import { type Account, type Accounts, PLACEHOLDER_EMAIL } from './accounts/index.ts';
import type { SignIn } from './sign-in/index.ts';

/** Plan of the first account, which is the operator's; the default plan if the settings have none of this name. */
const OWNER_PLAN = 'agency';

/** Dependencies of {@link announceFirstAccount}. */
export interface FirstAccountDeps {
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
  More credits: npm run --silent admin -- credits grant --email ${PLACEHOLDER_EMAIL} --amount 1000
  A new link: npm run --silent admin -- account link --email ${PLACEHOLDER_EMAIL}

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

const ABOUT_NO_KEY = `  An API key for programs: npm run --silent admin -- key create --email ${PLACEHOLDER_EMAIL} --name NAME
  (after the claim with your email address). None is printed here, since logs are kept.
`;

import type { Account, Accounts } from './accounts/index.ts';
import { PLACEHOLDER_EMAIL, type SignIn } from './sign-in/index.ts';

/** What {@link announceFirstAccount} works with. */
export interface FirstAccountDeps {
  accounts: Accounts;
  signIn: Pick<SignIn, 'claims'>;
  /** Base URL under which the service is reached. */
  url: string;
}

/**
 * On an empty database creates one account and prints, this one time, a link that makes it the reader's and a key for
 * programs, with commands that work when pasted. To standard output and not to the log, which masks both. An account
 * whose key an interruption has prevented gets it at the next start.
 */
export async function announceFirstAccount({ accounts, signIn, url }: FirstAccountDeps): Promise<void> {
  const account = await firstAccount(accounts);
  if (!account) return;
  const { apiKey } = await accounts.keys.create({ accountId: account.id, name: 'first key' });
  const link = await signIn.claims.createLink(account.id);
  process.stdout.write(welcome({ apiKey, link, url, plan: account.plan, credits: account.balance }));
}

/** The account that needs its first key; null when the service has been in use. */
async function firstAccount(accounts: Accounts): Promise<Account | null> {
  const there: Account[] = [];
  for await (const account of accounts.list()) if (there.push(account) > 1) return null;
  const [only] = there;
  if (!only) return createUnlessThere(accounts);
  if (only.email !== PLACEHOLDER_EMAIL) return null;
  // A key that was never active was shown to nobody.
  const keys = await accounts.keys.list(only.id);
  return keys.every(({ active, disabledAt }) => !active && !disabledAt) ? only : null;
}

async function createUnlessThere(accounts: Accounts): Promise<Account | null> {
  try {
    return await accounts.create({ email: PLACEHOLDER_EMAIL });
  } catch (error) {
    // Another server on the same database was first.
    if (await accounts.findByEmail(PLACEHOLDER_EMAIL)) return null;
    throw error;
  }
}

interface Welcome {
  apiKey: string;
  link: string;
  url: string;
  plan: string;
  credits: number;
}

function welcome({ apiKey, link, url, plan, credits }: Welcome): string {
  return `
  Imagewright runs at ${url}  (API documentation: ${url}/docs)

  Your first account has the plan ${plan} and ${credits} credits. Open this link once, within 24 hours, to make it
  yours (mail address, password, operator of this service):

    ${link}

  For programs, its first API key. It is shown only now:

    ${apiKey}

  Try it:

    curl -H 'X-API-Key: ${apiKey}' ${url}/v1/credits/balance
    curl -H 'X-API-Key: ${apiKey}' -F images=@photo.jpg ${url}/v1/sessions

  A new link: npm run --silent admin -- account link --email ${PLACEHOLDER_EMAIL}

`;
}

import type { Account, Accounts } from './accounts/index.ts';

/** Mail address of the account that an empty database gets, until its owner sets their own. */
const FIRST_EMAIL = 'owner@imagewright.local';

/**
 * On an empty database creates one account with a key and prints the key, this one time, with commands that work when
 * pasted. To standard output and not to the log, which masks keys. An account whose key an interruption has prevented
 * gets it at the next start.
 */
export async function announceFirstAccount(accounts: Accounts, url: string): Promise<void> {
  const account = await firstAccount(accounts);
  if (!account) return;
  const { apiKey } = await accounts.keys.create({ accountId: account.id, name: 'first key' });
  process.stdout.write(welcome({ apiKey, url, plan: account.plan, credits: account.balance }));
}

/** The account that needs its first key; null when the service has been in use. */
async function firstAccount(accounts: Accounts): Promise<Account | null> {
  const there: Account[] = [];
  for await (const account of accounts.list()) if (there.push(account) > 1) return null;
  const [only] = there;
  if (!only) return createUnlessThere(accounts);
  if (only.email !== FIRST_EMAIL) return null;
  // A key that was never active was shown to nobody.
  const keys = await accounts.keys.list(only.id);
  return keys.every(({ active, disabledAt }) => !active && !disabledAt) ? only : null;
}

async function createUnlessThere(accounts: Accounts): Promise<Account | null> {
  try {
    return await accounts.create({ email: FIRST_EMAIL });
  } catch (error) {
    // Another server on the same database was first.
    if (await accounts.findByEmail(FIRST_EMAIL)) return null;
    throw error;
  }
}

function welcome({
  apiKey,
  url,
  plan,
  credits,
}: {
  apiKey: string;
  url: string;
  plan: string;
  credits: number;
}): string {
  return `
  Imagewright runs at ${url}  (API documentation: ${url}/docs)

  Your first account (${FIRST_EMAIL}, plan ${plan}, ${credits} credits) has this API key.
  It is shown only now:

    ${apiKey}

  Try it:

    curl -H 'X-API-Key: ${apiKey}' ${url}/v1/credits/balance
    curl -H 'X-API-Key: ${apiKey}' -F images=@photo.jpg ${url}/v1/sessions

`;
}

import type { Accounts } from './accounts/index.ts';

/** Mail address of the account that an empty database gets, until its owner sets their own. */
const FIRST_EMAIL = 'owner@imagewright.local';

/**
 * On an empty database creates one account with a key and prints the key, this one time, with commands that work when
 * pasted. To standard output and not to the log, which masks keys.
 */
export async function announceFirstAccount(accounts: Accounts, url: string): Promise<void> {
  if (!(await accounts.list().next()).done) return;
  try {
    const account = await accounts.create({ email: FIRST_EMAIL });
    const { apiKey } = await accounts.keys.create({ accountId: account.id, name: 'first key' });
    process.stdout.write(welcome({ apiKey, url, plan: account.plan, credits: account.balance }));
  } catch (error) {
    // Another server on the same database was first.
    if (!(await accounts.findByEmail(FIRST_EMAIL))) throw error;
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

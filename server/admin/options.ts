import { parseArgs } from 'node:util';
import { ACCOUNT_ROLES, type AccountRole } from '#contract';
import type { Account, Accounts } from '../accounts/index.ts';
import { AppError } from '../errors.ts';

/** Thrown if the arguments are not a command. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Parses the options of a command by its usage, `--email a@b.c [--plan NAME] [--json]`: those in brackets may be left out, and those
 * without a value are `yes`. @throws UsageError
 */
export function parseOptions(args: string[], command: string, usage: string): Record<string, string> {
  const named = [...usage.matchAll(/(\[?)--(\w+)( \w)?/g)].map(([, bracket, name = '', value]) => ({
    name,
    isOptional: bracket === '[',
    type: value === undefined ? ('boolean' as const) : ('string' as const),
  }));
  const known = Object.fromEntries(named.map(({ name, type }) => [name, { type }]));
  const values = readArguments(args, known, `${command} ${usage}`.trim());
  const missing = named.find(({ name, isOptional }) => !isOptional && !values[name]);
  if (missing) throw new UsageError(`expected --${missing.name} for ${command}`);
  return values;
}

function readArguments(
  args: string[],
  options: Record<string, { type: 'string' | 'boolean' }>,
  expected: string,
): Record<string, string> {
  try {
    const { values } = parseArgs({ args, options });
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, value === true ? 'yes' : String(value)]),
    );
  } catch (error) {
    throw new UsageError(`expected ${expected}: ${(error as Error).message.split('\n')[0]}`);
  }
}

/** Parses a role. @throws UsageError */
export function accountRole(text: string): AccountRole {
  const role = ACCOUNT_ROLES.find((known) => known === text);
  if (!role) throw new UsageError(`expected --role to be ${ACCOUNT_ROLES.join(' or ')}, but received ${text}`);
  return role;
}

/** Parses a whole number from 1 to 999999999. @throws UsageError */
export function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value < 1) {
    throw new UsageError(`expected --${name} to be a whole number from 1 to 999999999, but received ${text}`);
  }
  return value;
}

/** Finds the account of an email. @throws not_found */
export async function findAccount(accounts: Accounts, email: string): Promise<Account> {
  const account = await accounts.findByEmail(email);
  if (!account) throw new AppError('not_found', `No account with the email ${email}`);
  return account;
}

/** Finds the account of an API key. @throws not_found */
export async function ownerOf(accounts: Accounts, keyId: string): Promise<string> {
  const accountId = await accounts.keys.ownerOf(keyId);
  if (accountId === null) throw new AppError('not_found', `No API key ${keyId}`);
  return accountId;
}

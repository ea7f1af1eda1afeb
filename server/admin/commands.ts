import { parseArgs } from 'node:util';
import { ACCOUNT_ROLES, type AccountRole } from '#contract';
import { type Account, type Accounts, newApiKey, newGrantRef } from '../accounts/index.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import type { SignIn } from '../sign-in/index.ts';

/** Thrown if the arguments are not a command. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Dependencies of the commands. */
interface Administered {
  accounts: Accounts;
  signIn: Pick<SignIn, 'claims' | 'browserSessions'>;
}

/** Ids chosen before the first attempt, so that a repeated one creates nothing twice. */
export type Names = ReturnType<typeof newNames>;

/** Generates the ids for the attempts of one command. */
export function newNames() {
  return { accountId: newId('acct'), key: newApiKey(), grantRef: newGrantRef() };
}

/** Input of {@link runCommand}. */
export interface CommandInput extends Administered {
  /** Command line arguments. */
  args: string[];
  /** @default new ones */
  names?: Names;
}

/** Result of a command. */
export interface CommandResult {
  /** Printed as JSON. */
  output: unknown;
  exitCode: 0 | 1;
}

interface Command {
  /** Options, as shown in the help. */
  usage: string;
  /** Remark in the help. */
  note?: string;
  required: readonly string[];
  optional: readonly string[];
  run(on: Administered & { names: Names }, options: Record<string, string>): Promise<unknown>;
}

const ADDRESS_UNKNOWN =
  'PORT is 0, so only the running service knows its address: prefix this link with the address it logged as "listening", or set PUBLIC_URL';

/** All administration commands. */
const COMMANDS: Record<string, Command> = {
  'account create': {
    usage: '--email a@b.c [--plan NAME] [--credits N]',
    note: 'with sign-up credits, N more, and a first API key',
    required: ['email'],
    optional: ['plan', 'credits'],
    async run({ accounts, names }, { email = '', plan, credits }) {
      const amount = credits === undefined ? 0 : wholeNumber('credits', credits);
      const account = await accounts.create({
        id: names.accountId,
        email,
        ...(plan === undefined ? {} : { plan }),
      });
      const accountId = account.id;
      const given = { accountId, amount, ref: names.grantRef, note: 'given at creation' };
      const { balance } = amount > 0 ? await accounts.ledger.grant(given) : account;
      const key = await accounts.keys.create({ accountId, name: 'default', made: names.key });
      return { accountId, email: account.email, plan: account.plan, balance, ...key };
    },
  },
  'account list': {
    usage: '',
    required: [],
    optional: [],
    async run({ accounts }) {
      const all: Account[] = [];
      for await (const account of accounts.list()) all.push(account);
      return all;
    },
  },
  'account plan': {
    usage: '--email a@b.c --plan NAME',
    required: ['email', 'plan'],
    optional: [],
    run: async ({ accounts }, { email = '', plan = '' }) =>
      accounts.setPlan((await findAccount(accounts, email)).id, plan),
  },
  'account role': {
    usage: '--email a@b.c --role operator|user',
    required: ['email', 'role'],
    optional: [],
    run: async ({ accounts }, { email = '', role = '' }) =>
      accounts.setRole((await findAccount(accounts, email)).id, accountRole(role)),
  },
  'account link': {
    usage: '--email a@b.c',
    note: 'a one-time link to set its password, for 24 hours',
    required: ['email'],
    optional: [],
    async run({ accounts, signIn }, { email = '' }) {
      const { id: accountId } = await findAccount(accounts, email);
      const link = await signIn.claims.createLink(accountId);
      return { accountId, link, ...(link.startsWith('/') && { hint: ADDRESS_UNKNOWN }) };
    },
  },
  'account logout': {
    usage: '--email a@b.c',
    note: 'ends all its browser sessions at once',
    required: ['email'],
    optional: [],
    async run({ accounts, signIn }, { email = '' }) {
      const { id: accountId } = await findAccount(accounts, email);
      return { accountId, revoked: await signIn.browserSessions.revokeAll(accountId) };
    },
  },
  'account suspend': suspension(true),
  'account resume': suspension(false),
  'key create': {
    usage: '--email a@b.c --name NAME',
    note: 'the key is shown this once',
    required: ['email', 'name'],
    optional: [],
    run: async ({ accounts, names }, { email = '', name = '' }) =>
      accounts.keys.create({ accountId: (await findAccount(accounts, email)).id, name, made: names.key }),
  },
  'key list': {
    usage: '--email a@b.c',
    required: ['email'],
    optional: [],
    run: async ({ accounts }, { email = '' }) => accounts.keys.list((await findAccount(accounts, email)).id),
  },
  'key deactivate': {
    usage: '--id KEY_ID',
    note: 'it gets 403 at once',
    required: ['id'],
    optional: [],
    run: async ({ accounts }, { id = '' }) => accounts.keys.deactivate(await ownerOf(accounts, id), id),
  },
  'key activate': {
    usage: '--id KEY_ID',
    required: ['id'],
    optional: [],
    run: async ({ accounts }, { id = '' }) => accounts.keys.activate(await ownerOf(accounts, id), id),
  },
  'credits grant': {
    usage: '--email a@b.c --amount N [--note TEXT]',
    required: ['email', 'amount'],
    optional: ['note'],
    async run({ accounts, names }, { email = '', amount = '', note }) {
      const credits = wholeNumber('amount', amount);
      const { id: accountId } = await findAccount(accounts, email);
      const given = { accountId, amount: credits, ref: names.grantRef, note: note ?? null };
      const { balance } = await accounts.ledger.grant(given);
      return { accountId, granted: credits, balance };
    },
  },
  'credits audit': {
    usage: '',
    note: 'exit code 1 if the balances do not match the ledger',
    required: [],
    optional: [],
    run: ({ accounts }) => accounts.audit(),
  },
};

/** Returns the text of `--help`. */
export function describeCommands(): string {
  const commands = Object.entries(COMMANDS).map(([name, { usage, note = '' }]) => ({ line: `${name} ${usage}`, note }));
  const width = Math.max(...commands.map(({ line }) => line.length)) + 3;
  const rows = commands.map(({ line, note }) => `  ${line.padEnd(width)}${note}`.trimEnd());
  return [
    'Administers accounts, API keys and credits, whether the service is running or not.',
    '',
    'npm run --silent admin -- COMMAND [OPTIONS]',
    '',
    ...rows,
    '',
    'Prints JSON. Exit codes: 0 done, 1 failed, 2 wrong usage.',
  ].join('\n');
}

/** Parses the arguments, before a database is opened. @throws UsageError */
export function parseCommand(args: string[]) {
  const name = args.slice(0, 2).join(' ');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    const received = args.length === 0 ? 'none' : JSON.stringify(name);
    throw new UsageError(`expected one of the commands ${Object.keys(COMMANDS).join(', ')}, but received ${received}`);
  }
  const names = [...command.required, ...command.optional];
  const options = parseOptions(args.slice(2), names);
  for (const option of command.required) {
    if (!options[option]) throw new UsageError(`expected --${option} for ${name}`);
  }
  return { name, command, options };
}

/** Runs one command. @throws UsageError, AppError */
export async function runCommand({ args, names = newNames(), ...on }: CommandInput): Promise<CommandResult> {
  const { name, command, options } = parseCommand(args);
  const output = await command.run({ ...on, names }, options);
  const failed = name === 'credits audit' && !(output as { ok: boolean }).ok;
  return { output, exitCode: failed ? 1 : 0 };
}

function parseOptions(args: string[], names: string[]): Record<string, string> {
  try {
    const { values } = parseArgs({
      args,
      options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
    });
    return values as Record<string, string>;
  } catch (error) {
    throw new UsageError((error as Error).message.split('\n')[0]);
  }
}

function suspension(suspended: boolean): Command {
  return {
    usage: '--email a@b.c',
    ...(suspended && { note: 'its keys and browser sessions get 403 at once' }),
    required: ['email'],
    optional: [],
    run: async ({ accounts }, { email = '' }) =>
      accounts.setSuspended((await findAccount(accounts, email)).id, suspended),
  };
}

async function findAccount(accounts: Accounts, email: string): Promise<Account> {
  const account = await accounts.findByEmail(email);
  if (!account) throw new AppError('not_found', `No account with the email ${email}`);
  return account;
}

async function ownerOf(accounts: Accounts, keyId: string): Promise<string> {
  const accountId = await accounts.keys.ownerOf(keyId);
  if (accountId === null) throw new AppError('not_found', `No API key ${keyId}`);
  return accountId;
}

function accountRole(text: string): AccountRole {
  const role = ACCOUNT_ROLES.find((known) => known === text);
  if (!role) throw new UsageError(`expected --role to be ${ACCOUNT_ROLES.join(' or ')}, but received ${text}`);
  return role;
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value < 1) {
    throw new UsageError(`expected --${name} to be a whole number from 1 to 999999999, but received ${text}`);
  }
  return value;
}

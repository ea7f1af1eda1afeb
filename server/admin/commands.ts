import type { LogAction, LogChange } from '#contract';
import { type Account, type Accounts, COMMAND_LINE, newApiKey, newGrantRef, newLogLineId } from '../accounts/index.ts';
import { adminCommand } from '../admin-command.ts';
import { newId } from '../ids.ts';
import type { SignIn } from '../sign-in/index.ts';
import { CHECK_COMMAND } from './check-command.ts';
import { DATA_COMMANDS } from './data-commands.ts';
import { LOG_USAGE, printLog, showLog } from './operator-log.ts';
import { accountRole, findAccount, ownerOf, parseOptions, UsageError, wholeNumber } from './options.ts';

export { UsageError } from './options.ts';

/** Dependencies of the commands. */
interface Administered {
  accounts: Accounts;
  signIn: Pick<SignIn, 'claims' | 'browserSessions' | 'operatorActions'>;
  /** Prints a part of a streamed output. @default standard output */
  print?: ((text: string) => void) | undefined;
}

/** Ids chosen before the first attempt, so that a repeated one creates nothing twice. */
export type Names = ReturnType<typeof newNames>;

/** Generates the ids for the attempts of one command. */
export function newNames() {
  const printed: { last?: string } = {};
  return { accountId: newId('acct'), key: newApiKey(), grantRef: newGrantRef(), lineId: newLogLineId(), printed };
}

interface CommandInput extends Administered {
  /** Command line arguments. */
  args: string[];
  /** @default new ones */
  names?: Names;
}

/** Result of a command. */
export interface CommandResult {
  /** Printed as JSON; undefined if the command has printed its output. */
  output: unknown;
  exitCode: 0 | 1;
}

type On = Administered & { names: Names };

interface Command {
  /** Options, as shown in the help and as {@link parseOptions} reads them. */
  usage: string;
  /** Remark in the help. */
  note?: string;
  run(on: On, options: Record<string, string>): Promise<unknown>;
}

const ADDRESS_UNKNOWN =
  'PORT is 0, so only the running service knows its address: prefix this link with what it logged as "listening", or set PUBLIC_URL';
/** The command that makes this server's pepper that of the database, when it is opened. */
const ACCEPT_PEPPER = 'pepper accept';

/** Returns true for the command that is run although the pepper does not match. */
export function acceptsPepper(args: string[]): boolean {
  return parseCommand(args).name === ACCEPT_PEPPER;
}

/** All administration commands. */
const COMMANDS: Record<string, Command> = {
  'account create': {
    usage: '--email a@b.c [--plan NAME] [--credits N]',
    note: 'with sign-up credits, N more, and a first API key',
    async run(on, { email = '', credits, ...options }) {
      const { accounts, names } = on;
      const { plan = accounts.plans.defaultName } = options;
      const amount = credits === undefined ? 0 : wholeNumber('credits', credits);
      const { accountId, key: made } = names;
      accounts.plans.require(plan);
      return operate(on, 'account.create', accountId, { plan, credits: amount, keyId: made.keyId }, async () => {
        const account = await accounts.create({ id: accountId, email, plan });
        const given = { accountId, amount, ref: names.grantRef, note: 'given at creation' };
        const { balance } = amount > 0 ? await accounts.ledger.grant(given) : account;
        const key = await accounts.keys.create({ accountId, name: 'default', made });
        return { accountId, email: account.email, plan: account.plan, balance, ...key };
      });
    },
  },
  'account list': {
    usage: '',
    async run({ accounts }) {
      const all: Account[] = [];
      for await (const account of accounts.list()) all.push(account);
      return all;
    },
  },
  'account plan': {
    usage: '--email a@b.c --plan NAME',
    async run(on, { email = '', plan: to = '' }) {
      const { id, plan: from } = await findAccount(on.accounts, email);
      on.accounts.plans.require(to);
      return operate(on, 'account.plan', id, { from, to }, () => on.accounts.setPlan(id, to));
    },
  },
  'account role': {
    usage: '--email a@b.c --role operator|user',
    async run(on, { email = '', role = '' }) {
      const to = accountRole(role);
      const { id, role: from } = await findAccount(on.accounts, email);
      return operate(on, 'account.role', id, { from, to }, () => on.accounts.setRole(id, to));
    },
  },
  'account link': {
    usage: '--email a@b.c',
    note: 'a one-time link to set its password, for 24 hours',
    async run(on, { email = '' }) {
      const { id: accountId } = await findAccount(on.accounts, email);
      const link = await operate(on, 'account.link', accountId, {}, () => on.signIn.claims.createLink(accountId));
      return { accountId, link, ...(link.startsWith('/') && { hint: ADDRESS_UNKNOWN }) };
    },
  },
  'account logout': {
    usage: '--email a@b.c',
    note: 'ends all its browser sessions at once',
    async run(on, { email = '' }) {
      const { id: accountId } = await findAccount(on.accounts, email);
      const end = () => on.signIn.browserSessions.revokeAll(accountId);
      return { accountId, revoked: await operate(on, 'account.logout', accountId, {}, end) };
    },
  },
  'account suspend': suspension(true),
  'account resume': suspension(false),
  'key create': {
    usage: '--email a@b.c --name NAME',
    note: 'the key is shown this once',
    async run(on, { email = '', name = '' }) {
      const { id: accountId } = await findAccount(on.accounts, email);
      const made = on.names.key;
      const create = () => on.accounts.keys.create({ accountId, name, made });
      return operate(on, 'key.create', accountId, { keyId: made.keyId, name }, create);
    },
  },
  'key list': {
    usage: '--email a@b.c',
    run: async ({ accounts }, { email = '' }) => accounts.keys.list((await findAccount(accounts, email)).id),
  },
  'key deactivate': {
    usage: '--id KEY_ID',
    note: 'it gets 403 at once',
    run: (on, { id = '' }) => switchKey(on, 'deactivate', id),
  },
  'key activate': {
    usage: '--id KEY_ID',
    run: (on, { id = '' }) => switchKey(on, 'activate', id),
  },
  'credits grant': {
    usage: '--email a@b.c --amount N [--note TEXT]',
    async run(on, { email = '', amount = '', ...options }) {
      const credits = wholeNumber('amount', amount);
      const { id: accountId } = await findAccount(on.accounts, email);
      const given = { amount: credits, ref: on.names.grantRef, note: options.note ?? null };
      const grant = () => on.accounts.ledger.grant({ accountId, ...given });
      const { balance } = await operate(on, 'credits.grant', accountId, given, grant);
      return { accountId, granted: credits, balance };
    },
  },
  'credits audit': {
    usage: '',
    note: 'exit code 1 if the balances do not match the ledger',
    run: ({ accounts }) => accounts.audit(),
  },
  [ACCEPT_PEPPER]: {
    usage: '',
    note: 'after API_KEY_PEPPER was lost: all keys, log-ins and links become invalid',
    run: async () => ({ accepted: true }), // done when the database was opened
  },
  'audit list': {
    usage: `${LOG_USAGE} [--limit N]`,
    note: 'the operator log, newest first; also "audit" alone',
    run: ({ accounts }, options) => showLog(accounts.operatorLog, options),
  },
  'audit export': {
    usage: `${LOG_USAGE} [--format csv|jsonl]`,
    note: 'prints the whole log as text',
    run: ({ accounts, print, names }, options) => printLog(accounts.operatorLog, options, names.printed, print),
  },
};

/** Returns the text of `--help`. */
export function describeCommands(): string {
  const commands = Object.entries({ ...CHECK_COMMAND, ...COMMANDS, ...DATA_COMMANDS }).map(
    ([name, { usage, note = '' }]) => ({
      line: `${name} ${usage}`,
      note,
    }),
  );
  const width = Math.max(...commands.map(({ line }) => line.length)) + 3;
  const rows = commands.map(({ line, note }) => `  ${line.padEnd(width)}${note}`.trimEnd());
  return [
    'Administers accounts, API keys and credits, whether the service is running or not.',
    '',
    adminCommand('COMMAND [OPTIONS]'),
    '',
    ...rows,
    '',
    'Prints JSON; `check` does with --json. Exit codes: 0 done, 1 failed, 2 wrong usage.',
  ].join('\n');
}

/** Parses the arguments, before a database is opened. @throws UsageError */
export function parseCommand(args: string[]): { name: string; command: Command; options: Record<string, string> } {
  // `audit` alone lists.
  if (args[0] === 'audit' && (args[1] ?? '--').startsWith('--'))
    return parseCommand(['audit', 'list', ...args.slice(1)]);
  const name = args.slice(0, 2).join(' ');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    const received = args.length === 0 ? 'none' : JSON.stringify(name);
    const known = Object.keys({ ...CHECK_COMMAND, ...COMMANDS, ...DATA_COMMANDS }).join(', ');
    throw new UsageError(`expected one of the commands ${known}, but received ${received}`);
  }
  return { name, command, options: parseOptions(args.slice(2), name, command.usage) };
}

/** Runs one command. @throws UsageError, AppError */
export async function runCommand({ args, names = newNames(), ...on }: CommandInput): Promise<CommandResult> {
  const { name, command, options } = parseCommand(args);
  const output = await command.run({ ...on, names }, options);
  const failed = name === 'credits audit' && !(output as { ok: boolean }).ok;
  return { output, exitCode: failed ? 1 : 0 };
}

function suspension(suspended: boolean): Command {
  return {
    usage: '--email a@b.c',
    ...(suspended && { note: 'its keys and browser sessions get 403 at once' }),
    async run(on, { email = '' }) {
      const { id } = await findAccount(on.accounts, email);
      const action = suspended ? 'account.suspend' : 'account.resume';
      return operate(on, action, id, {}, () => on.accounts.setSuspended(id, suspended));
    },
  };
}

/** Runs an action with its line in the operator log and a mail to the account. */
function operate<Result>(
  { signIn, names }: On,
  action: LogAction,
  target: string,
  change: LogChange,
  run: () => Promise<Result>,
): Promise<Result> {
  return signIn.operatorActions.run(COMMAND_LINE, { lineId: names.lineId, action, target, change }, run);
}

async function switchKey(on: On, to: 'activate' | 'deactivate', keyId: string) {
  const { accounts } = on;
  const accountId = await ownerOf(accounts, keyId);
  const { name } = await accounts.keys.get(accountId, keyId);
  return operate(on, `key.${to}`, accountId, { keyId, name }, () => accounts.keys[to](accountId, keyId));
}

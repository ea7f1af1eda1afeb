import { setTimeout as sleep } from 'node:timers/promises';
import { openConfiguredAccounts } from '../compose-accounts.ts';
import type { Config } from '../config/index.ts';
import { isDatabaseAway } from '../errors.ts';
import { type CommandResult, newNames, runCommand } from './commands.ts';

/** What {@link administer} works with. */
export interface AdministerInput {
  /** The words behind the program's name. */
  args: string[];
  config: Config;
  /** Longest wait for a database that went away, in milliseconds. @default 20000 */
  timeoutMs?: number;
}

const RETRY_MS = 200;

/**
 * Runs one command on the configured database. The embedded one may belong to another process, and end with it at any
 * moment: then it is opened again, here or at the next process that has it, and the command is repeated. Nothing is done
 * twice by that, since whatever a command makes has the same name in each attempt; but for a link, of which one that nobody
 * was shown expires. The log-ins that are counted are those that the last attempt ended.
 * @throws UsageError, AppError; Error when the database went away and did not come back
 */
export async function administer({ args, config, timeoutMs = 20_000 }: AdministerInput): Promise<CommandResult> {
  const names = newNames();
  let began = false;
  let givesUpAt: number | undefined;
  for (;;) {
    try {
      const opened = await openConfiguredAccounts(config);
      try {
        began = true;
        return await runCommand({ ...opened, args, names });
      } finally {
        // What the command did stands, whatever becomes of the connection.
        await opened.close().catch(() => {});
      }
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      givesUpAt ??= performance.now() + (config.db.MONGODB_URI ? 0 : timeoutMs);
      if (performance.now() >= givesUpAt) throw began ? outcomeUnknown(error as Error) : error;
      await sleep(RETRY_MS);
    }
  }
}

function outcomeUnknown(cause: Error): Error {
  return new Error(
    `The database went away while the command ran, so it may have been done or not: look before you repeat it (${cause.message})`,
    { cause },
  );
}

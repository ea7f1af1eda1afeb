import { setTimeout as sleep } from 'node:timers/promises';
import { openConfiguredAccounts } from '../compose-accounts.ts';
import type { Config } from '../config/index.ts';
import { isDatabaseAway } from '../errors.ts';
import { acceptsPepper, type CommandResult, newNames, runCommand } from './commands.ts';

interface AdministerInput {
  /** Command line arguments. */
  args: string[];
  config: Config;
  /** Longest wait for a database that went away, in milliseconds. @default 20000 */
  timeoutMs?: number;
}

const RETRY_MS = 200;

/**
 * Runs one command on the configured database. An embedded database may belong to another process and end with it: then
 * the connection is opened again and the command is repeated. All attempts use the same ids, so nothing is created twice,
 * except for an unseen link, which expires. The count of ended sessions is that of the last attempt.
 * @throws UsageError, AppError; Error if the database went away and did not come back
 */
export async function administer({ args, config, timeoutMs = 20_000 }: AdministerInput): Promise<CommandResult> {
  const names = newNames();
  let began = false;
  let givesUpAt: number | undefined;
  for (;;) {
    try {
      const opened = await openConfiguredAccounts(config, { acceptPepper: acceptsPepper(args) });
      try {
        began = true;
        return await runCommand({ ...opened, args, names });
      } finally {
        // A failed close does not undo the command.
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
    `The database went away while the command ran, so it may or may not have been done: check before you repeat it (${cause.message})`,
    { cause },
  );
}

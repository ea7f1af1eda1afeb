import { type Config, loadConfig } from '../config/index.ts';
import { explainStart } from '../explain-start.ts';
import { administer } from './administer.ts';
import { parseCheck, runCheck } from './check-command.ts';
import { describeCommands, parseCommand, UsageError } from './commands.ts';
import { parseDataCommand } from './data-commands.ts';

// Inherited by workers: what this program writes is for its user alone.
process.umask(0o077);

const args = process.argv.slice(2);
/** Longest time for which the program outlives the output of a check, in milliseconds. */
const LINGER_MS = 500;

if (args.length === 0 || args.includes('--help') || args.includes('-h')) {
  console.log(describeCommands());
} else {
  process.exitCode = await main();
}

async function main(): Promise<number> {
  let config: Config | undefined;
  try {
    const check = parseCheck(args);
    if (check) {
      const { output, exitCode } = await runCheck(process.env, check);
      console.log(output);
      // A connection that was given up may still be open.
      setTimeout(() => process.exit(exitCode), LINGER_MS).unref();
      return exitCode;
    }
    const onData = parseDataCommand(args);
    if (!onData) parseCommand(args);
    config = loadConfig(process.env);
    if (onData) {
      console.log(JSON.stringify(await onData(config), null, 2));
      return 0;
    }
    const { output, exitCode } = await administer({ args, config });
    if (output !== undefined) console.log(JSON.stringify(output, null, 2));
    return exitCode;
  } catch (error) {
    console.error(explainStart(error, config) ?? (error as Error).message);
    return error instanceof UsageError ? 2 : 1;
  }
}

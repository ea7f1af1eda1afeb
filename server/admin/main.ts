import { openAccounts } from '../compose-accounts.ts';
import { describeCommands, parseCommand, runCommand, UsageError } from './commands.ts';

const args = process.argv.slice(2);

if (args.length === 0 || args.includes('--help') || args.includes('-h')) {
  console.log(describeCommands());
} else {
  process.exitCode = await main();
}

async function main(): Promise<number> {
  try {
    parseCommand(args);
    const { accounts, login, close } = await openAccounts(process.env);
    try {
      const { output, exitCode } = await runCommand({ accounts, login, args });
      console.log(JSON.stringify(output, null, 2));
      return exitCode;
    } finally {
      await close();
    }
  } catch (error) {
    console.error((error as Error).message);
    return error instanceof UsageError ? 2 : 1;
  }
}

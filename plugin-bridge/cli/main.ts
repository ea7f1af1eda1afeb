#!/usr/bin/env node
// Owns the command line program: finds files on disk, has them optimized by the engine or a service, prints
// the outcome. Calls the service only through the SDK.
import { CliError, EXIT } from './exit-codes.ts';
import { endsTheRun, failureOf } from './failures.ts';
import { optimize } from './optimize.ts';
import { readOptions } from './options.ts';
import packageJson from './package.json' with { type: 'json' };
import { personAt } from './person.ts';
import { printableJson, printableLines } from './printable.ts';
import { showReport } from './show-report.ts';
import { USAGE } from './usage.ts';

const args = process.argv.slice(2);
/** Options stand before `--`; what follows are names of files. */
const flags = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
const stopping = new AbortController();

/** Ends the run after saving its record; a second signal exits at once. */
function stop(): void {
  if (stopping.signal.aborted) process.exit(EXIT.interrupted);
  process.stderr.write('\nStopping …\n');
  stopping.abort();
}

async function main(): Promise<number> {
  if (args.length === 0 || flags.includes('--help') || flags.includes('-h')) {
    process.stdout.write(USAGE);
    return args.length === 0 ? EXIT.usage : EXIT.ok;
  }
  if (flags.includes('--version')) {
    process.stdout.write(`${packageJson.version}\n`);
    return EXIT.ok;
  }
  const json = flags.includes('--json');
  try {
    const { stdout, stderr } = process;
    const env = { ...process.env };
    // The code of a configuration file has no need of the key.
    delete process.env.IMAGEWRIGHT_API_KEY;
    const options = await readOptions(args, env, process.cwd(), personAt(process.stdin, stderr));
    const report = await optimize(options, { stderr, env, signal: stopping.signal });
    const colour = stdout.isTTY && stdout.hasColors();
    if (json) stdout.write(`${printableJson(report)}\n`);
    else stdout.write(printableLines(await showReport(report, { colour }), { colour }));
    if (report.error) stderr.write(printableLines(`${report.error.message}\n`));
    return report.exitCode;
  } catch (error) {
    const { code, message } = failureOf(error);
    const ended = endsTheRun(error) ?? new CliError(EXIT.unexpected, code, message);
    const { exitCode } = ended;
    if (json) process.stdout.write(`${printableJson({ exitCode, error: failureOf(ended) })}\n`);
    process.stderr.write(printableLines(`${ended.message}\n`));
    return exitCode;
  }
}

process.on('SIGINT', stop);
process.on('SIGTERM', stop);
// `imagewright … | head` closes the pipe, which is no error.
process.stdout.on('error', () => {});
process.exitCode = await main();
process.off('SIGINT', stop);
process.off('SIGTERM', stop);

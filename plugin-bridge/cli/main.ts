#!/usr/bin/env node
// Owns the command line program: finds files on disk, has them optimized by the engine or a service, prints
// the outcome. Calls the service only through the SDK.
import { readFileSync } from 'node:fs';
import { CliError, EXIT } from './exit-codes.ts';
import { endsTheRun, failureOf } from './failures.ts';
import { optimize } from './optimize.ts';
import { readOptions } from './options.ts';
import { showReport } from './show-report.ts';
import { USAGE } from './usage.ts';

const args = process.argv.slice(2);
const stopping = new AbortController();

/** Ends the run after saving its record; a second signal exits at once. */
function stop(): void {
  if (stopping.signal.aborted) process.exit(EXIT.interrupted);
  process.stderr.write('\nStopping …\n');
  stopping.abort();
}

async function main(): Promise<number> {
  if (args.length === 0 || args.includes('--help') || args.includes('-h')) {
    process.stdout.write(USAGE);
    return args.length === 0 ? EXIT.usage : EXIT.ok;
  }
  if (args.includes('--version')) {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    process.stdout.write(`${version}\n`);
    return EXIT.ok;
  }
  const json = args.includes('--json');
  try {
    const { stderr, env } = process;
    const options = await readOptions(args, env, process.cwd());
    const report = await optimize(options, { stderr, env, signal: stopping.signal });
    if (json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    else process.stdout.write(await showReport(report, { colour: process.stdout.isTTY && process.stdout.hasColors() }));
    if (report.error) process.stderr.write(`${report.error.message}\n`);
    return report.exitCode;
  } catch (error) {
    const { code, message } = failureOf(error);
    const ended = endsTheRun(error) ?? new CliError(EXIT.unexpected, code, message);
    const { exitCode } = ended;
    if (json) process.stdout.write(`${JSON.stringify({ exitCode, error: failureOf(ended) }, null, 2)}\n`);
    process.stderr.write(`${ended.message}\n`);
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

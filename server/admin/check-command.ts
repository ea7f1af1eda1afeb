import type { CheckLine, InstallationCheck } from '#contract';
import { findNearMisses, inspectSettings } from '../config/index.ts';
import { type CheckOptions, checkInstallation } from '../doctor/index.ts';
import { parseOptions } from './options.ts';

/** The check of the installation, as the help shows it. */
export const CHECK_COMMAND = {
  check: {
    usage: '[--mail a@b.c] [--model] [--json]',
    note: 'tries settings, database, files, disk, mail, AI, clock, address and proxy; exit code 1 if one is wrong',
  },
} as const;

/** Parses the arguments if they are the check; null if not. @throws UsageError */
export function parseCheck(args: string[]): (CheckOptions & { json: boolean }) | null {
  if (args[0] !== 'check') return null;
  const { mail, model, json } = parseOptions(args.slice(1), 'check', CHECK_COMMAND.check.usage);
  return { mailTo: mail, asksModel: model !== undefined, json: json !== undefined };
}

/** Checks the installation that the environment describes, whatever is wrong with it. Returns what to print. */
export async function runCheck(
  env: NodeJS.ProcessEnv,
  { json, ...options }: CheckOptions & { json: boolean },
): Promise<{ output: string; exitCode: 0 | 1 }> {
  const { config, faults } = inspectSettings(env);
  const settings = { faults, nearMisses: findNearMisses(env) };
  const check = await checkInstallation({ config, settings }, options);
  return { output: json ? JSON.stringify(check, null, 2) : describe(check), exitCode: check.ok ? 0 : 1 };
}

const WORDS: Record<CheckLine['state'], string> = { ok: 'ok', warning: 'warning', fault: 'FAULT', off: '-' };
const WIDTH = Math.max(...Object.values(WORDS).map(({ length }) => length));
const PART_WIDTH = 8;

function describe({ version, checks }: InstallationCheck): string {
  const indent = ' '.repeat(WIDTH + PART_WIDTH + 4);
  const lines = checks.flatMap(({ part, state, tried, found, remedy }) => [
    `${WORDS[state].padEnd(WIDTH)}  ${part.padEnd(PART_WIDTH)}  ${tried}`,
    `${indent}${found}`,
    ...(remedy === null ? [] : [`${indent}-> ${remedy}`]),
  ]);
  const count = (state: CheckLine['state']) => checks.filter((line) => line.state === state).length;
  const [faults, warnings] = [count('fault'), count('warning')];
  const summary = `${faults} ${faults === 1 ? 'fault' : 'faults'}, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;
  return [`Imagewright ${version}`, '', ...lines, '', summary].join('\n');
}

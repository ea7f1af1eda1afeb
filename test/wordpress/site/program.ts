import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { end, signalGroup } from './serve-native.ts';

/** Programs of native sites, and the names that they have. */
const NAMES = {
  NGINX: /^nginx$/,
  APACHE2: /^apache2$/,
  PHP_FPM: /^php-fpm[\d.]*$/,
  MARIADBD: /^mariadbd$/,
  MARIADB: /^mariadb$/,
};

/** Returns the path of a program: `IMAGEWRIGHT_TEST_<NAME>`, else the installed one. @throws Error if there is none */
export function programPath(name: keyof typeof NAMES): string {
  const named = process.env[`IMAGEWRIGHT_TEST_${name}`];
  if (named) return named;
  for (const folder of [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']) {
    const found = existsSync(folder) && readdirSync(folder).find((file) => NAMES[name].test(file));
    if (found) return join(folder, found);
  }
  throw new Error(`${name.toLowerCase()} is not installed; \`npm run test:wordpress-native\` fetches it`);
}

/** A program that runs in the background with its own process group. */
export interface Program {
  child: ChildProcess;
  /** Ends the group and waits for it. */
  stop(): Promise<void>;
}

/** Starts a program whose output goes to `log`. It also ends when this process ends. */
export function startProgram(file: string, args: readonly string[], log: string): Program {
  const output = openSync(log, 'a');
  const child = spawn(file, args, { detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  const kill = () => signalGroup(child, 'SIGKILL');
  process.once('exit', kill);
  return {
    child,
    async stop() {
      await end(child);
      process.removeListener('exit', kill);
    },
  };
}

/** True if this process is the superuser, whom several servers refuse to run as unless asked. */
export const isRoot = process.getuid?.() === 0;

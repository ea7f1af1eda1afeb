import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify, stripVTControlCharacters } from 'node:util';
import { envOutside } from '../support/install-packages.ts';

/** Files of a checkout that the commands of the documents need. */
const PARTS = ['package.json', '.npmrc', 'server', 'dist', 'plugin-bridge', 'node_modules'];

/** A folder in which commands are run as the documents write them. */
export interface Workplace {
  folder: string;
  /** Runs lines of a shell; the first one that fails ends them. @returns what they print. @throws with what they print */
  run(lines: string, env?: Record<string, string>): Promise<string>;
  /** Starts a command that goes on; returns what it printed up to a match, which is the first group. */
  start(line: string, until: RegExp, env?: Record<string, string>): Promise<{ found: string; stop(): Promise<void> }>;
  remove(): void;
}

/** Creates an empty folder, or one that looks like this checkout, so that what commands write stays out of it. */
export function createWorkplace({ likeCheckout = false }: { likeCheckout?: boolean } = {}): Workplace {
  const folder = mkdtempSync(join(tmpdir(), 'imagewright-commands-'));
  if (likeCheckout) for (const part of PARTS) symlinkSync(resolve(part), join(folder, part));
  return workplaceAt(folder);
}

/** Runs commands in a folder that is there. */
export function workplaceAt(folder: string): Workplace {
  const bash = (lines: string) => ['-e', '-o', 'pipefail', '-c', lines];
  return {
    folder,
    async run(lines, env = {}) {
      const options = { cwd: folder, env: { ...envOutside(), ...env }, maxBuffer: 1 << 26 };
      const done = await promisify(execFile)('bash', bash(lines), options).catch(({ stdout, stderr, code }) => {
        throw new Error(`${lines}\nended with ${code}\n${stdout}\n${stderr}`);
      });
      return done.stdout;
    },
    async start(line, until, env = {}) {
      const child = spawn('bash', bash(line), {
        cwd: folder,
        env: { ...envOutside(), ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      });
      const stop = async () => {
        if (!child.pid || child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, 'exit');
        process.kill(-child.pid, 'SIGTERM');
        await ended;
      };
      let printed = '';
      for await (const text of createInterface({ input: child.stdout })) {
        printed += `${stripVTControlCharacters(text)}\n`;
        const [, found] = until.exec(printed) ?? [];
        if (found === undefined) continue;
        child.stdout.resume();
        return { found, stop };
      }
      throw new Error(`${line} ended before it printed ${until}:\n${printed}`);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Replaces what a reader has to replace. @throws Error if a placeholder is not there */
export function fill(code: string, places: Record<string, string>): string {
  let text = code;
  for (const [place, value] of Object.entries(places)) {
    if (!text.includes(place)) throw new Error(`expected ${place} in ${code}`);
    text = text.replaceAll(place, value);
  }
  return text;
}

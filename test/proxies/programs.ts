import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { end } from '../wordpress/site/serve-native.ts';

/** Programs that tests run where they are installed. */
export type ProgramName = 'nginx' | 'caddy' | 'apache2' | 'traefik' | 'openssl';

/**
 * Returns the path of a program, or null with a message on the console. `IMAGEWRIGHT_TEST_<NAME>` names another path; `none` forces
 * absence.
 */
export function findProgram(name: ProgramName): string | null {
  const named = process.env[`IMAGEWRIGHT_TEST_${name.toUpperCase()}`];
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const paths = named ? [named] : folders.map((folder) => join(folder, name));
  const found = named === 'none' ? undefined : paths.find(isProgram);
  if (!found) console.warn(`SKIPPED: ${name} is not installed; what docs/proxies.md says of it is not tested.`);
  return found ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A server of another program, in a folder of its own. */
export interface RunningProgram {
  port: number;
  stop(): Promise<void>;
}

/** Starts a server on a free port. `prepare` writes its files into the folder and returns its command. */
export async function startProgram(
  prepare: (at: { folder: string; port: number }) => Promise<{ file: string; args: string[]; env?: NodeJS.ProcessEnv }>,
): Promise<RunningProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-proxy-'));
  const port = await freePort();
  const { file, args, env } = await prepare({ folder, port });
  const log = join(folder, 'output.log');
  const output = openSync(log, 'a');
  const child = spawn(file, args, {
    cwd: folder,
    // Servers have worker processes, so the whole group is ended.
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  await untilListening(port, child).catch((error) => {
    throw new Error(`${file}: ${error.message}\n${readFileSync(log, 'utf8')}`);
  });
  return {
    port,
    async stop() {
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until something listens on a port of this machine. @throws Error if the process ends before */
export async function untilListening(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null || child.signalCode) throw new Error('ended before it listened');
    if (await accepts(port)) return;
    await sleep(50);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

/** Returns a port of this machine on which nothing listens. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

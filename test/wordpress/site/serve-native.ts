import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Constants, configFile } from './site-config.ts';
import { addSqlite } from './wordpress-tree.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Files and settings of a served site. */
export interface ServeOptions {
  php: string;
  /** A writable copy of WordPress. */
  www: string;
  plugin: string;
  /** Host name in the URL of the site. */
  host: string;
  port: number;
  constants: Constants;
  /** Connection with a database server; null: SQLite. */
  database: Constants | null;
  /** PHP's `memory_limit`, e.g. `128M`. */
  memoryLimit: string;
  /** Additional lines for the configuration of nginx or Apache. */
  lines: string;
}

/** A server of a site. */
export interface Served {
  /** Kills the running PHP processes, in the middle of requests; null: not possible with this server. */
  killPhp: (() => void) | null;
  stop(): Promise<void>;
}

/** Configures and installs WordPress with the PHP of this machine. */
export async function installNatively({
  php,
  www,
  plugin,
  host,
  port,
  constants,
  ...options
}: ServeOptions): Promise<void> {
  if (!options.database) await addSqlite(www);
  const url = `http://${host}:${port}`;
  const database = options.database ?? { DB_DIR: join(www, '../database'), DB_FILE: 'site.sqlite' };
  await writeFile(join(www, 'wp-config.php'), configFile({ ...database, WP_HOME: url, WP_SITEURL: url, ...constants }));
  await symlink(plugin, join(www, 'wp-content/plugins/imagewright'), 'dir');
  await promisify(execFile)(php, [here('install.php'), www, `${host}:${port}`]);
}

/** Serves the site with the built-in web server of PHP. */
export async function serveNatively({ php, www, port, memoryLimit }: ServeOptions): Promise<Served> {
  const router = join(www, '../router.php');
  await copyFile(here('router.php'), router);
  const limits = {
    ...{ upload_max_filesize: '64M', post_max_size: '64M', memory_limit: memoryLimit, error_log: '/dev/null' },
    // Changed constants must apply from the next request on.
    'opcache.revalidate_freq': '0',
  };
  const settings = Object.entries(limits).flatMap(([name, value]) => ['-d', `${name}=${value}`]);
  const server = spawn(php, [...settings, '-S', `127.0.0.1:${port}`, '-t', www, router], {
    // The server has worker processes, so the whole group is ended.
    detached: true,
    env: { ...process.env, PHP_CLI_SERVER_WORKERS: '6' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  server.stderr?.pipe(createWriteStream(join(www, '../server.log')));
  const kill = () => signalGroup(server, 'SIGKILL');
  process.once('exit', kill);
  await answers(`http://127.0.0.1:${port}/readme.html`, server);
  const stop = async () => {
    await end(server);
    process.removeListener('exit', kill);
  };
  return { killPhp: null, stop };
}

/** Waits until a server responds. @throws Error if it exits first */
export async function answers(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null || server.signalCode) throw new Error(`the server of ${url} ended before it answered`);
    const status = await fetch(url, { redirect: 'manual' }).then(
      (response) => response.status,
      () => 0,
    );
    if (status > 0 && status < 500) return;
    await sleep(100);
  }
}

/** Ends a process group and waits for it. */
export async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  signalGroup(server, 'SIGTERM');
  const late = setTimeout(() => signalGroup(server, 'SIGKILL'), 3000);
  await ended;
  clearTimeout(late);
}

/** Signals a process group. Ignores one that has ended. */
export function signalGroup(server: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (server.pid) process.kill(-server.pid, signal);
  } catch {
    // It has ended already.
  }
}

import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './command-line.ts';
import { SUITE_OF_VERSION, unpackDebianTree } from './debian-tree.ts';
import { createDatabase, type Database } from './mariadb.ts';
import { createNetwork } from './network.ts';
import { type Prepared, prepare } from './prepare.ts';
import { serveWithApache } from './serve-apache.ts';
import { installNatively, type Served, serveNatively } from './serve-native.ts';
import { serveBehindNginx } from './serve-nginx.ts';
import { servePlayground } from './serve-playground.ts';
import { COMMON_CONSTANTS, type Constants, phpLiteral } from './site-config.ts';
import { logIn, type SiteUser } from './site-user.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';
import { copyTree } from './wordpress-tree.ts';

/** A running WordPress with the plugin in its folder, not yet activated. */
export interface Site extends SiteOfNetwork {
  /** `native` or `wasm`. */
  engine: 'native' | 'wasm';
  /** Returns the logged messages of WordPress and PHP. */
  debugLog(): Promise<string>;
  /** Changes constants. `wp-config.php` reads them from a file with each request. */
  define(constants: Constants): Promise<void>;
  /** Converts the site to a network and returns its second site. */
  makeNetwork(): Promise<SiteOfNetwork>;
  /** Records configuration, database and `wp-content`, so that the site can be reset to this state. */
  takeSnapshot(): Promise<Snapshot>;
  /** Evaluates PHP inside of WordPress on the command line: without time limit, memory as given. Requires native PHP. */
  command<T = unknown>(code: string, values?: Record<string, unknown>, memoryLimit?: string): Promise<T>;
  /** Adds a PHP file to the must-use plugins. */
  addMuPlugin(file: string): Promise<void>;
  /** The database, if it is MariaDB. */
  database: Database | null;
  /** Kills the running PHP processes, in the middle of requests; null: not possible with this server. */
  killPhp: (() => void) | null;
  stop(): Promise<void>;
}

/** Choices for a site. Those without a default are the pinned WordPress on SQLite. */
export interface SiteOptions {
  constants?: Constants;
  /** Folder of another WordPress than the pinned one. */
  tree?: string;
  /** Version of a WordPress of Debian. Requires apt-get the first time. */
  version?: keyof typeof SUITE_OF_VERSION;
  /** `nginx` and `apache` run PHP-FPM. Default: `IMAGEWRIGHT_TEST_SERVER`, else `php`. */
  server?: 'php' | 'nginx' | 'apache';
  /** Default: `IMAGEWRIGHT_TEST_DATABASE`, else `sqlite`. */
  database?: 'sqlite' | 'mariadb';
  /** Host name of the site. Browsers treat `localhost` as secure, too. Requires native PHP. Default: `127.0.0.1`. */
  host?: '127.0.0.1' | 'localhost';
  /** PHP's `memory_limit`, which no page behind nginx or Apache can raise. Default: `512M`. */
  memoryLimit?: string;
  /** Additional lines for the configuration of nginx (in its `server`) or Apache. */
  lines?: string;
  /** Number of processes of PHP as WebAssembly. */
  workers?: number;
}

/** Access to one site of a network. */
export interface SiteOfNetwork {
  url: string;
  /** Evaluates PHP inside of WordPress and returns the result. */
  php<T = unknown>(code: string, values?: Record<string, unknown>): Promise<T>;
  /** Logs a user in, as a browser would. */
  logIn(user?: string, password?: string): Promise<SiteUser>;
  /** Creates a user. The password is the name. */
  createUser(name: string, role: string): Promise<number>;
  /** Paths of all files below the uploads folder, sorted. */
  uploads(): Promise<string[]>;
  uploadsDir: string;
}

/** Starts a fresh site. */
export async function startSite(options: SiteOptions = {}): Promise<Site> {
  const prepared = await prepare();
  const versionTree = options.version && unpackDebianTree(SUITE_OF_VERSION[options.version]);
  const home = await mkdtemp(join(tmpdir(), 'imagewright-wordpress-'));
  // Also runs if the process ends before the site was stopped.
  const clear = () => rmSync(home, { recursive: true, force: true });
  process.once('exit', clear);
  const www = join(home, 'www');
  await copyTree(options.tree ?? versionTree ?? prepared.tree, www);
  // A copy, since the plugin may be rebuilt while the site runs.
  const plugin = join(home, 'imagewright');
  await cp(prepared.built.folder, plugin, { recursive: true });
  const secret = randomUUID();
  const muPlugins = join(www, 'wp-content/mu-plugins');
  await mkdir(muPlugins, { recursive: true });
  // Read with every request, so that a test can set a constant while the site runs.
  await writeFile(join(muPlugins, 'a-constants.php'), '<?php\n');
  await copyFile(fileURLToPath(new URL('inspect.php', import.meta.url)), join(muPlugins, 'inspect.php'));
  const port = await freePort();
  const host = options.host ?? '127.0.0.1';
  const url = `http://${host}:${port}`;
  const limit: Constants = options.memoryLimit
    ? { WP_MEMORY_LIMIT: options.memoryLimit, WP_MAX_MEMORY_LIMIT: options.memoryLimit }
    : {};
  const constants = { ...COMMON_CONSTANTS, IMAGEWRIGHT_TEST_SECRET: secret, ...limit, ...options.constants };
  const { database, killPhp, stop } = await serve({ prepared, plugin, www, host, port, constants, options });

  // The first request to Playground loses its body.
  await fetch(url).then((response) => response.arrayBuffer());
  let month = 0;
  const site = openSite(url, secret, join(www, 'wp-content/uploads'));
  return {
    ...site,
    engine: prepared.php ? 'native' : 'wasm',
    database,
    killPhp,
    command(code, values = {}, memoryLimit = '512M') {
      if (!prepared.php) throw new Error('PHP as WebAssembly has no command line');
      return runCommand({ php: prepared.php, www, host: new URL(url).host, memoryLimit, code, values });
    },
    addMuPlugin: (file) => copyFile(file, join(muPlugins, basename(file))),
    debugLog: () => readFile(join(www, 'wp-content/debug.log'), 'utf8').catch(() => ''),
    define: (changed) => writeConstants(muPlugins, { ...changed, IMAGEWRIGHT_TEST_MONTH: month }),
    async makeNetwork() {
      // A second host name of this machine: a network identifies its sites by host.
      const second = url.replace('127.0.0.1', 'localhost');
      const id = await createNetwork(site, { www, second });
      return openSite(second, secret, join(www, `wp-content/uploads/sites/${id}`));
    },
    async takeSnapshot() {
      const folders = [join(www, 'wp-content'), join(home, 'database')].filter(existsSync);
      const snapshots = await Promise.all(
        folders.map((folder) => takeSnapshot(folder, join(home, 'snapshot', basename(folder)))),
      );
      if (database) snapshots.push(await database.takeSnapshot());
      const configuration = join(www, 'wp-config.php');
      const before = await readFile(configuration, 'utf8');
      return {
        async restore() {
          if ((await readFile(configuration, 'utf8')) !== before) await writeFile(configuration, before);
          for (const snapshot of snapshots) await snapshot.restore();
          month += 1;
        },
      };
    },
    async stop() {
      await stop();
      process.removeListener('exit', clear);
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Writes the constants for the following requests. */
async function writeConstants(muPlugins: string, constants: Constants): Promise<void> {
  const lines = Object.entries(constants).map(([name, value]) => `define( '${name}', ${phpLiteral(value)} );`);
  await writeFile(join(muPlugins, 'a-constants.php'), `<?php\n${lines.join('\n')}\n`);
}

/** A site that is served at an address. */
function openSite(url: string, secret: string, uploadsDir: string): SiteOfNetwork {
  async function php<T>(code: string, values: Record<string, unknown> = {}): Promise<T> {
    const json = phpLiteral(JSON.stringify(values));
    const body = `extract( json_decode( ${json}, true ) );\n${code}`;
    const response = await fetch(`${url}/?inspect=${secret}`, { method: 'POST', body });
    const text = await response.text();
    const answer = parse(text);
    if (answer?.error || !answer)
      throw new Error(`PHP failed (${response.status}): ${answer?.error ?? text.slice(0, 2000)}`);
    return answer.result as T;
  }
  return {
    url,
    php,
    logIn: (user = 'admin', password = 'password') => logIn(url, user, password),
    createUser: (name, role) =>
      php<number>('return wp_insert_user( array( "user_login" => $name, "user_pass" => $name, "role" => $role ) );', {
        name,
        role,
      }),
    uploadsDir,
    async uploads() {
      const entries = await readdir(uploadsDir, { recursive: true, withFileTypes: true }).catch(() => []);
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(uploadsDir, join(entry.parentPath, entry.name)))
        .sort();
    },
  };
}

async function serve({
  prepared,
  options,
  ...site
}: {
  prepared: Prepared;
  options: SiteOptions;
  plugin: string;
  www: string;
  host: string;
  port: number;
  constants: Constants;
}): Promise<Served & { database: Database | null }> {
  const server = options.server ?? process.env.IMAGEWRIGHT_TEST_SERVER ?? 'php';
  const kind = options.database ?? process.env.IMAGEWRIGHT_TEST_DATABASE ?? 'sqlite';
  const { php } = prepared;
  if (!php) {
    if (server !== 'php' || kind !== 'sqlite') throw new Error(`PHP as WebAssembly has neither ${server} nor ${kind}`);
    const constants = { ...site.constants, WP_DEBUG_LOG: true };
    const stop = await servePlayground({ ...site, constants, workers: options.workers });
    return { database: null, killPhp: null, stop };
  }
  const database = kind === 'mariadb' ? await createDatabase() : null;
  const native = {
    ...site,
    php,
    constants: { ...site.constants, WP_DEBUG_LOG: join(site.www, 'wp-content/debug.log') },
    database: database?.constants ?? null,
    memoryLimit: options.memoryLimit ?? '512M',
    lines: options.lines ?? '',
  };
  await installNatively(native);
  const start = { nginx: serveBehindNginx, apache: serveWithApache }[server] ?? serveNatively;
  const served = await start(native);
  const stop = async () => {
    await served.stop();
    await database?.drop();
  };
  return { ...served, database, stop };
}

function parse(text: string): { result?: unknown; error?: string } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A port that is free now. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

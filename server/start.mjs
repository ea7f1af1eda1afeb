#!/usr/bin/env node
// Runs a built program of the service in this process, so that signals reach it. First builds the targets that are older
// than their sources. Plain JavaScript, since Node 20 does not run TypeScript. Must not know the programs.
//   node server/start.mjs [build [target…] | admin | imagewright] [arguments…]
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/**
 * Programs below `dist`, by command. Without a command the service runs.
 * @type {Record<string, string>}
 */
const PROGRAMS = { admin: 'server/admin/main.js', imagewright: 'cli/main.js' };

/** Sources that all clients use. */
const SHARED = ['plugin-bridge/sdk', 'plugin-bridge/batch', 'server/contract/constants'];

/**
 * Targets, each built to `dist/<name>` by `modes` of vite.config.ts, in order, from the files of `folders` except those
 * of `without`. A target whose `entry` is missing is skipped. The service needs only the `served` ones.
 * @typedef {{
 *   name: string, title: string, modes: string[], folders: string[], without?: string[], entry?: string, served: boolean
 * }} Target
 * @type {Target[]}
 */
const TARGETS = [
  { name: 'server', title: 'service', modes: ['server'], folders: ['server'], served: true },
  {
    name: 'sdk',
    title: 'SDK',
    modes: ['sdk'],
    folders: ['plugin-bridge/sdk', 'server/contract/constants'],
    served: false,
  },
  {
    name: 'cli',
    title: 'command line program',
    modes: ['cli'],
    folders: ['plugin-bridge/cli', 'server/processing', 'server/contract', ...SHARED],
    entry: 'plugin-bridge/cli/main.ts',
    served: false,
  },
  {
    name: 'unplugin',
    title: 'plugin of bundlers',
    modes: ['unplugin'],
    folders: ['plugin-bridge/unplugin', 'plugin-bridge/cli', 'server/processing', 'server/contract'],
    entry: 'plugin-bridge/unplugin/index.ts',
    served: false,
  },
  {
    name: 'host',
    title: 'connection to a CMS',
    modes: ['host', 'host-classic', 'host-server'],
    folders: ['plugin-bridge/host', ...SHARED],
    entry: 'plugin-bridge/host/index.ts',
    served: false,
  },
  {
    name: 'widget',
    title: 'widget',
    modes: ['widget', 'widget-classic', 'widget-share'],
    folders: ['widget', ...SHARED],
    without: ['widget/demo/', 'widget/dashboard/', 'widget/share/'],
    entry: 'widget/define.ts',
    served: true,
  },
  {
    name: 'demo',
    title: 'demo page',
    modes: ['demo'],
    folders: ['widget', 'plugin-bridge/host', ...SHARED],
    without: ['widget/dashboard/', 'widget/share/'],
    entry: 'widget/demo/index.html',
    served: true,
  },
  {
    name: 'dashboard',
    title: 'dashboard',
    modes: ['dashboard'],
    folders: ['widget', ...SHARED],
    without: ['widget/demo/', 'widget/share/'],
    entry: 'widget/dashboard/index.html',
    served: true,
  },
  {
    name: 'share',
    title: 'page of shared links',
    modes: ['share'],
    folders: ['widget', ...SHARED],
    without: ['widget/demo/', 'widget/dashboard/'],
    entry: 'widget/share/index.html',
    served: true,
  },
];
const BUILD_FILES = [
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'vite.config.ts'],
  ...['widget/build/browsers.ts', 'widget/build/plugins.ts'],
  ...['plugin-bridge/build/builds.ts', 'plugin-bridge/build/short-lines.ts'],
];
const SOURCES = /\.(ts|css|html|json|svg|png|webp|avif)$/;

/** @param {Target} target */
const outputOf = ({ name }) => join(ROOT, 'dist', name);
/** @param {Target} target */
const fingerprintFileOf = (target) => join(outputOf(target), '.fingerprint');

/**
 * Hashes the contents and paths of everything a build depends on; not the times, so that a fresh clone has the same hash.
 * @param {Target} target
 */
function fingerprintSources({ folders, without }) {
  const sources = folders
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => SOURCES.test(path))
        .map((path) => join(folder, path)),
    )
    .filter((path) => !without?.some((folder) => path.startsWith(join(folder))));
  const hash = createHash('sha256');
  for (const path of [...new Set(sources.sort()), ...BUILD_FILES]) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(ROOT, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

/**
 * Builds into a new folder and swaps it with the present output, so that no process reads an incomplete build.
 * @param {Target} target
 * @param {string} fingerprint of the sources
 */
async function build(target, fingerprint) {
  const { build: viteBuild } = await import('vite');
  const environment = process.env.NODE_ENV;
  // Otherwise development variants of packages could be bundled.
  process.env.NODE_ENV = 'production';
  const output = outputOf(target);
  const fresh = join(ROOT, 'dist', `.${target.name}-${process.pid}`);
  const old = join(ROOT, 'dist', `.old-${process.pid}`);
  try {
    for (const mode of target.modes) {
      await viteBuild({
        configFile: join(ROOT, 'vite.config.ts'),
        mode,
        logLevel: 'silent',
        build: { outDir: fresh },
      });
    }
    writeFileSync(join(fresh, '.fingerprint'), fingerprint);
    if (existsSync(output)) renameSync(output, old);
    renameSync(fresh, output);
  } catch (error) {
    // A concurrent build of the same sources may have replaced the output.
    if (!isCurrent(target, fingerprint)) throw error;
  } finally {
    if (environment === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = environment;
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

/**
 * @param {Target} target
 * @param {string} fingerprint of the sources
 */
function isCurrent(target, fingerprint) {
  const file = fingerprintFileOf(target);
  return existsSync(file) && readFileSync(file, 'utf8') === fingerprint;
}

/** @param {string} name of a package */
function isInstalled(name) {
  return existsSync(join(ROOT, 'node_modules', name, 'package.json'));
}

/**
 * Builds a target unless it is current. Without sources or build tools (in an image) the existing output is used.
 * @param {Target} target
 */
async function ensureBuilt(target) {
  const isBuilt = existsSync(fingerprintFileOf(target));
  if (!existsSync(join(ROOT, 'vite.config.ts')) && isBuilt) return;
  const fingerprint = fingerprintSources(target);
  if (isCurrent(target, fingerprint)) return;
  if (isInstalled('vite')) {
    const startedAt = performance.now();
    process.stderr.write(`Building the ${target.title} …`);
    await build(target, fingerprint);
    process.stderr.write(` done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
  } else if (isBuilt) {
    process.stderr.write(
      `dist/${target.name} is older than the sources and vite is not installed: running the old build\n`,
    );
  } else {
    throw new Error(
      `dist/${target.name} is missing and vite is not installed: run \`npm ci && npm run build\`, then \`npm ci --omit=dev\``,
    );
  }
}

/**
 * Returns the targets to build: a program's own, all served ones for the service, or those named after `build`.
 * @param {string | undefined} command
 * @param {string[]} names of targets to build; none: all
 */
function targetsFor(command, names) {
  const program = PROGRAMS[command ?? ''];
  // The command line program uses the engine, which is part of the service.
  if (program) return TARGETS.filter(({ name }) => name === 'server' || program.startsWith(`${name}/`));
  const present = TARGETS.filter(({ entry }) => !entry || existsSync(join(ROOT, entry)));
  if (command !== 'build') return present.filter(({ served }) => served);
  if (names.length === 0) return present;
  const unknown = names.find((name) => !TARGETS.some((target) => target.name === name));
  if (unknown)
    throw new Error(`Unknown build target "${unknown}": expected one of ${TARGETS.map(({ name }) => name).join(', ')}`);
  return TARGETS.filter(({ name }) => names.includes(name));
}

/** Milliseconds between two looks at the parent process. */
const LOOK_MS = 500;

/**
 * Ends the service with the shell that npm runs it in: a signal to npm or that shell ends the shell, which passes it on to nobody, and the
 * service would hold its port and its data for ever.
 */
function endWithNpm() {
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  look.unref();
}

/** Text of `--help`. */
const USAGE = `Starts the service; its settings are environment variables (docs/configuration.md).

  admin COMMAND   administers accounts, keys, credits and data; "admin --help" lists the commands
  --help, --version
`;

/**
 * Answers `--help` and `--version`, and refuses words that are no command.
 * @param {string | undefined} command
 */
function answerOrRefuse(command) {
  if (command === undefined || command === 'build' || Object.hasOwn(PROGRAMS, command)) return;
  if (command === '--version') {
    process.stdout.write(`${JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version}\n`);
    process.exit(0);
  }
  const isHelp = command === '--help' || command === '-h';
  if (isHelp) process.stdout.write(USAGE);
  else process.stderr.write(`Expected no command or "admin", but received "${command}"\n\n${USAGE}`);
  process.exit(isHelp ? 0 : 2);
}

const [command, ...rest] = process.argv.slice(2);
answerOrRefuse(command);
try {
  for (const target of targetsFor(command, rest)) await ensureBuilt(target);
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
if (command !== 'build') {
  const named = PROGRAMS[command ?? ''];
  const program = join(ROOT, 'dist', named ?? 'server/main.js');
  process.argv.splice(1, Infinity, program, ...(named ? rest : process.argv.slice(2)));
  process.setSourceMapsEnabled(true);
  if (!named && process.env.npm_lifecycle_event) endWithNpm();
  await import(pathToFileURL(program).href);
}

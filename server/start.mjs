// Starts a built program of the service in this very process, so that signals reach it, and builds it first when the
// sources have changed. Plain JavaScript, because Node 20 runs no TypeScript. Knows nothing of what the programs do.
//   node server/start.mjs [build | admin | demo] [arguments…]
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUTPUT = join(ROOT, 'dist', 'server');
const FINGERPRINT = join(OUTPUT, '.fingerprint');
/** @type {Record<string, string>} */
const PROGRAMS = { admin: 'admin/main.js', demo: 'demo/main.js' };

/** A hash over everything the build depends on: contents and paths, not times, so that a fresh clone counts as equal. */
function fingerprintSources() {
  const sources = readdirSync(join(ROOT, 'server'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join('server', path));
  const hash = createHash('sha256');
  for (const path of [...sources.sort(), 'package.json', 'package-lock.json', 'vite.config.ts']) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(ROOT, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

/**
 * Builds beside the present output and swaps the two, so that nobody ever imports half of a build.
 * @param {string} fingerprint of the sources
 */
async function build(fingerprint) {
  const { build: viteBuild } = await import('vite');
  const fresh = join(ROOT, 'dist', `.server-${process.pid}`);
  const old = join(ROOT, 'dist', `.old-${process.pid}`);
  try {
    await viteBuild({
      configFile: join(ROOT, 'vite.config.ts'),
      mode: 'server',
      logLevel: 'silent',
      build: { outDir: fresh },
    });
    writeFileSync(join(fresh, '.fingerprint'), fingerprint);
    if (existsSync(OUTPUT)) renameSync(OUTPUT, old);
    renameSync(fresh, OUTPUT);
  } catch (error) {
    // Another process that built at the same time was quicker: its output is as good.
    if (!isCurrent(fingerprint)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

/** @param {string} fingerprint of the sources */
function isCurrent(fingerprint) {
  return existsSync(FINGERPRINT) && readFileSync(FINGERPRINT, 'utf8') === fingerprint;
}

/** @param {string} name of a package */
function isInstalled(name) {
  return existsSync(join(ROOT, 'node_modules', name, 'package.json'));
}

/** Makes sure that `dist/server` is what the sources say; an image without sources or build tools runs what it holds. */
async function ensureBuilt() {
  if (!existsSync(join(ROOT, 'vite.config.ts')) && existsSync(FINGERPRINT)) return;
  const fingerprint = fingerprintSources();
  if (isCurrent(fingerprint)) return;
  if (isInstalled('vite')) {
    const startedAt = performance.now();
    process.stderr.write('Building the service …');
    await build(fingerprint);
    process.stderr.write(` done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
  } else if (existsSync(FINGERPRINT)) {
    process.stderr.write('dist/server is older than the sources, and vite is not installed: running it as it is\n');
  } else {
    throw new Error('dist/server is missing and vite is not installed: run `npm ci` with development dependencies');
  }
}

try {
  await ensureBuilt();
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
const [command, ...rest] = process.argv.slice(2);
if (command !== 'build') {
  const named = PROGRAMS[command ?? ''];
  const program = join(OUTPUT, named ?? 'main.js');
  process.argv.splice(1, Infinity, program, ...(named ? rest : process.argv.slice(2)));
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(program).href);
}

// Completes package-lock.json for every platform: `npm run lock` after a change of dependencies.
// With a registry that mirrors only some platforms' binaries, npm omits the others from the lock file, and `npm ci` then
// refuses it. npm installs the added entries only where their `os`, `cpu` and `libc` match.
// Their `integrity` is taken from the registry. One that does not hold them leaves the entries without: npm cannot check such a
// package, on those platforms only. Run this with the public registry to complete them.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64'];

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));
const added = [];
for (const [at, parent] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    if (isLocked(at, name)) continue;
    lock.packages[`node_modules/${name}`] = describe(name, version, parent);
    added.push(`${name}@${version}`);
  }
}
const completed = [];
const open = [];
for (const [at, entry] of Object.entries(lock.packages)) {
  // Workspaces are entries without `node_modules`, and links to them.
  if (!at.includes('node_modules/') || entry.link || entry.integrity) continue;
  const name = entry.name ?? at.slice(at.lastIndexOf('node_modules/') + 'node_modules/'.length);
  entry.integrity = integrityOf(`${name}@${entry.version}`);
  (entry.integrity ? completed : open).push(`${name}@${entry.version}`);
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
if (added.length + completed.length > 0) writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length > 0 ? `Added: ${added.join(', ')}` : 'package-lock.json names all packages');
if (open.length > 0) console.log(`Without integrity, since this registry does not hold them: ${open.join(', ')}`);

/**
 * Returns the integrity of a package by the registry, or undefined if the registry does not hold it.
 * @param {string} spec name and version
 * @throws Error if the registry does not respond
 */
function integrityOf(spec) {
  try {
    const options = /** @type {const} */ ({ encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    return execFileSync('npm', ['view', spec, 'dist.integrity'], options).trim() || undefined;
  } catch (error) {
    if (/E404/.test(String(error.stderr))) return undefined;
    throw error;
  }
}

/**
 * Tests if the lock file contains a package where Node resolves it from `at`.
 * @param {string} at path of the package that wants it
 * @param {string} name of the wanted package
 */
function isLocked(at, name) {
  for (let base = at; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    if (`${base ? `${base}/` : ''}node_modules/${name}` in lock.packages) return true;
    if (base === '') return false;
  }
}

/**
 * Builds the entry of a platform package from its name.
 * @param {string} name
 * @param {string} version
 * @param {{ dev?: boolean }} parent
 */
function describe(name, version, parent) {
  const words = name.split(/[-/]/);
  const os = SYSTEMS.find((system) => words.includes(system));
  const cpu = PROCESSORS.find((processor) => words.includes(processor));
  if (!os || !cpu || !/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`not a platform package: ${name}@${version}`);
  const libc = words.some((word) => word.startsWith('musl'))
    ? 'musl'
    : words.some((word) => word.startsWith('gnu')) && 'glibc';
  return {
    version,
    cpu: [cpu],
    ...(parent.dev ? { dev: true } : {}),
    ...(os === 'linux' && libc ? { libc: [libc] } : {}),
    optional: true,
    os: [os],
  };
}

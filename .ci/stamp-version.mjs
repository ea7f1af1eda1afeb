// Writes the version of package.json into every other file that states it; `npm version` runs it.
// Fails if a file no longer states a version where it is expected.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const { version, workspaces } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Examples that want packages of the release. */
const examples = readdirSync(new URL('../examples', import.meta.url))
  .map((name) => `examples/${name}`)
  .filter((folder) => existsSync(new URL(`../${folder}/package.json`, import.meta.url)));

/** @type {[path: string, pattern: RegExp][]} */
const PLACES = [
  ['widget/version.ts', /(?<=VERSION = ')[^']+/],
  ['plugin-bridge/wordpress/imagewright.php', /(?<=\* Version: {11})\S+/],
  ['plugin-bridge/wordpress/imagewright.php', /(?<='IMAGEWRIGHT_VERSION', ')[^']+/],
  ['plugin-bridge/wordpress/readme.txt', /(?<=Stable tag: )\S+/],
  // Packages of one release want each other at its version.
  ...[...workspaces, ...examples].map((/** @type {string} */ folder) => [
    `${folder}/package.json`,
    /(?<=^ {2}"version": "|^ {4}"@imagewright\/\w+": ")[^"]+/gm,
  ]),
];

for (const [path, pattern] of PLACES) {
  const file = new URL(`../${path}`, import.meta.url);
  const text = readFileSync(file, 'utf8');
  if (text.search(pattern) < 0) throw new Error(`Expected ${path} to match ${pattern}`);
  writeFileSync(file, text.replace(pattern, version));
}
// npm writes only its first entry.
const lockFile = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(lockFile, 'utf8'));
for (const folder of workspaces) {
  const entry = lock.packages[folder];
  entry.version = version;
  for (const name of Object.keys(entry.dependencies ?? {})) {
    if (name.startsWith('@imagewright/')) entry.dependencies[name] = version;
  }
}
writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`Every file states version ${version}`);

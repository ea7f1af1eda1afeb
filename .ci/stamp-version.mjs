// Writes the version of package.json into every other file that states it; `npm version` runs it.
// Fails if a file no longer states a version where it is expected.
import { readFileSync, writeFileSync } from 'node:fs';

const { version, workspaces } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** @type {[path: string, pattern: RegExp][]} */
const PLACES = [
  ['widget/version.ts', /(?<=VERSION = ')[^']+/],
  ['plugin-bridge/wordpress/imagewright.php', /(?<=\* Version: {11})\S+/],
  ['plugin-bridge/wordpress/imagewright.php', /(?<='IMAGEWRIGHT_VERSION', ')[^']+/],
  ['plugin-bridge/wordpress/readme.txt', /(?<=Stable tag: )\S+/],
  // Packages of one release want each other at its version.
  ...workspaces.map((/** @type {string} */ folder) => [
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
console.log(`Every file states version ${version}`);

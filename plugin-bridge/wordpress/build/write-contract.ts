// Part of `npm run docs`: writes the PHP class with the contract's constants. With `--check` it fails if the file is stale.
import { readFile, writeFile } from 'node:fs/promises';
import { contractClass } from './contract-class.ts';

const path = 'plugin-bridge/wordpress/includes/Service/class-imagewright-contract.php';
const file = new URL('../includes/Service/class-imagewright-contract.php', import.meta.url);
const isStale = (await readFile(file, 'utf8').catch(() => '')) !== contractClass();
if (!process.argv.includes('--check')) {
  if (isStale) await writeFile(file, contractClass());
} else if (isStale) {
  console.error(`Stale: ${path}. Run \`npm run docs\` and commit what changes.`);
  process.exitCode = 1;
}

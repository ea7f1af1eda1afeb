import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Modules that start a browser, a whole service or the command line program. */
const STARTS_MORE = /\/(browser|component-page|(shared-)?service|service-process|[\w-]*rig|cli-harness)\.ts$/;
/** Tests that need WordPress or processes of their own, and those that compute for more than ten seconds. */
const LEFT_OUT = /^test\/((wordpress|crash|admin)\/|(processing\/(nasty|containers)|sign-in\/interrupted)\.)/;

const quick = new Map<string, boolean>();

/** Returns the test files that start neither a browser nor a whole service, not even by a module that they import. */
export function filesWithoutService(): string[] {
  const names = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' }).map((name) => `test/${name}`);
  return names.filter((name) => name.endsWith('.test.ts') && !LEFT_OUT.test(name) && isQuick(join(ROOT, name)));
}

function isQuick(file: string): boolean {
  const known = quick.get(file);
  if (known !== undefined) return known;
  quick.set(file, true);
  const text = readFileSync(file, 'utf8');
  // Imports of types start nothing.
  const imports = [...text.matchAll(/^import (?!type\b)[^;]*? from '(\.[^']+\.ts)';/gm)].map(([, path = '']) => path);
  const tested = imports
    .map((path) => join(dirname(file), path))
    .filter((path) => path.startsWith(join(ROOT, 'test/')));
  const result = tested.every((path) => !STARTS_MORE.test(path) && isQuick(path));
  quick.set(file, result);
  return result;
}

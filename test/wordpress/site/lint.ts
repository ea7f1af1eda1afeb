import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { wasmPhp } from './packages.ts';
import { wasmNode } from './wasm-node.ts';

const SCRIPT = fileURLToPath(new URL('../playground/lint.mjs', import.meta.url));

/** Returns the errors that `php -l` reports for PHP files. Uses WebAssembly if `php` is null. */
export async function lint(php: string | null, files: readonly string[]): Promise<string[]> {
  const { version, folder } = wasmPhp();
  const calls = php
    ? files.map((file) => [php, '-l', file])
    : [[await wasmNode(folder), SCRIPT, version, join(folder, 'node_modules'), ...files]];
  const faults: string[] = [];
  let fine = 0;
  for (const [command = '', ...args] of calls) {
    const { stdout, stderr } = await promisify(execFile)(command, args).catch((error: Answer) => error);
    const lines = `${stdout}\n${stderr}`.split('\n').filter(Boolean);
    fine += lines.filter((line) => line.startsWith('No syntax errors detected in ')).length;
    faults.push(...lines.filter((line) => !line.startsWith('No syntax errors detected in ')));
  }
  if (faults.length === 0 && fine !== files.length) faults.push(`php -l looked at ${fine} of ${files.length} files`);
  return faults;
}

interface Answer {
  stdout: string;
  stderr: string;
}

// @ts-nocheck: its package is installed by the tests that need it, beside this file
// `php -l` with PHP as WebAssembly: `node lint.mjs <version> <packages> <file>…` prints what that says and ends as it does.
import { pathToFileURL } from 'node:url';

const [version, packages, ...files] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${packages}/@php-wasm/${name}/index.js`).href);
const [{ loadNodeRuntime, useHostFilesystem }, { PHP }] = await Promise.all([load('node'), load('universal')]);

/** Before 8.3 one file at a time. */
const calls = version === '8.3' ? [files] : files.map((file) => [file]);
let status = 0;
for (const some of calls) {
  const php = new PHP(await loadNodeRuntime(version, { emscriptenOptions: { processId: process.pid } }));
  useHostFilesystem(php);
  const answer = await php.cli(['php', '-l', ...some]);
  process.stdout.write(await answer.stdoutText);
  process.stderr.write(await answer.stderrText);
  status ||= await answer.exitCode;
}
process.exit(status);

// Compiles the arithmetic of the quality score to WebAssembly and writes it as a module: `npm run kernel`. With --check it only
// says whether the module is that of its source. The compiled code is in the checkout, so that the service also runs from its sources,
// and an installation without development dependencies needs no compiler.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const folder = fileURLToPath(new URL('../server/processing/worker/score/', import.meta.url));
const target = `${folder}kernel-code.ts`;

/** @type {Uint8Array | undefined} */
let code;
const options = ['-O3', '--runtime', 'stub', '--enable', 'simd', '--enable', 'bulk-memory', '-o', 'kernel.wasm'];
const { error, stderr } = await asc.main(['kernel.ts', '--baseDir', `${folder}kernel`, ...options], {
  writeFile(_name, contents) {
    if (contents instanceof Uint8Array) code = contents;
  },
});
if (error || !code) throw new Error(`${stderr}`, { cause: error });

const module = `// Written by \`npm run kernel\` from \`kernel/kernel.ts\`.

/** The kernel of the score: ${code.length} bytes of WebAssembly with SIMD, in base64. */
export const KERNEL_CODE =
  '${Buffer.from(code).toString('base64')}';
`;
const present = readFileSync(target, 'utf8');
if (!process.argv.includes('--check')) writeFileSync(target, module);
else if (present !== module) {
  console.error('server/processing/worker/score/kernel-code.ts is not that of its source: run `npm run kernel`');
  process.exitCode = 1;
}

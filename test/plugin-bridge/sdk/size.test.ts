import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { expect, it } from 'vitest';
import * as sdk from '../../../plugin-bridge/sdk/index.ts';

/** 200 of them fetch a file from the store of the service without the key. */
const LARGEST_BYTES = 5300;

it(`weighs at most ${LARGEST_BYTES} bytes when it is built and gzipped, and imports nothing`, async () => {
  const configFile = fileURLToPath(new URL('../../../vite.config.ts', import.meta.url));
  const built = await build({ configFile, mode: 'sdk', logLevel: 'silent', build: { write: false, sourcemap: false } });
  const [chunk, ...others] = (built as Rolldown.RolldownOutput).output;
  expect(others).toEqual([]);
  expect(chunk.imports).toEqual([]);
  expect(chunk.exports.sort()).toEqual(Object.keys(sdk).sort());
  expect(gzipSync(chunk.code, { level: 9 }).length).toBeLessThanOrEqual(LARGEST_BYTES);
  // Node prints the whole line of an error that nothing catches.
  expect(Math.max(...chunk.code.split('\n').map((line) => line.length))).toBeLessThan(600);
});

it('takes types alone from the contract', async () => {
  const { glob } = await import('tinyglobby');
  const root = fileURLToPath(new URL('../../../plugin-bridge/sdk/', import.meta.url));
  const files = await glob('**/*.ts', { cwd: root, absolute: true });
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const outside = (await readFile(file, 'utf8'))
      .split(/^(?=import|export)/m)
      .filter((statement) => /from '(#contract|zod|[^.'][^']*)'/.test(statement));
    for (const statement of outside) expect(statement).toMatch(/^(import|export) type /);
  }
});

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { Findings } from './lacking.ts';
import { MAY_DEGRADE } from './may-degrade.ts';
import { checkScripts } from './scripts.ts';
import { checkSheet, sheetsOf } from './styles.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Folders whose code runs in browsers. */
const FOLDERS = [
  'widget',
  'plugin-bridge/sdk',
  'plugin-bridge/batch',
  'plugin-bridge/host',
  'plugin-bridge/wordpress/src',
];
const files = FOLDERS.flatMap((folder) =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter(
      (path) =>
        /\.(ts|css)$/.test(path) && !/node_modules|\.d\.ts$|^(build|manifest|server|conformance|folder)\//.test(path),
    )
    .map((path) => `${root}${folder}/${path}`),
);

it('every promised browser knows the styles, or the list says what happens without', () => {
  const findings = new Findings();
  for (const file of files) {
    for (const sheet of sheetsOf(file, readFileSync(file, 'utf8')))
      checkSheet(sheet, file.slice(root.length), findings);
  }
  expect(findings.beside(MAY_DEGRADE.styles)).toEqual([]);
});

it('every promised browser knows what the scripts call, or the list says what happens without', () => {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const findings = new Findings();
  checkScripts(
    files.filter((file) => file.endsWith('.ts')),
    options,
    root,
    findings,
  );
  expect(findings.beside(MAY_DEGRADE.scripts)).toEqual([]);
});

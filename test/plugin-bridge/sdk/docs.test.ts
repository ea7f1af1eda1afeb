import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Compiles examples as if each were a file beside the page; returns what the compiler complains of. */
function compile(examples: string[]): string[] {
  const config = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
  const files = new Map(examples.map((text, index) => [join(ROOT, 'docs', `example-${index + 1}.ts`), text]));
  const host = ts.createCompilerHost(options);
  const { readFile: read, fileExists } = host;
  host.readFile = (name) => files.get(name) ?? read(name);
  host.fileExists = (name) => files.has(name) || fileExists(name);
  const source = host.getSourceFile;
  host.getSourceFile = (name, ...rest) => {
    const text = files.get(name);
    return text === undefined ? source(name, ...rest) : ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true);
  };
  const program = ts.createProgram({ rootNames: [...files.keys()], options, host });
  return [...files.keys()]
    .flatMap((name) => ts.getPreEmitDiagnostics(program, program.getSourceFile(name)))
    .map(({ file, start = 0, messageText }) => {
      const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
      return `${file?.fileName.slice(dirname(ROOT).length)}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
}

it('has examples that compile', async () => {
  const page = await readFile(join(ROOT, 'docs/sdk.md'), 'utf8');
  const examples = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
  expect(examples.length).toBeGreaterThan(3);
  expect(compile(examples)).toEqual([]);
}, 60_000);

it('is compiled strictly', () => {
  const wrong = `import { createClient } from '../plugin-bridge/sdk/index.ts';
    createClient({ endpoint: '' }).checkCredits({ imageCount: 'three' });`;
  expect(compile([wrong])).toEqual([expect.stringContaining("Type 'string' is not assignable to type 'number'")]);
}, 60_000);

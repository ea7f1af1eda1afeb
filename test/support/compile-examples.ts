import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Sources of the packages that examples import. */
const PACKAGES = {
  '@imagewright/sdk': ['./plugin-bridge/sdk/index.ts'],
  '@imagewright/host': ['./plugin-bridge/host/index.ts'],
  '@imagewright/host/server': ['./plugin-bridge/host/server/index.ts'],
  '@imagewright/host/conformance': ['./plugin-bridge/host/conformance/index.ts'],
  '@imagewright/engine': ['./server/processing/index.ts'],
  '@imagewright/unplugin': ['./plugin-bridge/unplugin/index.ts'],
  '@imagewright/element/define': ['./widget/define.ts'],
  '@imagewright/element': ['./widget/index.ts'],
};

/** The TypeScript examples of a page below the repository, in their order. */
export async function readExamples(page: string): Promise<string[]> {
  const text = await readFile(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
}

/** Compiles examples, with all strictness that projects may have, as if each were a file in `docs`; returns what the compiler complains of. */
export function compileExamples(examples: string[]): string[] {
  const config = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options: ours } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
  const options = { ...ours, exactOptionalPropertyTypes: true, paths: { ...ours.paths, ...PACKAGES } };
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

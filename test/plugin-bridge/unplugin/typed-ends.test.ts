import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { imageImports } from '../../../plugin-bridge/pack/image-imports.ts';
import { adviceOnTypes } from '../../../plugin-bridge/unplugin/typed-ends.ts';

/** Compiles an import as a project with the types of the plugin; returns the codes of what the compiler complains of. */
function compile(source: string): number[] {
  const files = new Map([
    ['/main.ts', `import image from '${source}';\nexport const width: number = image.width;\n`],
    ['/client.d.ts', imageImports().replaceAll("import('@imagewright/unplugin').OptimizedImage", '{ width: number }')],
  ]);
  const options = { strict: true, noLib: true, types: [], moduleResolution: ts.ModuleResolutionKind.Bundler };
  const host = ts.createCompilerHost({ ...options, module: ts.ModuleKind.ESNext });
  host.getSourceFile = (name, target) => ts.createSourceFile(name, files.get(name) ?? '', target, true);
  host.fileExists = (name) => files.has(name);
  const program = ts.createProgram([...files.keys()], { ...options, module: ts.ModuleKind.ESNext }, host);
  return program.getSemanticDiagnostics(program.getSourceFile('/main.ts')).map(({ code }) => code);
}

const TYPED = ['?imagewright', '?widths=480&imagewright', '?imagewright&formats=webp', '?imagewright&preset=low'];
const UNTYPED = [
  '?imagewright&widths=480',
  '?imagewright&formats=webp&widths=480;960',
  '?imagewright&max-width=900',
  '?imagewright&formats=avif,webp',
];

describe('the type of an import', () => {
  it.each(TYPED)('is known by its end: %s', (query) => {
    expect(compile(`./beach.jpg${query}`)).toEqual([]);
    expect(adviceOnTypes(`./beach.jpg${query}`, '/src/main.ts')).toBeUndefined();
  });

  it.each(UNTYPED)('is not known otherwise, which the build says together with the way to write it: %s', (query) => {
    expect(compile(`./beach.jpg${query}`)).toEqual([2307]);
    const advice = adviceOnTypes(`./beach.jpg${query}`, '/src/page.tsx');
    const written = /such as '(.*)'$/.exec(advice ?? '')?.[1] ?? '';
    expect(compile(written)).toEqual([]);
    const sorted = (source: string) => [...new URLSearchParams(source.slice(source.indexOf('?')))].sort();
    expect(sorted(written)).toEqual(sorted(query));
  });

  it('is of no use to other files than those of TypeScript', () => {
    expect(adviceOnTypes('./beach.jpg?imagewright&widths=480', '/src/main.js')).toBeUndefined();
    expect(adviceOnTypes('./beach.jpg?imagewright&widths=480', undefined)).toBeUndefined();
  });
});

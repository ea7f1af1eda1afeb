import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expandContract } from './expand-contract.ts';
import { flattenElement } from './flatten-element.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const CONTRACT = 'server/contract/index.ts';
const ELEMENT = 'widget/elements/image-optimizer/image-optimizer.ts';
/** Packages that declarations may import. */
const ALLOWED = /^(node:|react$|vue$)/;
const IMPORT = /((?:from|import)\s*\(?\s*)(["'])([^"']+)\2/g;

/** Writes the declarations of modules, and of what they import, for a package. */
export interface Declarations {
  /**
   * @param entries paths below the repository
   * @param folder of the package; the declarations are in `types` in it, under the same paths
   */
  write(entries: readonly string[], folder: string): Promise<void>;
}

/** Reads the sources for the declarations of all packages. @param entries paths below the repository */
export function readDeclarations(entries: readonly string[]): Declarations {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => readFileSync(path, 'utf8'));
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const program = ts.createProgram(
    [...entries, CONTRACT].map((path) => join(root, path)),
    {
      ...options,
      ...{
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        stripInternal: true,
        outDir: '/out',
        rootDir: root,
      },
    },
  );
  return { write: (wanted, folder) => writeDeclarations(program, wanted, folder) };
}

async function writeDeclarations(program: ts.Program, entries: readonly string[], folder: string): Promise<void> {
  const names = new Set<string>();
  const files = new Map<string, string>();
  const waiting = [...entries];
  for (let path = waiting.shift(); path; path = waiting.shift()) {
    if (files.has(path)) continue;
    const text = withoutUnusedImports(declarationOf(program, path));
    for (const name of contractNames(text)) names.add(name);
    const written = text.replace(IMPORT, (_, before: string, quote: string, source: string) => {
      return `${before}${quote}${rewrite(source, path, waiting)}${quote}`;
    });
    files.set(path, written);
  }
  const front = sourceOf(program, CONTRACT);
  if (names.size > 0) files.set('contract.ts', expandContract(program, front, names));
  for (const [path, text] of files) {
    if (/\bzod\b|\w+Schema\b/.test(text)) throw new Error(`The declaration of ${path} would name a schema`);
    const target = join(folder, 'types', path.replace(/(\.d)?\.ts$/, '.d.ts'));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }
}

/** Removes imported names that only internal declarations used. */
function withoutUnusedImports(text: string): string {
  return text.replace(/^import (?:type )?{([^}]*)} from '[^']+';\n/gm, (statement, list: string) => {
    const names = list
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
    const used = names.filter((name) => {
      const local = name.split(' ').pop() ?? '';
      return text.replaceAll(statement, '').search(new RegExp(`\\b${local}\\b`)) >= 0;
    });
    return used.length > 0 ? statement.replace(list, ` ${used.join(', ')} `) : '';
  });
}

/** Returns the specifier of an import in a package; a module of the repository is put on the list of those to write. */
function rewrite(source: string, from: string, waiting: string[]): string {
  const up = posix.relative(posix.dirname(from), '.') || '.';
  if (source.startsWith('#contract')) return `${up}/contract.js`;
  if (!source.startsWith('.')) {
    if (ALLOWED.test(source)) return source;
    throw new Error(`The declaration of ${from} would need ${source}`);
  }
  waiting.push(posix.join(posix.dirname(from), source));
  return source.replace(/(\.d)?\.ts$/, '.js');
}

/** Lists the types that a declaration takes from the contract. */
function contractNames(text: string): string[] {
  const imports = [...text.matchAll(/(?:import|export) (?:type )?{([^}]*)} from '#contract[^']*'/g)];
  const inline = [...text.matchAll(/import\("#contract[^"]*"\)\.(\w+)/g)].map(([, name = '']) => name);
  const listed = imports.flatMap(([, list = '']) =>
    list.split(',').map((part) => part.replace(/\btype\b|\bas\b.*/g, '').trim()),
  );
  return [...listed, ...inline].filter(Boolean);
}

function declarationOf(program: ts.Program, path: string): string {
  if (path.endsWith('.d.ts')) return readFileSync(join(root, path), 'utf8');
  const emit = (one: string): string => {
    let text = '';
    program.emit(
      sourceOf(program, one),
      (_name, written) => {
        text = written;
      },
      undefined,
      true,
    );
    if (!text) throw new Error(`No declaration of ${one}`);
    return text;
  };
  return path === ELEMENT ? flattenElement(path, emit) : emit(path);
}

function sourceOf(program: ts.Program, path: string): ts.SourceFile {
  const source = program.getSourceFile(join(root, path));
  if (!source) throw new Error(`${relative(root, path)} is not part of the program`);
  return source;
}

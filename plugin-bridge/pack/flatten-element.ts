import { posix } from 'node:path';
import ts from 'typescript';

/** Members of Lit's life cycle, which pages do not call. */
const LIFE_CYCLE = /^(connectedCallback|disconnectedCallback|styles|properties)$/;

/**
 * Declares the public element as one class of the platform, with all that pages may use of its base classes: a package
 * that contains Lit needs no types of it.
 * @param path of the module of the element
 * @param emit returns the declaration of a module
 */
export function flattenElement(path: string, emit: (path: string) => string): string {
  const imports = new Map<string, string>();
  const members: string[] = [];
  const others: string[] = [];
  let head = '';
  for (let next: string | undefined = path; next; ) {
    const file = ts.createSourceFile(next, emit(next), ts.ScriptTarget.Latest, true);
    const folder = posix.dirname(next);
    next = undefined;
    for (const statement of file.statements) {
      if (ts.isImportDeclaration(statement)) {
        for (const [name, source] of importsOf(statement, folder)) imports.set(name, source);
      } else if (ts.isClassDeclaration(statement)) {
        head ||= commentOf(statement);
        members.unshift(...statement.members.filter(isPublic).map((member) => member.getFullText().trimEnd()));
        const base = statement.heritageClauses?.[0]?.types[0]?.getText() ?? '';
        const source = imports.get(base);
        next = source?.startsWith('.') ? posix.join(posix.dirname(path), source) : undefined;
      } else others.push(statement.getFullText().trim());
    }
  }
  const text = [
    `${head}export declare class ImageOptimizer extends HTMLElement {${members.join('')}`,
    '    /** Resolves when the element shows its present properties. */\n    readonly updateComplete: Promise<boolean>;\n}',
    ...others.filter((one) => one !== 'export {};'),
  ].join('\n');
  const used = [...imports].filter(([name]) => new RegExp(`\\b${name}\\b`).test(text));
  return `${used.map(([name, source]) => `import type { ${name} } from '${source}';\n`).join('')}${text}\n`;
}

/** Lists the imported names with their modules, as seen from the module of the element. */
function importsOf(statement: ts.ImportDeclaration, folder: string): [name: string, source: string][] {
  const bindings = statement.importClause?.namedBindings;
  const source = (statement.moduleSpecifier as ts.StringLiteral).text;
  if (!bindings || !ts.isNamedImports(bindings)) return [];
  // All modules of the element are in one folder.
  if (source.startsWith('.') && !folder.endsWith('/image-optimizer')) throw new Error(`unexpected folder ${folder}`);
  return bindings.elements.map((element) => [element.name.text, source]);
}

function isPublic(member: ts.ClassElement): boolean {
  if (ts.isConstructorDeclaration(member)) return false;
  const modifiers = ts.canHaveModifiers(member) ? (ts.getModifiers(member) ?? []) : [];
  if (modifiers.some(({ kind }) => kind === ts.SyntaxKind.ProtectedKeyword || kind === ts.SyntaxKind.PrivateKeyword))
    return false;
  const name = member.name?.getText() ?? '#';
  return !name.startsWith('#') && !LIFE_CYCLE.test(name);
}

function commentOf(node: ts.Node): string {
  return node
    .getFullText()
    .slice(0, node.getStart() - node.getFullStart())
    .trimStart();
}

import { dirname } from 'node:path';
import ts from 'typescript';

const FLAGS = ts.NodeBuilderFlags.InTypeAlias | ts.NodeBuilderFlags.NoTruncation;

/**
 * Declares types of the contract without its schemas: each as what TypeScript makes of it, a generic one as it is written.
 * Adds the types that those name.
 * @throws Error for a name that the contract does not have
 */
export function expandContract(program: ts.Program, front: ts.SourceFile, names: Iterable<string>): string {
  const checker = program.getTypeChecker();
  const printer = ts.createPrinter();
  const aliases = aliasesIn(program, dirname(front.fileName));
  const declared = new Map<string, string>();
  const declare = (name: string): void => {
    if (declared.has(name)) return;
    const alias = aliases.get(name);
    if (!alias) throw new Error(`The contract has no type ${name}`);
    const symbol = checker.getSymbolAtLocation(alias.name);
    const expanded = alias.typeParameters
      ? undefined
      : checker.typeToTypeNode(checker.getTypeAtLocation(alias.name), undefined, FLAGS);
    const text = expanded
      ? `export type ${name} = ${printer.printNode(ts.EmitHint.Unspecified, expanded, front)};`
      : alias.getText();
    declared.set(name, `${symbol ? commentOf(symbol, checker) : ''}${text}`);
    for (const other of namedIn(expanded ?? alias.type)) if (aliases.has(other)) declare(other);
  };
  for (const name of [...names].sort()) declare(name);
  return `${[...declared.values()].join('\n')}\n`;
}

/** Returns the type aliases in the modules of a folder, by their names. */
function aliasesIn(program: ts.Program, folder: string): Map<string, ts.TypeAliasDeclaration> {
  const modules = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${folder}/`));
  const aliases = modules.flatMap(({ statements }) => statements.filter(ts.isTypeAliasDeclaration));
  return new Map(aliases.map((alias) => [alias.name.text, alias]));
}

function commentOf(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  return text ? `/** ${text.replace(/\s+/g, ' ')} */\n` : '';
}

/** Lists the names of types in a type. */
function namedIn(node: ts.Node): string[] {
  const names: string[] = [];
  const visit = (part: ts.Node): void => {
    if (ts.isTypeReferenceNode(part) && ts.isIdentifier(part.typeName)) names.push(part.typeName.text);
    ts.forEachChild(part, visit);
  };
  visit(node);
  return names;
}

import ts from 'typescript';

const FLAGS = ts.NodeBuilderFlags.InTypeAlias | ts.NodeBuilderFlags.NoTruncation;

/**
 * Declares types of the contract without its schemas: each as what TypeScript makes of it, a generic one as it is written.
 * Adds the types that those name.
 * @throws Error for a name that the contract does not have, and if a schema would remain
 */
export function expandContract(program: ts.Program, front: ts.SourceFile, names: Iterable<string>): string {
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(front);
  const found = new Map((module ? checker.getExportsOfModule(module) : []).map((symbol) => [symbol.name, symbol]));
  const declared = new Map<string, string>();
  const printer = ts.createPrinter();
  const print = (type: ts.Type): string => {
    const node = checker.typeToTypeNode(type, undefined, FLAGS);
    return node ? printer.printNode(ts.EmitHint.Unspecified, node, front) : 'never';
  };
  const declare = (name: string): void => {
    if (declared.has(name)) return;
    const exported = found.get(name);
    if (!exported) throw new Error(`The contract has no type ${name}`);
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const node = symbol.declarations?.find(ts.isTypeAliasDeclaration);
    const isGeneric = node?.typeParameters !== undefined;
    const text =
      node && isGeneric ? node.getText() : `export type ${name} = ${print(checker.getDeclaredTypeOfSymbol(symbol))};`;
    declared.set(name, `${commentOf(symbol, checker)}${text}`);
    if (node && isGeneric) for (const other of namedIn(node.type)) if (found.has(other)) declare(other);
  };
  for (const name of [...names].sort()) declare(name);
  return `${[...declared.values()].join('\n')}\n`;
}

function commentOf(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  return text ? `/** ${text.replace(/\s+/g, ' ')} */\n` : '';
}

function namedIn(node: ts.Node): string[] {
  const own = ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName) ? [node.typeName.text] : [];
  return [...own, ...node.getChildren().flatMap(namedIn)];
}

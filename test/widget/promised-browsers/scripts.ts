import type { CompatStatement, Identifier } from '@mdn/browser-compat-data';
import ts from 'typescript';
import { DATA, type Findings } from './lacking.ts';

/** Returns what MDN knows about a member of a global object, e.g. `HTMLElement` and `showPopover`. */
function entryOf(owner: string, member: string): Identifier | undefined {
  const name = owner.replace(/Constructor$|EventMap$/, '');
  for (const group of [DATA.api, DATA.javascript.builtins as Identifier]) {
    const entry = (group[name] as Identifier | undefined)?.[member] as Identifier | undefined;
    if (entry?.__compat) return entry;
  }
  return undefined;
}

/** Returns the names of a type and of those that it extends. */
function* namesOf(type: ts.Type): Generator<string> {
  for (const one of type.isUnionOrIntersection() ? type.types : [type]) {
    const symbol = one.getSymbol();
    if (symbol) yield symbol.name;
    for (const base of one.getBaseTypes() ?? []) yield* namesOf(base);
  }
}

/** Notes each method, property and global of the platform that scripts use and a promised browser lacks. */
export function checkScripts(files: string[], options: ts.CompilerOptions, root: string, findings: Findings): void {
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  const isPlatform = (symbol: ts.Symbol | undefined) =>
    symbol?.declarations?.some((one) => program.isSourceFileDefaultLibrary(one.getSourceFile())) ?? false;
  for (const file of files) {
    const source = program.getSourceFile(file);
    const name = file.slice(root.length);
    const note = (feature: string, entry: Identifier | undefined) =>
      findings.note(feature, entry?.__compat as CompatStatement | undefined, name);
    const visit = (node: ts.Node): void => {
      if (ts.isPropertyAccessExpression(node) && isPlatform(checker.getSymbolAtLocation(node.name))) {
        const member = node.name.text;
        const apparent = checker.getApparentType(
          checker.getNonNullableType(checker.getTypeAtLocation(node.expression)),
        );
        for (const owner of namesOf(apparent)) note(`${owner}.${member}`, entryOf(owner, member));
      }
      if (ts.isIdentifier(node) && isPlatform(checker.getSymbolAtLocation(node)) && !ts.isTypeNode(node.parent)) {
        note(node.text, (DATA.api[node.text] ?? DATA.javascript.builtins?.[node.text]) as Identifier | undefined);
      }
      ts.forEachChild(node, visit);
    };
    if (source) visit(source);
  }
}

import type { CompatStatement, Identifier } from '@mdn/browser-compat-data';
import { type CssNode, parse, walk } from 'css-tree';
import ts from 'typescript';
import { DATA, type Findings } from './lacking.ts';

const { properties, selectors, types, 'at-rules': atRules } = DATA.css as Record<string, Record<string, Identifier>>;

/** Returns the style sheets in a module: its templates of the tag `css`. Inserted parts stand in other modules. */
export function sheetsOf(file: string, text: string): string[] {
  if (file.endsWith('.css')) return [text];
  const sheets: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'css') {
      const { template } = node;
      const parts = ts.isTemplateExpression(template)
        ? [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)]
        : [template.text];
      sheets.push(parts.join(' '));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return sheets;
}

/** Notes each property, value, selector, function and rule of a style sheet that a promised browser lacks. */
export function checkSheet(sheet: string, file: string, findings: Findings): void {
  const note = (feature: string, entry: Identifier | undefined) =>
    findings.note(feature, entry?.__compat as CompatStatement | undefined, file);
  walk(parse(sheet, { parseCustomProperty: true, onParseError: () => {} }), function (node: CssNode) {
    if (node.type === 'PseudoClassSelector') note(`:${node.name}`, selectors?.[node.name]);
    if (node.type === 'PseudoElementSelector') note(`::${node.name}`, selectors?.[node.name]);
    if (node.type === 'NestingSelector') note('&', selectors?.nesting);
    if (node.type === 'Atrule') note(`@${node.name}`, atRules?.[node.name]);
    if (node.type === 'Feature') note(`@media (${node.name})`, atRules?.media?.[node.name]);
    if (node.type === 'Function') {
      for (const group of Object.values(types ?? {}))
        note(`${node.name}()`, group[node.name] as Identifier | undefined);
    }
    if (node.type === 'Declaration') note(node.property, properties?.[node.property]);
    const property = this.declaration?.property;
    if (property && node.type === 'Identifier') note(`${property}: ${node.name}`, properties?.[property]?.[node.name]);
    if (property && node.type === 'Function') note(`${property}: ${node.name}()`, properties?.[property]?.[node.name]);
  });
}

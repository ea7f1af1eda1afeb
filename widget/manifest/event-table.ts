import { readFile } from 'node:fs/promises';
import ts from 'typescript';
import { CANCELABLE_EVENTS } from '../state/event-details.ts';
import { elementsForPages, type Manifest } from './analyze-elements.ts';

const DETAILS = new URL('../state/event-details.ts', import.meta.url);
const PAGE = new URL('../../docs/embedding.md', import.meta.url);
const BEGIN = '<!-- Events: written by `npm run manifest`. -->\n';
const END = '<!-- End of the events. -->\n';

/** Returns docs/embedding.md with the table of the element's events as the manifest and their types are. @throws Error without its marks */
export async function pageWithEvents(manifest: Manifest): Promise<string> {
  const page = await readFile(PAGE, 'utf8');
  const [before, rest = ''] = page.split(BEGIN);
  const [, after] = rest.split(END);
  if (after === undefined) throw new Error('docs/embedding.md has no marks around the table of events');
  return `${before}${BEGIN}\n${await eventTable(manifest)}\n${END}${after}`;
}

async function eventTable(manifest: Manifest): Promise<string> {
  const [element] = elementsForPages(manifest);
  const details = await readDetails();
  const rows = (element?.events ?? []).map(({ name, description = '' }) => {
    const isCancelable = CANCELABLE_EVENTS.some((one) => one === name);
    const says = description.replace(/ Cancelable[.;]/, '');
    return `| \`${name}\` | ${says} | \`${details.get(name) ?? ''}\` | ${isCancelable ? 'yes' : ''} |`;
  });
  return ['| event | when | `detail` | can be cancelled |', '|---|---|---|---|', ...rows, ''].join('\n');
}

/** Reads the types of the details, each in a line. Interfaces of the same file are written out. */
async function readDetails(): Promise<Map<string, string>> {
  const source = ts.createSourceFile('event-details.ts', await readFile(DETAILS, 'utf8'), ts.ScriptTarget.ESNext, true);
  const interfaces = new Map(
    source.statements.filter(ts.isInterfaceDeclaration).map((one) => [one.name.text, one.members] as const),
  );
  const inLine = (members: ts.NodeArray<ts.TypeElement>) =>
    `{ ${members
      .map((member) =>
        member
          .getText(source)
          .replace(/;$/, '')
          .replace(/\/\*\*.*?\*\/\s*/gs, ''),
      )
      .join('; ')} }`;
  const textOf = (type: ts.TypeNode | undefined): string => {
    const named = type && interfaces.get(type.getText(source));
    if (named) return inLine(named);
    return type && ts.isTypeLiteralNode(type) ? inLine(type.members) : (type?.getText(source) ?? '');
  };
  const events = [...(interfaces.get('EventDetails') ?? [])];
  return new Map(
    events
      .filter(ts.isPropertySignature)
      .map((one) => [
        ts.isStringLiteral(one.name) ? one.name.text : one.name.getText(source),
        textOf(one.type).replaceAll('|', '\\|'),
      ]),
  );
}

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import MagicString from 'magic-string';
import type { Plugin } from 'vite';

interface Node {
  type: string;
  start: number;
  end: number;
  init?: Node | null;
  declaration?: { declarations?: { init?: Node | null }[] } | null;
  properties?: Node[];
  key?: Node;
  value?: unknown;
  name?: string;
  source?: Node;
  specifiers?: { local?: Node }[];
  argument?: Node;
  callee?: Node;
  arguments?: Node[];
  expression?: Node;
}

/** Characters that plural forms have to share before they are written once. */
const LEAST_SHARED = 3;

/** A language, or a part of one in the folder of its name. */
const LANGUAGE = /\/widget\/i18n\/[a-z-]+\.ts$/;

/** File of tables of texts in all languages, and the functions of each, of which `errorTexts('de')` spreads one column. */
const TABLES = { file: 'error-texts.ts', columns: ['coreErrorTexts', 'errorTexts'] };

/**
 * Writes the texts of a language as one text, a line each below the first part of their keys, which `unpackTexts` reads:
 * without the quotation marks and repeated parts of an object, a language is 400 bytes smaller (gzip). Parts from the
 * folder of the language are written into it; others stay modules of their own.
 */
export function packTexts(): Plugin {
  return {
    name: 'pack-texts',
    transform(code, id) {
      if (!LANGUAGE.test(id) || !/export const \w+(: \w+)? = \{/.test(code)) return null;
      const changed = new MagicString(code);
      const { body } = this.parse(code) as unknown as { body: Node[] };
      const read = (file: string) => {
        this.addWatchFile(file);
        return (this.parse(readFileSync(file, 'utf8'), { lang: 'ts' }) as unknown as { body: Node[] }).body;
      };
      const parts = new Map(body.flatMap((node) => importedParts(node, dirname(id))));
      let packed = false;
      for (const object of objectsOf(body)) {
        const { texts, others } = readObject(object, (spread) => {
          const table = TABLES.columns.indexOf(spread?.callee?.name ?? '');
          if (spread && table !== -1) return columnOf(objectsOf(read(join(dirname(id), TABLES.file)))[table], spread);
          const file = parts.get(spread?.name ?? '');
          return file ? objectsOf(read(file))[0] : undefined;
        });
        if (texts.some((text) => text === null)) continue;
        const kept = others.map(({ start, end }) => code.slice(start, end));
        const source = `...unpackTexts(\`${writeTexts(texts as [string, string][]).replace(/[`\\$]/g, '\\$&')}\`)`;
        changed.update(object.start, object.end, `{ ${[...kept, source].join(', ')} }`);
        packed = true;
      }
      if (!packed) return null;
      changed.prepend(`import { unpackTexts } from './unpack-texts.ts';\n`);
      return { code: changed.toString(), map: changed.generateMap({ hires: 'boundary' }) };
    },
  };
}

/** Returns the names that an import takes from the folder of a language, with the path of their file. */
function importedParts({ type, source, specifiers = [] }: Node, folder: string): [string, string][] {
  const path = source?.value;
  if (type !== 'ImportDeclaration' || typeof path !== 'string' || !/^\.\/[a-z-]+\/[a-z-]+\.ts$/.test(path)) return [];
  return specifiers.map(({ local }) => [local?.name ?? '', join(folder, path)]);
}

/** Returns the objects that a module exports. */
function objectsOf(body: readonly Node[]): Node[] {
  return body.flatMap(({ declaration }) => {
    let object = declaration?.declarations?.[0]?.init;
    while (object?.expression && /^TS(Satisfies|As)Expression$/.test(object.type)) object = object.expression;
    return object?.type === 'ObjectExpression' ? [object] : [];
  });
}

/** Returns the texts of an object with those of its parts, null for what is none, and what else it spreads. */
function readObject(
  object: Node,
  partOf: (spread: Node | undefined) => Node | undefined,
): { texts: ([string, string] | null)[]; others: Node[] } {
  const others: Node[] = [];
  const texts = (object.properties ?? []).flatMap((property) => {
    if (property.type !== 'SpreadElement') return [readText(property)];
    const part = partOf(property.argument ?? undefined);
    if (part) return readObject(part, partOf).texts;
    others.push(property);
    return [];
  });
  return { texts, others };
}

/** Returns the column of a table that a call names, as an object of texts. */
function columnOf(table: Node | undefined, { arguments: [language] = [] }: Node): Node {
  if (!table) throw new Error(`Expected a table of texts in ${TABLES.file}`);
  const properties = (table.properties ?? []).flatMap((row) => {
    const cell = (row.value as Node).properties?.find(({ key }) => key?.name === language?.value);
    return cell ? { ...row, value: cell.value } : [];
  });
  return { type: 'ObjectExpression', start: 0, end: 0, properties };
}

/** Returns key and text of a property; null if it is anything else. */
function readText({ key, value }: Node): [string, string] | null {
  const name = key?.name ?? key?.value;
  const text = (value as Node).value;
  return typeof name === 'string' && typeof text === 'string' && !/[\n#~[\]]|\{\w+\}\w/.test(text)
    ? [name, text]
    : null;
}

/** Writes sections: a line with the part of the keys before the first point, then key and text of each. `#` stands for `{count}`, `~` for `{name}`, `{size` for `{size}`. */
export function writeTexts(texts: readonly [string, string][]): string {
  const sections = new Map<string, string[]>([['', []]]);
  for (const [key, text] of texts) {
    const [, section = '', rest = ''] = /^([^.]*)\.(.*)$/.exec(key) ?? [key, '', key];
    const lines = sections.get(section) ?? [];
    sections.set(section, [...lines, `${rest} ${shareParts(text)}`]);
  }
  const lines = [...sections].flatMap(([section, own]) => [section, ...own]);
  return lines
    .join('\n')
    .replaceAll('{count}', '#')
    .replaceAll('{name}', '~')
    .replace(/(\{\w+)\}/g, '$1');
}

/** Writes what all plural forms begin and end with once: `# image|# images` is `# image[|s]`. */
function shareParts(text: string): string {
  const forms = text.split('|');
  const shortest = Math.min(...forms.map(({ length }) => length));
  const all = (part: (form: string) => string) => new Set(forms.map(part)).size === 1;
  let head = 0;
  while (head < shortest && all((form) => form.charAt(head))) head += 1;
  let tail = 0;
  while (tail < shortest - head && all((form) => form.charAt(form.length - 1 - tail))) tail += 1;
  if (forms.length === 1 || head + tail < LEAST_SHARED) return text;
  const [form = ''] = forms;
  const own = forms.map((each) => each.slice(head, each.length - tail));
  return `${form.slice(0, head)}[${own.join('|')}]${form.slice(form.length - tail)}`;
}

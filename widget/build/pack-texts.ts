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
}

/** Characters that plural forms have to share before they are written once. */
const LEAST_SHARED = 3;

/**
 * Writes the texts of a language as one text, a line each below the first part of their keys, which `unpackTexts` reads:
 * without the quotation marks and repeated parts of an object, a language is 400 bytes smaller (gzip).
 */
export function packTexts(): Plugin {
  return {
    name: 'pack-texts',
    transform(code, id) {
      if (!/\/widget\/i18n\/[a-z-]+\.ts$/.test(id) || !/export const \w+ = \{/.test(code)) return null;
      const changed = new MagicString(code);
      const { body } = this.parse(code) as unknown as { body: Node[] };
      let packed = false;
      for (const { declaration } of body) {
        const object = declaration?.declarations?.[0]?.init;
        if (object?.type !== 'ObjectExpression' || !object.properties) continue;
        const spreads = object.properties.filter(({ type }) => type === 'SpreadElement');
        const texts = object.properties.filter(({ type }) => type !== 'SpreadElement').map(readText);
        if (texts.some((text) => text === null)) continue;
        const parts = spreads.map(({ start, end }) => code.slice(start, end));
        const source = `...unpackTexts(\`${writeTexts(texts as [string, string][]).replace(/[`\\$]/g, '\\$&')}\`)`;
        changed.update(object.start, object.end, `{ ${[...parts, source].join(', ')} }`);
        packed = true;
      }
      if (!packed) return null;
      changed.prepend(`import { unpackTexts } from './unpack-texts.ts';\n`);
      return { code: changed.toString(), map: changed.generateMap({ hires: 'boundary' }) };
    },
  };
}

/** Returns key and text of a property; null if it is anything else. */
function readText({ key, value }: Node): [string, string] | null {
  const name = key?.name ?? key?.value;
  const text = (value as Node).value;
  return typeof name === 'string' && typeof text === 'string' && !/[\n#[\]]/.test(text) ? [name, text] : null;
}

/** Writes sections: a line with the part of the keys before the first point, then key and text of each. `#` stands for `{count}`. */
export function writeTexts(texts: readonly [string, string][]): string {
  const sections = new Map<string, string[]>([['', []]]);
  for (const [key, text] of texts) {
    const [, section = '', rest = ''] = /^([^.]*)\.(.*)$/.exec(key) ?? [key, '', key];
    const lines = sections.get(section) ?? [];
    sections.set(section, [...lines, `${rest} ${shareParts(text)}`]);
  }
  const lines = [...sections].flatMap(([section, own]) => [section, ...own]);
  return lines.join('\n').replaceAll('{count}', '#');
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

// What the builds of vite.config.ts do beside bundling, so that what browsers load of the widget is small.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const widget = fileURLToPath(new URL('..', import.meta.url));

interface Node {
  type: string;
  start: number;
  end: number;
  tag?: { name?: string };
  quasi?: { quasis: Node[] };
}

/** Shortens the widget's templates of HTML and CSS, which no minifier looks into, and private custom properties. */
export function shortTemplates(): Plugin {
  let names = new Map<string, string>();
  return {
    name: 'short-templates',
    buildStart() {
      names = shortNames();
    },
    transform(code, id) {
      if (!/\/widget\/.*\.ts$/.test(id)) return null;
      const pieces: { start: number; end: number; text: string }[] = [];
      const visit = (value: unknown): void => {
        if (typeof value !== 'object' || value === null) return;
        const node = value as Node;
        if (node.type === 'TaggedTemplateExpression' && /^(css|html|svg)$/.test(node.tag?.name ?? '')) {
          for (const { start, end } of node.quasi?.quasis ?? []) {
            pieces.push({ start, end, text: shorten(code.slice(start, end), node.tag?.name === 'css') });
          }
        }
        for (const part of Object.values(node)) visit(part);
      };
      if (/(css|html|svg)`/.test(code)) visit(this.parse(code));
      // From the end, so that places before stay where they are. Lines move, and no source map is worth their number.
      pieces.sort((a, b) => b.start - a.start);
      const short = pieces.reduce(
        (text, piece) => text.slice(0, piece.start) + piece.text + text.slice(piece.end),
        code,
      );
      return { code: short.replace(PRIVATE_PROPERTY, (name) => names.get(name) ?? name), map: null };
    },
  };
}

/** Leaves one space where there were several; in CSS none around punctuation, and no comments. */
function shorten(text: string, isCss: boolean): string {
  if (!isCss) return text.replace(/\s+/g, ' ').replace(/="([\w-]+)"(?=[ >])/g, '=$1');
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/\b0\.(?=\d)/g, '.')
    .replace(/;}/g, '}');
}

/** A custom property of the widget's own: pages set the public ones, which begin with `--io-`. */
const PRIVATE_PROPERTY = /--_[a-z][a-z0-9-]*/g;

/** `--_a`, `--_b` … for the names in all sources: every file of a build, and every build, has the same. */
function shortNames(): Map<string, string> {
  const found = sources().flatMap((path) => readFileSync(path, 'utf8').match(PRIVATE_PROPERTY) ?? []);
  const names = [...new Set(found)].sort();
  return new Map(names.map((name, index) => [name, `--_${(index + 10).toString(36)}`]));
}

function sources(): string[] {
  return readdirSync(widget, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(widget, path));
}

/** True for the path of a module that stays a file of its own. */
type Apart = (path: string) => boolean;

/**
 * What is loaded later elsewhere is part of the one script: imported at its head, not wrapped up until it is asked for.
 * Languages stay files of their own.
 */
export function importsAtOnce(isApart: Apart): Plugin {
  return {
    name: 'imports-at-once',
    transform(code, id) {
      if (!/\/widget\/.*\.ts$/.test(id)) return null;
      const heads: string[] = [];
      const atOnce = (what: string, source: string) => heads.push(`import ${what} from '${source}';`);
      const body = code
        .replace(/const (\{[^}]*\}) = await import\(["']([^"']+)["']\);/g, (whole, names: string, source: string) => {
          if (isApart(source)) return whole;
          atOnce(names, source);
          return '';
        })
        .replace(/\bawait import\(["']([^"']+)["']\)/g, (whole, source: string) => {
          if (isApart(source)) return whole;
          const name = `later${heads.length}`;
          atOnce(`* as ${name}`, source);
          return name;
        });
      return { code: heads.join('') + body, map: null };
    },
  };
}

/** Kinds of files. Compression looks back 32 KB: styles stand beside styles, texts beside texts, logic beside logic. */
const KINDS = [
  /\/styles\/(?!icons|index)|\.styles\.ts$/,
  /\/i18n\//,
  /\/sdk\//,
  /\/state\//,
  /\/image-optimizer\//,
  /./,
];

/**
 * Puts files of a kind beside each other: `entry` imports what is behind it in this order, before it does anything.
 * `later`: what its code asks for when it needs it is behind it too. What `isApart` is left where it is.
 */
export function alikeTogether(entry: string, isApart: Apart, later = false): Plugin {
  const kindOf = (path: string) => KINDS.findIndex((kind) => kind.test(path));
  return {
    name: 'alike-together',
    enforce: 'pre',
    transform(code, id) {
      if (id !== entry) return null;
      const behind = [...filesBehind(id, later ? IMPORTS_AND_CALLS : IMPORTS, isApart)];
      behind.sort((a, b) => kindOf(a) - kindOf(b) || (a < b ? -1 : 1));
      const imports = ['lit', ...behind].map((path) => `import ${JSON.stringify(path)};`);
      return { code: imports.join('') + code, map: null };
    },
  };
}

const IMPORTS = /^(?:import|export) (?!type)(?:[^;']*from )?'(\.[^']+)'/gm;
const IMPORTS_AND_CALLS = new RegExp(`${IMPORTS.source}|\\bimport\\('(\\.[^']+)'\\)`, 'gm');

/** The files that `entry` imports, directly or not. */
function filesBehind(entry: string, pattern: RegExp, isApart: Apart): Set<string> {
  const found = new Set<string>();
  const visit = (path: string): void => {
    for (const [, source, asked] of readFileSync(path, 'utf8').matchAll(pattern)) {
      const next = join(path, '..', source ?? asked ?? '');
      if (found.has(next) || next === entry || isApart(next)) continue;
      found.add(next);
      visit(next);
    }
  };
  visit(entry);
  return found;
}

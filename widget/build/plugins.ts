import MagicString from 'magic-string';
import { minify } from 'terser';
import type { Plugin } from 'vite';

interface Node {
  type: string;
  start: number;
  end: number;
  tag?: { name?: string };
  quasi?: { quasis: Node[] };
}

/** Removes white space from the widget's templates of HTML and CSS, which minifiers of JavaScript leave as they are. */
export function shortTemplates(): Plugin {
  return {
    name: 'short-templates',
    transform(code, id) {
      if (!/\/widget\/.*\.ts$/.test(id) || !/(css|html|svg)`/.test(code)) return null;
      const changed = new MagicString(code);
      const visit = (value: unknown): void => {
        if (typeof value !== 'object' || value === null) return;
        const node = value as Node;
        if (node.type === 'TaggedTemplateExpression' && /^(css|html|svg)$/.test(node.tag?.name ?? '')) {
          const parts = node.quasi?.quasis ?? [];
          for (const [index, { start, end }] of parts.entries()) {
            let text = code.slice(start, end);
            // White space around a template is not part of what it shows, if the template has lines of its own.
            if (index === 0) text = text.replace(/^\n\s+/, '');
            if (index === parts.length - 1) text = text.replace(/\n\s*$/, '');
            if (start < end) changed.update(start, end, shorten(text, node.tag?.name === 'css'));
          }
        }
        for (const part of Object.values(node)) visit(part);
      };
      visit(this.parse(code));
      return { code: changed.toString(), map: changed.generateMap({ hires: 'boundary' }) };
    },
  };
}

/** White space around these elements, which begin a line of their own, is never shown. */
const AROUND_BLOCKS =
  /\s*(<\/?(?:dd|details|dialog|div|dl|dt|fieldset|form|h[1-6]|li|p|section|ul)\b(?:[^<>]*>)?)(?:(?<=>)\s+)?/g;

/** Leaves one space where there were several; in CSS none around punctuation, and no comments. */
function shorten(text: string, isCss: boolean): string {
  if (!isCss)
    return text
      .replace(AROUND_BLOCKS, '$1')
      .replace(/\s+/g, ' ')
      .replace(/="([\w-]+)"(?=[ >])/g, '=$1');
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/\b0\.(?=\d)/g, '.')
    .replace(/(?<=[\d)]) ([*/]) (?=[\d(v-])/g, '$1')
    .replace(/ ([+~]) (?=[.:[])/g, '$1')
    .replace(/ ?([<>]=?) ?(?=\d)/g, '$1')
    .replaceAll('@media (', '@media(')
    .replace(/(?<=\() | (?=\))/g, '')
    .replaceAll(' / ', '/')
    .replace(/='([a-z][\w-]*)'\]/g, '=$1]')
    .replace(/;}/g, '}');
}

/**
 * Turns dynamic imports into static ones, so that a bundle of one file need not wrap their modules. `isApart` is true for
 * the path of a module that stays a file of its own.
 */
export function importsAtOnce(isApart: (path: string) => boolean): Plugin {
  return {
    name: 'imports-at-once',
    transform(code, id) {
      if (!/\/widget\/.*\.ts$/.test(id)) return null;
      const changed = new MagicString(code);
      let count = 0;
      for (const { 0: whole, 1: source = '', index } of code.matchAll(/\bawait import\(["']([^"']+)["']\)/g)) {
        if (isApart(source)) continue;
        count += 1;
        changed.prepend(`import * as later${count} from '${source}';`);
        changed.update(index, index + whole.length, `later${count}`);
      }
      return count === 0 ? null : { code: changed.toString(), map: changed.generateMap({ hires: 'boundary' }) };
    },
  };
}

/** Hooks of Lit for polyfills that no browser of today needs, and its lists of the versions in a page. */
const HOOKS =
  /\b\w+\.(?:litHtml|reactiveElement|litElement)PolyfillSupport\b|\(\w+\.\w+Versions\?\?=\[\]\)\.push\("[\d.]+"\)/g;

/** Leaves out of Lit what only polyfills and its developers use. */
export function shortLit(): Plugin {
  return {
    name: 'short-lit',
    transform(code, id) {
      if (!/\/(lit-html|lit-element|reactive-element)\/[\w-]+\.js$/.test(id)) return null;
      const changed = new MagicString(code);
      changed.replace(HOOKS, 'void 0');
      return { code: changed.toString(), map: changed.generateMap({ hires: 'boundary' }) };
    },
  };
}

/** Writes what is used once where it is used, which the bundler's minifier leaves: 900 bytes less. */
export function inlinedOnce(): Plugin {
  return {
    name: 'inlined-once',
    async renderChunk(code, { fileName }, { format }) {
      if (fileName.startsWith('locales/')) return null;
      const small = await minify(code, {
        compress: { keep_fargs: false, passes: 3, pure_getters: true },
        ecma: 2020,
        mangle: false,
        module: format === 'es',
        sourceMap: { asObject: true },
      });
      return { code: small.code ?? code, map: small.map as never };
    },
  };
}

/**
 * Loads the program of a page together with the entry that imports it. `module` is its path in the page's folder; `base` is the address
 * of the page. A build throws if no chunk begins with that module.
 */
export function programPreloaded(module: string, base: string): Plugin {
  return {
    name: 'program-preloaded',
    transformIndexHtml: {
      order: 'post',
      handler(page, { bundle }) {
        if (!bundle) return [];
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const program = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/${module}`));
        if (!program) throw new Error(`no chunk begins with ${module}, so the page cannot preload its program`);
        const others = program.imports.filter((name) => !page.includes(name));
        return [program.fileName, ...others].map((name) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: base + name },
          injectTo: 'head' as const,
        }));
      },
    },
  };
}

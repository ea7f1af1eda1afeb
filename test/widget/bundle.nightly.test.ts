import { SourceMap, type SourceMapping } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build, createLogger, parseAst, type Rolldown } from 'vite';
import { beforeAll, describe, expect, it } from 'vitest';

const configFile = fileURLToPath(new URL('../../vite.config.ts', import.meta.url));
/** Warnings of the bundler, by mode. */
const warnings: string[] = [];
const LANGUAGES = ['ar', 'de', 'es', 'fr', 'ja'];

async function bundle(mode: string): Promise<Rolldown.OutputChunk[]> {
  const environment = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  // On a busy machine plugins are slow, which is no fault of the build.
  const warn = (message: string) => void (/PLUGIN_TIMINGS/.test(message) || warnings.push(`${mode}: ${message}`));
  const customLogger = { ...createLogger('silent'), warn };
  const built = await build({ configFile, mode, logLevel: 'silent', customLogger, build: { write: false } });
  process.env.NODE_ENV = environment;
  return [built].flat().flatMap((result) => {
    if (!('output' in result)) throw new Error(`Expected the build "${mode}" to end`);
    return result.output.filter((file) => file.type === 'chunk');
  });
}

/** Returns the files loaded with `names`, without dynamic imports. */
function loadedWith(chunks: readonly Rolldown.OutputChunk[], names: readonly string[]): string[] {
  const found = new Set(names);
  for (const name of found) {
    for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) found.add(next);
  }
  return [...found];
}

/** Returns the longer texts of a chunk outside of markup and styles, each with its source line by the map. */
function mappedTexts({ code, map, fileName }: Rolldown.OutputChunk): { text: string; line: string }[] {
  // A file of re-exports has no map.
  if (!map) return [];
  const entries = new SourceMap({ ...map, file: fileName, sourceRoot: '' });
  const sources = new Map(map.sources.map((source, index) => [source, map.sourcesContent?.[index]?.split('\n') ?? []]));
  return textsOf(parseAst(code)).flatMap(({ text, start }) => {
    const before = code.slice(0, start).split('\n');
    const { originalSource, originalLine } = entries.findEntry(
      before.length - 1,
      before.at(-1)?.length ?? 0,
    ) as SourceMapping;
    if (originalSource?.includes('node_modules')) return [];
    return [{ text, line: sources.get(originalSource)?.[originalLine] ?? 'no line' }];
  });
}

/** Strings, and templates without expressions or tags, which are what the minifier makes of strings. */
function textsOf(value: unknown): { text: string; start: number }[] {
  if (typeof value !== 'object' || value === null) return [];
  const node = value as { type?: string; start: number; value?: unknown; quasi?: unknown; quasis?: unknown };
  const [only, ...more] = (node.quasis ?? []) as { value: { cooked: string } }[];
  const text = node.type === 'Literal' ? node.value : more.length === 0 ? only?.value.cooked : undefined;
  if (typeof text === 'string') return /^[\w .,:<>-]{12,}$/.test(text) ? [{ text, start: node.start }] : [];
  return Object.entries(node).flatMap(([name, child]) => (name === 'quasi' ? [] : textsOf(child)));
}

let modules: Rolldown.OutputChunk[];
let classic: Rolldown.OutputChunk[];
beforeAll(async () => {
  modules = await bundle('widget');
  classic = await bundle('widget-classic');
});

const holding = (source: string) => {
  const found = modules.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(source)));
  if (!found) throw new Error(`Expected ${source} to be in the build`);
  return found.fileName;
};

describe('the files of the widget', () => {
  it('are one for the empty element and one loaded after the first paint', () => {
    expect(loadedWith(modules, ['define.js'])).toEqual(['define.js', holding('/image-optimizer.ts')]);
    expect(holding('/workbench.ts')).toBe(holding('/state/flow.ts'));
    expect(holding('/workbench.ts')).not.toBe(holding('/image-optimizer.ts'));
    expect(holding('/io-compare.ts')).toBe(holding('/workbench.ts'));
  });

  it('keep English separate, so that pages in other languages do not load it', () => {
    const parts = ['/image-optimizer.ts', '/workbench.ts', '/io-compare.ts'].map(holding);
    expect(loadedWith(modules, ['define.js', 'index.js', ...parts])).not.toContain(holding('/i18n/en.ts'));
  });

  it('keep it separate in the demo page too, and no build has warnings', async () => {
    await bundle('dashboard');
    const demo = await bundle('demo');
    const english = demo.filter(({ moduleIds }) => moduleIds.some((id) => id.endsWith('/i18n/en.ts')));
    expect(english.map(({ isDynamicEntry, isEntry }) => ({ isDynamicEntry, isEntry }))).toEqual([
      { isDynamicEntry: true, isEntry: false },
    ]);
    expect(warnings).toEqual([]);
  });

  it('are a single classic script, except for the languages', () => {
    expect(classic.map(({ fileName }) => fileName)).toEqual(['imagewright.iife.js']);
    expect(classic[0]?.imports).toEqual([]);
    expect([...(classic[0]?.dynamicImports ?? [])].sort()).toEqual(LANGUAGES.map((name) => `./locales/${name}.js`));
  });

  it('set every private custom property that they use', () => {
    for (const chunks of [modules, classic]) {
      const code = chunks.map((chunk) => chunk.code).join('\n');
      const used = new Set([...code.matchAll(/var\((--_[\w-]+)\)/g)].map(([, name = '']) => name));
      const set = new Set([...code.matchAll(/(--_[\w-]+)(?::|`,)/g)].map(([, name = '']) => name));
      expect(used.size).toBeGreaterThan(20);
      expect([...used].filter((name) => !set.has(name))).toEqual([]);
    }
  });

  it('have source maps that lead to the line of each text', () => {
    for (const chunks of [modules, classic]) {
      const found = chunks.flatMap(mappedTexts);
      expect(found.length).toBeGreaterThan(200);
      expect(found.filter(({ text, line }) => !line.includes(text))).toEqual([]);
    }
  });
});

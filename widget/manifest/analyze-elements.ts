import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as analyzer from '@custom-elements-manifest/analyzer';
import { litPlugin } from '@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js';

/** A named and described part of an element. */
export interface Described {
  name: string;
  description?: string;
  type?: { text: string };
  default?: string;
}

/** Property or method. */
export interface Member extends Described {
  kind: 'field' | 'method';
  privacy?: string;
  static?: boolean;
  readonly?: boolean;
  /** Attribute of the property, if any. */
  attribute?: string;
  parameters?: Described[];
  return?: { type: { text: string } };
}

/** An element in custom-elements.json. */
export interface ElementDescription {
  name: string;
  description?: string;
  tagName?: string;
  members?: Member[];
  attributes?: (Described & { fieldName?: string })[];
  events?: Described[];
  slots?: Described[];
  cssParts?: Described[];
  cssProperties?: Described[];
  cssStates?: Described[];
}

/** The used part of https://github.com/webcomponents/custom-elements-manifest. */
export interface Manifest {
  schemaVersion: string;
  modules: { path: string; declarations: ElementDescription[] }[];
}

/** Exports of the package that are missing in its types. It has its own compiler with its own node kinds. */
const { create, ts } = analyzer as unknown as {
  create(options: { modules: unknown[]; plugins: unknown[]; context: { dev: boolean } }): Manifest;
  ts: Pick<typeof import('typescript'), 'createSourceFile' | 'ScriptTarget'>;
};
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Reads the sources into a manifest: the modules with elements, and their public parts. */
export async function analyzeElements(): Promise<Manifest> {
  const folder = join(root, 'widget', 'elements');
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.ts')).sort();
  const modules = await Promise.all(
    paths.map(async (path) => {
      const text = await readFile(join(folder, path), 'utf8');
      const name = `elements/${path.split(sep).join('/')}`;
      return ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true);
    }),
  );
  const manifest = create({ modules, plugins: litPlugin(), context: { dev: false } });
  return {
    ...manifest,
    schemaVersion: '2.1.0',
    modules: manifest.modules
      .map((module) => ({ ...module, declarations: module.declarations.filter(({ tagName }) => tagName).map(publish) }))
      .filter(({ declarations }) => declarations.length > 0),
  };
}

/** Elements pages can use; the others are internal. */
const FOR_PAGES = ['image-optimizer', 'io-compare'];

/** Returns the elements of a manifest that pages can use. */
export function elementsForPages({ modules }: Manifest): ElementDescription[] {
  const elements = modules.flatMap(({ declarations }) => declarations);
  return FOR_PAGES.flatMap((tag) => elements.filter(({ tagName }) => tagName === tag));
}

function publish(element: ElementDescription): ElementDescription {
  const members = (element.members ?? []).filter(
    ({ privacy = 'public', name, static: isStatic }) => privacy === 'public' && !name.startsWith('#') && !isStatic,
  );
  const names = new Set(members.map(({ name }) => name));
  // The analyzer reports attributes for protected state, which has none.
  const attributes = (element.attributes ?? [])
    .filter(({ fieldName }) => !fieldName || names.has(fieldName))
    .map((attribute) => ({ ...attribute, name: attribute.name.toLowerCase() }));
  // The analyzer reports events with a variable name under that variable. The class describes the real ones.
  const events = element.events?.filter(({ name }) => name.includes('-'));
  return { ...element, members, attributes, ...(events ? { events } : {}) };
}

import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as analyzer from '@custom-elements-manifest/analyzer';
import { litPlugin } from '@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js';

/** Description of one part of an element. */
export interface Described {
  name: string;
  description?: string;
  type?: { text: string };
  default?: string;
}

/** A property or method. */
export interface Member extends Described {
  kind: 'field' | 'method';
  privacy?: string;
  static?: boolean;
  /** Its attribute, if it has one. */
  attribute?: string;
  parameters?: Described[];
  return?: { type: { text: string } };
}

/** An element as custom-elements.json describes it. */
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

/** The part of https://github.com/webcomponents/custom-elements-manifest that is used here. */
export interface Manifest {
  schemaVersion: string;
  modules: { path: string; declarations: ElementDescription[] }[];
}

/** Exports of the package that its types lack. It brings its own compiler, whose nodes have their own numbers. */
const { create, ts } = analyzer as unknown as {
  create(options: { modules: unknown[]; plugins: unknown[]; context: { dev: boolean } }): Manifest;
  ts: Pick<typeof import('typescript'), 'createSourceFile' | 'ScriptTarget'>;
};
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Reads the elements' sources into a manifest: modules with an element in them, and of these what is public. */
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

/** The elements that pages may use themselves; the others are what these are made of. */
const FOR_PAGES = ['image-optimizer', 'io-compare'];

/** Those elements of a manifest that pages may use themselves. */
export function elementsForPages({ modules }: Manifest): ElementDescription[] {
  const elements = modules.flatMap(({ declarations }) => declarations);
  return FOR_PAGES.flatMap((tag) => elements.filter(({ tagName }) => tagName === tag));
}

function publish(element: ElementDescription): ElementDescription {
  const members = (element.members ?? []).filter(
    ({ privacy = 'public', name, static: isStatic }) => privacy === 'public' && !name.startsWith('#') && !isStatic,
  );
  const names = new Set(members.map(({ name }) => name));
  // Properties of protected state have no attribute, whatever the analyzer takes them for.
  const attributes = (element.attributes ?? [])
    .filter(({ fieldName }) => !fieldName || names.has(fieldName))
    .map((attribute) => ({ ...attribute, name: attribute.name.toLowerCase() }));
  // An event whose name is in a variable is found under the variable's name; the true ones are described at the class.
  const events = element.events?.filter(({ name }) => name.includes('-'));
  return { ...element, members, attributes, ...(events ? { events } : {}) };
}

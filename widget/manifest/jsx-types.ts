import { type Described, type ElementDescription, elementsForPages, type Manifest } from './analyze-elements.ts';

const HEAD = `// Generated from the sources by \`npm run manifest\`. Types of the elements for JSX:
//
//   import type { ImagewrightElements } from './jsx.d.ts';
//   declare module 'react' { namespace JSX { interface IntrinsicElements extends ImagewrightElements {} } }

/** Attributes that every element accepts, in every framework. */
interface Common {
  id?: string;
  class?: string;
  className?: string;
  slot?: string;
  lang?: string;
  dir?: 'ltr' | 'rtl' | 'auto';
  hidden?: boolean;
  children?: unknown;
  key?: string | number;
  ref?: unknown;
}
`;

/** Builds standalone types for JSX: attributes, and handlers named \`on\` and the event. */
export function jsxTypes(manifest: Manifest): string {
  const elements = elementsForPages(manifest);
  const types = elements.map((element) => typeOf(element));
  const rows = elements.map(({ tagName, name }) => `  '${tagName}': ${name}Attributes;`);
  const table = ['/** Elements by tag. */', 'export interface ImagewrightElements {', ...rows, '}'].join('\n');
  return `${[HEAD, ...types, table].join('\n')}\n`;
}

function typeOf({ name, tagName, attributes = [], events = [] }: ElementDescription): string {
  return [
    `/** Attributes and events of \`<${tagName}>\`. */`,
    `export interface ${name}Attributes extends Common {`,
    ...attributes.flatMap((attribute) => [...comment(attribute), `  '${attribute.name}'?: ${primitiveOf(attribute)};`]),
    ...events.flatMap((event) => [...comment(event), `  'on${event.name}'?: (event: CustomEvent) => void;`]),
    '}',
    '',
  ].join('\n');
}

function comment({ description }: Described): string[] {
  return description ? [`  /** ${description.replace(/\s+/g, ' ').replaceAll('*/', '* /')} */`] : [];
}

/** Returns the type of an attribute: text, number, boolean or a union of values. */
function primitiveOf({ type }: Described): string {
  const words = (type?.text ?? 'string').split('|').map((word) => word.trim());
  const known = words.filter((word) => /^('.*'|string|number|boolean)$/.test(word));
  return known.length > 0 ? known.join(' | ') : 'string';
}

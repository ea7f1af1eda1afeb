import { elementsForPages, type Manifest, type Member } from './analyze-elements.ts';

const HEAD = `// Generated from the sources by \`npm run manifest\`: what frameworks set on the element, with the types of its properties.
import type { ImageOptimizer, ImageOptimizerEventMap } from '../index.ts';
`;

const HANDLERS = `/** Handlers named \`on\` and the event. */
export type ImageOptimizerHandlers = {
  [Name in keyof ImageOptimizerEventMap as \`on\${Name}\`]?: ((event: ImageOptimizerEventMap[Name]) => void) | undefined;
};`;

/** Builds the type of the element's properties that pages may set. */
export function propertyTypes(manifest: Manifest): string {
  const [element] = elementsForPages(manifest);
  const settable = (element?.members ?? []).filter(({ kind, readonly }) => kind === 'field' && !readonly);
  return [
    HEAD,
    '/** Properties of `<image-optimizer>`. */',
    'export interface ImageOptimizerProperties {',
    ...settable.flatMap(lines),
    '}',
    '',
    HANDLERS,
    '',
  ].join('\n');
}

function lines({ name, description }: Member): string[] {
  // Only the given settings change.
  const type = name === 'settings' ? `Partial<ImageOptimizer['settings']>` : `ImageOptimizer['${name}']`;
  return [
    ...(description ? [`  /** ${description.replace(/\s+/g, ' ').replaceAll('*/', '* /')} */`] : []),
    `  ${name}?: ${type} | undefined;`,
  ];
}

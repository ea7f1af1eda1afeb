import { type Described, type ElementDescription, elementsForPages, type Manifest } from './analyze-elements.ts';

/** Builds the completions for HTML in Visual Studio Code: https://github.com/microsoft/vscode-custom-data */
export function htmlData(manifest: Manifest) {
  return {
    $schema: 'https://raw.githubusercontent.com/microsoft/vscode-html-languageservice/main/docs/customData.schema.json',
    version: 1.1,
    tags: elementsForPages(manifest).map((element) => ({
      name: element.tagName,
      description: describe(element),
      attributes: (element.attributes ?? []).map((attribute) => ({
        name: attribute.name,
        description: [attribute.description, defaultOf(attribute)].filter(Boolean).join(' '),
        ...valuesOf(attribute),
      })),
    })),
  };
}

function describe({ description, events, slots, cssParts }: ElementDescription): string {
  const list = (title: string, entries: Described[] = []) =>
    entries.length === 0
      ? []
      : [`${title}:`, ...entries.map((entry) => `- \`${entry.name || 'default'}\`: ${entry.description ?? ''}`), ''];
  return [description ?? '', '', ...list('Events', events), ...list('Slots', slots), ...list('Parts', cssParts)]
    .join('\n')
    .trim();
}

function defaultOf({ default: value }: Described): string {
  return value === undefined ? '' : `Default: ${value}.`;
}

/** Returns the values of an attribute with an enumerated type. */
function valuesOf({ type }: Described): { valueSet?: string; values?: { name: string }[] } {
  if (type?.text === 'boolean') return { valueSet: 'v' };
  const words = type?.text.split('|').map((word) => word.trim()) ?? [];
  if (words.length === 0 || !words.every((word) => /^'.*'$/.test(word))) return {};
  return { values: words.map((word) => ({ name: word.slice(1, -1) })) };
}

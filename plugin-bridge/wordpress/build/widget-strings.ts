import { loadLocale } from '../../../widget/i18n/index.ts';
import { HOST_TEXTS } from '../../host/index.ts';

/** Context of the widget's texts, of which some are words of the plugin with another meaning: "Change" is a verb there. */
const CONTEXT = 'element';

/**
 * Writes the widget's English texts as PHP, each in a translation call of WordPress, for languages that the widget
 * does not have.
 */
export async function widgetStrings(): Promise<string> {
  return phpOf('Texts of the widget', await loadLocale('en'), CONTEXT);
}

/** Writes the texts about images that were not replaced as PHP. The widget has no translations of them. */
export function hostStrings(): string {
  return phpOf('Texts about images that were not replaced', HOST_TEXTS);
}

function phpOf(what: string, texts: Readonly<Record<string, string | object>>, context = ''): string {
  const lines = Object.entries(texts).map(([key, text]) =>
    typeof text === 'string'
      ? `\t${quote(key)} => ${pair(text, context)},`
      : `\t${quote(key)} => array(\n${forms(text, context)}\n\t),`,
  );
  return `<?php
/**
 * ${what} with their translations. Generated, do not edit.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

return array(
${lines.join('\n')}
);
`;
}

/** Writes the plural forms one by one. The widget selects one by the rules of the page's language. */
function forms(text: object, context: string): string {
  return Object.entries(text)
    .map(([form, words]) => `\t\t${quote(form)} => ${pair(String(words), context)},`)
    .join('\n');
}

/** Writes a text with its translation. Equal texts have no translation. */
function pair(text: string, context: string): string {
  const call = context ? `_x( ${quote(text)}, ${quote(context)}` : `__( ${quote(text)}`;
  return `array( ${quote(text)}, ${call}, 'imagewright' ) )`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

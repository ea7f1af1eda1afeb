import { loadLocale } from '../../../widget/i18n/index.ts';
import { HOST_TEXTS } from '../../host/index.ts';

/**
 * Writes the widget's English texts as PHP, each in a translation call of WordPress, for languages that the widget
 * does not have.
 */
export async function widgetStrings(): Promise<string> {
  return phpOf('Texts of the widget', await loadLocale('en'));
}

/** Writes the texts about images that were not replaced as PHP. The widget has no translations of them. */
export function hostStrings(): string {
  return phpOf('Texts about images that were not replaced', HOST_TEXTS);
}

function phpOf(what: string, texts: Readonly<Record<string, string | object>>): string {
  const lines = Object.entries(texts).map(([key, text]) =>
    typeof text === 'string' ? `\t${quote(key)} => ${pair(text)},` : `\t${quote(key)} => array(\n${forms(text)}\n\t),`,
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
function forms(text: object): string {
  return Object.entries(text)
    .map(([form, words]) => `\t\t${quote(form)} => ${pair(String(words))},`)
    .join('\n');
}

/** Writes a text with its translation. Equal texts have no translation. */
function pair(text: string): string {
  return `array( ${quote(text)}, __( ${quote(text)}, 'imagewright' ) )`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

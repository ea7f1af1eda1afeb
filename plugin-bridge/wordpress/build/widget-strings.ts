import { loadLocale } from '../../../widget/i18n/index.ts';
import { HOST_TEXTS } from '../../host/index.ts';

/**
 * The widget's English texts as PHP, each in a call that WordPress' translation tools find: the widget's own languages end
 * where WordPress' begin.
 */
export async function widgetStrings(): Promise<string> {
  return phpOf('Texts of the widget', await loadLocale('en'));
}

/** What the widget says of images that were not replaced, as PHP. In these texts it has no languages of its own. */
export function hostStrings(): string {
  return phpOf('Texts about images that were not replaced', HOST_TEXTS);
}

function phpOf(what: string, texts: Readonly<Record<string, string | object>>): string {
  const lines = Object.entries(texts).map(([key, text]) =>
    typeof text === 'string' ? `\t${quote(key)} => ${pair(text)},` : `\t${quote(key)} => array(\n${forms(text)}\n\t),`,
  );
  return `<?php
/**
 * ${what} with their translations. Made from its sources: not to be edited.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

return array(
${lines.join('\n')}
);
`;
}

/** Plural forms, each on its own: the widget picks one by the rules of the page's language. */
function forms(text: object): string {
  return Object.entries(text)
    .map(([form, words]) => `\t\t${quote(form)} => ${pair(String(words))},`)
    .join('\n');
}

/** A text and its translation, so that those that have none can be told. */
function pair(text: string): string {
  return `array( ${quote(text)}, __( ${quote(text)}, 'imagewright' ) )`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

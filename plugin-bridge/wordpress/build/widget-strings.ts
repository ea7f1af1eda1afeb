import { loadLocale } from '../../../widget/i18n/index.ts';

/**
 * The widget's English texts as PHP, each in a call that WordPress' translation tools find: the widget's own languages end
 * where WordPress' begin.
 */
export async function widgetStrings(): Promise<string> {
  const lines = Object.entries(await loadLocale('en')).map(([key, text]) =>
    typeof text === 'string' ? `\t${quote(key)} => ${pair(text)},` : `\t${quote(key)} => array(\n${forms(text)}\n\t),`,
  );
  return `<?php
/**
 * Texts of the widget with their translations. Made from its sources: not to be edited.
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

/** Control characters, separators of lines, and marks that change the direction of a text. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** A colour of this program's own table. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for one
const COLOUR = /(\x1b\[[\d;]*m)/;

/** Escapes control characters and line breaks of what others wrote: names of files, messages of a service. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/**
 * Escapes what a terminal or a log would obey in the lines of an output: control characters but its line breaks, and the commands of
 * GitHub Actions, which begin a line with `::` or hold `##[`.
 * @param colour keeps the colours of the table
 */
export function printableLines(text: string, { colour = false } = {}): string {
  const lines = text.split('\n').map((line) => {
    const parts = colour ? line.split(COLOUR) : [line];
    const shown = parts.map((part, index) => (index % 2 === 1 ? part : printable(part))).join('');
    return shown.replace(/^(\s*):(?=:)/, '$1\\x3a').replaceAll('##[', '#\\x23[');
  });
  return lines.join('\n');
}

/** Formats a document as JSON without characters that a terminal or a log would obey. */
export function printableJson(document: unknown): string {
  const text = JSON.stringify(document, null, 2).replaceAll('##[', '#\\u0023[');
  return text.replace(UNPRINTABLE, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function escaped(character: string): string {
  const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
  const code = character.charCodeAt(0);
  return short ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`);
}

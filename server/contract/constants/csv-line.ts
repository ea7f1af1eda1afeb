/** Text that a spreadsheet would run as a formula; full-width signs count for those with a Japanese or Chinese interface. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * Formats a line of a CSV file (RFC 4180). Text that a spreadsheet would run as a formula gets a leading `'`, as OWASP recommends;
 * numbers stay numbers.
 */
export function csvLine(cells: readonly (string | number | boolean | null | undefined)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: string | number | boolean | null | undefined): string {
  if (typeof cell !== 'string') return String(cell ?? '');
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

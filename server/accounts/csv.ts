/** Text that a spreadsheet would execute as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Formats a line of a CSV file (RFC 4180). Text that a spreadsheet would execute as a formula gets a leading `'`, as OWASP
 * recommends; numbers stay numbers.
 */
export function csvLine(cells: (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: string | number | null): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

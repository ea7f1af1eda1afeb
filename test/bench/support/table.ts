/** One measured figure with what it should be. */
export interface Figure {
  what: string;
  measured: string;
  target: string;
  /** Absent: there is no target. */
  met?: boolean;
}

/** Prints figures in columns. */
export function printFigures(title: string, figures: Figure[]): void {
  const rows = figures.map(({ what, measured, target, met }) => [
    what,
    measured,
    target,
    met === undefined ? '' : met ? 'met' : 'MISSED',
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  console.log(`\n${title}`);
  for (const row of rows)
    console.log(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
}

/** The middle value. */
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Number of measured rounds: `IMAGEWRIGHT_BENCH_ROUNDS`, or 5. */
export const ROUNDS = Number(process.env.IMAGEWRIGHT_BENCH_ROUNDS ?? 5);

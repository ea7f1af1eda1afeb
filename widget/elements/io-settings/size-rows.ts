import { DEFAULT_RESPONSIVE_WIDTHS, MAX_RESPONSIVE_SIZES, RESPONSIVE_EDGE } from '#contract/constants';
import type { SizeInput } from '../../state/index.ts';

/** A size being edited, as typed, valid or not. */
export interface SizeRow {
  /** Stable key of the row. */
  readonly key: number;
  readonly width: string;
  /** Empty: by the image's proportions. */
  readonly height: string;
  readonly fit: 'inside' | 'cover';
}

let keys = 0;

/** Creates a row. */
export function createRow({ width = '', height = '', fit = 'inside' }: Partial<Omit<SizeRow, 'key'>> = {}): SizeRow {
  keys += 1;
  return { key: keys, width, height, fit };
}

/** Returns rows for sizes; without sizes, for the default of the service. */
export function rowsOf(sizes: readonly SizeInput[] | undefined): SizeRow[] {
  return (sizes ?? DEFAULT_RESPONSIVE_WIDTHS).map((size) =>
    typeof size === 'number'
      ? createRow({ width: String(size) })
      : createRow({
          width: String(size.width),
          height: size.height ? String(size.height) : '',
          fit: size.fit ?? 'inside',
        }),
  );
}

/** Tests whether a field has an edge that the service accepts. */
export function isEdge(text: string): boolean {
  const value = Number(text);
  return /^\d+$/.test(text.trim()) && value >= RESPONSIVE_EDGE.min && value <= RESPONSIVE_EDGE.max;
}

/** Tests whether a row is valid. */
export function isComplete(row: SizeRow): boolean {
  return isEdge(row.width) && (row.height.trim() === '' || isEdge(row.height));
}

/** Returns the sizes of complete rows, smallest first, without duplicates. */
export function sizesOf(rows: readonly SizeRow[]): SizeInput[] {
  const sizes = rows.filter(isComplete).map((row): [string, SizeInput] => {
    const width = Number(row.width);
    return row.height.trim() === ''
      ? [`${width}`, width]
      : [`${width} ${row.height} ${row.fit}`, { width, height: Number(row.height), fit: row.fit }];
  });
  const unique = [...new Map(sizes).values()].slice(0, MAX_RESPONSIVE_SIZES);
  const widthOf = (size: SizeInput) => (typeof size === 'number' ? size : size.width);
  return unique.sort((a, b) => widthOf(a) - widthOf(b));
}

/** Removes duplicate rows. `merged`: width of the last one removed. */
export function mergeRows(rows: readonly SizeRow[]): { rows: SizeRow[]; merged: number | null } {
  const seen = new Set<string>();
  let merged: number | null = null;
  const kept = rows.filter((row) => {
    if (!isComplete(row)) return true;
    const height = row.height.trim() === '' ? '' : `${Number(row.height)} ${row.fit}`;
    const size = `${Number(row.width)} ${height}`;
    if (!seen.has(size)) return seen.add(size);
    merged = Number(row.width);
    return false;
  });
  return { rows: kept, merged };
}

/** Suggests the width of a new row: the middle of the widest gap, as a multiple of 16. */
export function suggestWidth(rows: readonly SizeRow[]): number {
  const widths = rows.filter(isComplete).map((row) => Number(row.width));
  const edges = [0, ...new Set(widths), 2560].sort((a, b) => a - b);
  let best = { gap: 0, width: 640 };
  for (const [index, edge] of edges.entries()) {
    const gap = (edges[index + 1] ?? edge) - edge;
    if (gap > best.gap) best = { gap, width: Math.max(16, Math.round((edge + gap / 2) / 16) * 16) };
  }
  return best.width;
}

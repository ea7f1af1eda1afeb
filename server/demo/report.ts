import type { ImageResult } from '#contract';

/** One exported file with the time from its first step to its last, in milliseconds. */
export interface Finished {
  result: ImageResult;
  ms: number;
}

/** The table that the demonstration ends with. */
export async function reportTable(finished: Finished[], { colour }: { colour: boolean }): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    head: ['File', 'Format', 'Before', 'After', 'Saved', 'Size', 'Time'],
    colAligns: ['left', 'left', 'right', 'right', 'right', 'right', 'right'],
    // No lines between the rows.
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
    style: colour ? { head: ['cyan'], border: ['grey'] } : { head: [], border: [] },
  });
  for (const { result, ms } of finished) table.push(rowOf(result, ms));
  const done = finished.flatMap(({ result }) => (result.variants[0] ? [result] : []));
  const before = done.reduce((sum, { original }) => sum + original.size, 0);
  const after = done.reduce((sum, { variants }) => sum + (variants[0]?.size ?? 0), 0);
  table.push([`${done.length} files`, '', bytes(before), bytes(after), saved(before, after), '', '']);
  return table.toString();
}

function rowOf(result: ImageResult, ms: number): string[] {
  const { original, format, filename, originalFilename, error } = result;
  const full = result.variants[0];
  if (!full) return [originalFilename, 'failed', bytes(original.size), '', '', '', error?.message.slice(0, 40) ?? ''];
  return [
    filename ?? originalFilename,
    `${original.format} > ${format}`,
    bytes(original.size),
    bytes(full.size),
    saved(original.size, full.size),
    `${full.width} x ${full.height}`,
    `${(ms / 1000).toFixed(1)} s`,
  ];
}

/** Bytes as people read them. */
export function bytes(size: number): string {
  return size >= 1_000_000 ? `${(size / 1_000_000).toFixed(2)} MB` : `${(size / 1000).toFixed(1)} kB`;
}

function saved(before: number, after: number): string {
  return before === 0 ? '' : `${(((before - after) / before) * 100).toFixed(1)} %`;
}

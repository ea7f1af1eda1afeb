import type { Lack } from '#contract';
import { FORMATS, type ImageFormat, type VisibleDifference, visibleDifference } from '#contract/constants';
import { printable } from './printable.ts';
import type { ImageReport, Report } from './report.ts';

/** Most rows of the table; `--json` has all images. */
const MAX_ROWS = 60;

/** Visible differences in words. */
const DIFFERENCE: Readonly<Record<VisibleDifference, string>> = {
  none: 'none',
  hardly: 'hardly visible',
  side_by_side: 'only side by side',
  visible: 'visible',
  clear: 'clearly visible',
};

/** Formats the report for a terminal or a log. */
export async function showReport(report: Report, { colour }: { colour: boolean }): Promise<string> {
  const { summary, credits, cost, notices, dryRun, out } = report;
  const lines: string[] = [];
  const rows = report.images.filter(({ status }) => ['made', 'restored', 'failed'].includes(status));
  if (summary.made + summary.restored > 0) lines.push(await savingsTable(rows, colour), '');
  else lines.push(...listFailures(rows));
  lines.push(...notices);
  if (report.pruned.length > 0) lines.push(`${count(report.pruned.length, 'unused result')} removed.`);
  if (dryRun && cost) {
    const files = `${count(cost.images, 'image')} would be made`;
    const price = report.service === null ? 'on this machine, without credits' : `for ${count(cost.credits, 'credit')}`;
    const balance = cost.balance === null ? '' : `, the balance is ${cost.balance}`;
    lines.push(`${files} ${price}${balance}. Nothing was changed.`);
  }
  const parts = (['made', 'restored', 'unchanged', 'failed', 'unmade'] as const)
    .filter((status) => summary[status] > 0)
    .map((status) => `${summary[status]} ${status === 'unmade' ? 'not made' : status}`);
  // Of a run that has done nothing, its error says all.
  if (parts.length > 0 && summary.unmade < summary.images)
    lines.push(`${count(summary.images, 'image')}: ${parts.join(', ')}.`);
  if (!dryRun && summary.outputBytes > 0) {
    const { originalBytes, outputBytes, savedPercent } = summary;
    lines.push(
      `${bytes(originalBytes)} became ${bytes(outputBytes)} (${percentText(savedPercent)}) in ${printable(out)}.`,
    );
  }
  if (!dryRun && summary.quality) {
    const { worst, mean } = summary.quality;
    const words = DIFFERENCE[visibleDifference(worst)];
    lines.push(
      `Visible difference, at most: ${words} (SSIMULACRA2: worst ${worst.toFixed(1)}, mean ${mean.toFixed(1)}).`,
    );
  }
  if (!dryRun) lines.push(...listStopped(report.images));
  if (credits.balance !== null && !dryRun) {
    lines.push(`${count(credits.charged - credits.refunded, 'credit')} spent, ${credits.balance} left.`);
  }
  return lines.map((line) => `${line}\n`).join('');
}

/** Returns a line for each reason why files stay below the score of the preset. */
function listStopped(images: ImageReport[]): string[] {
  const below = images.flatMap(({ outputs }) => outputs).filter(({ quality }) => quality?.reached === false);
  const atKnee = below.filter(({ quality }) => quality?.stopped === 'knee');
  const more = atKnee.reduce((sum, { size, quality }) => sum + (quality?.estimatedBytes ?? size) - size, 0);
  const staying = (files: number) =>
    `${files === 1 ? '1 file stays' : `${files} files stay`} below the score of the preset`;
  const knee = `one more point would cost more than 12 % of the bytes. --exact reaches it, for about ${bytes(more)} more.`;
  const others = below.length - atKnee.length;
  return [
    ...(atKnee.length > 0 ? [`${staying(atKnee.length)}: ${knee}`] : []),
    ...(others > 0 ? [`${staying(others)}: the format cannot reach it.`] : []),
  ];
}

/** Returns a line for each reason, up to a limit: many images may have failed for one. */
function listFailures(images: ImageReport[]): string[] {
  const byReason = new Map<string, ImageReport[]>();
  for (const image of images) {
    const reason = image.error?.message ?? '';
    byReason.set(reason, [...(byReason.get(reason) ?? []), image]);
  }
  const lines = [...byReason].slice(0, MAX_ROWS).map(([reason, failed]) => {
    const others = failed.length > 1 ? ` and ${failed.length - 1} more` : '';
    return `failed ${printable(failed[0]?.source ?? '')}${others}: ${printable(reason)}`;
  });
  const rest = byReason.size - MAX_ROWS;
  return rest > 0 ? [...lines, `… and ${rest} more`] : lines;
}

async function savingsTable(images: ImageReport[], colour: boolean): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    head: ['Image', 'Before', 'After', 'Saved', 'Difference', 'Files', ''],
    colAligns: ['left', 'right', 'right', 'right', 'left', 'right', 'left'],
    // No lines between the rows.
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
    style: colour ? { head: ['cyan'], border: ['grey'] } : { head: [], border: [] },
  });
  for (const image of images.slice(0, MAX_ROWS)) table.push(rowOf(image));
  const rest = images.length - MAX_ROWS;
  return table.toString() + (rest > 0 ? `\n… and ${rest} more` : '');
}

function rowOf({
  source,
  status,
  originalBytes,
  outputBytes,
  savedPercent,
  outputs,
  warnings,
  error,
}: ImageReport): string[] {
  const name = printable(source);
  if (error) return [name, '', '', '', '', '', `failed: ${printable(error.message).slice(0, 60)}`];
  const [gainless] = warnings.filter(({ code }) => code === 'no_gain');
  if (gainless) return [name, bytes(originalBytes ?? 0), '', '', '', '0', printable(gainless.message)];
  const notes = [
    ...(savedPercent !== null && savedPercent < 0 ? ['larger than before'] : status === 'restored' ? [status] : []),
    ...lackNotes(outputs),
  ];
  const saved = savedPercent === null ? '' : `${savedPercent.toFixed(1)} %`;
  const after = outputBytes === null ? '' : bytes(outputBytes);
  const score = outputs[0]?.quality?.score;
  const difference = typeof score === 'number' ? DIFFERENCE[visibleDifference(score)] : '';
  return [name, bytes(originalBytes ?? 0), after, saved, difference, `${outputs.length}`, notes.join(', ')];
}

/** Returns which formats do not show all of an image: `AVIF does not move`. */
function lackNotes(outputs: ImageReport['outputs']): string[] {
  const formatsWithout = (what: Lack) => [
    ...new Set(outputs.filter(({ lacks }) => lacks?.includes(what)).map(({ format }) => labelOf(format))),
  ];
  const [still, flat] = [formatsWithout('animation'), formatsWithout('transparency')];
  return [
    ...(still.length > 0 ? [`${still.join(' and ')} ${still.length === 1 ? 'does' : 'do'} not move`] : []),
    ...(flat.length > 0 ? [`${flat.join(' and ')} on white`] : []),
  ];
}

function labelOf(format: string): string {
  return FORMATS[format as ImageFormat]?.label ?? format;
}

/** Formats bytes as kB or MB. */
function bytes(size: number): string {
  return size >= 1_000_000 ? `${(size / 1_000_000).toFixed(2)} MB` : `${(size / 1000).toFixed(1)} kB`;
}

/** Formats saved percent as a change: `-62.9 %`. */
function percentText(savedPercent: number): string {
  const sign = savedPercent > 0 ? '-' : savedPercent < 0 ? '+' : '';
  return `${sign}${Math.abs(savedPercent).toFixed(1)} %`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

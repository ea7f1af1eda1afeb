import { PRESET_TARGETS, PRESETS, type Preset } from '#contract/constants';
import type { CodecFit, CodecName, StartTable } from '../../../server/processing/worker/quality/codecs.ts';
import { type Curve, numberAt, scoreAt } from '../../../server/processing/worker/quality/search-number.ts';
import type { Traits } from '../../../server/processing/worker/quality/traits.ts';

/** Scores of a part of a source with one codec. */
export interface FitRow {
  source: string;
  codec: CodecName;
  traits: Traits;
  /** Number and score, ascending. */
  scores: [number, number][];
}

/** Weight that keeps the factors of a small corpus small. */
const RIDGE = 0.3;

/** Learns the start table from rows. */
export function fitTable(rows: FitRow[]): StartTable {
  const names: CodecName[] = ['webp', 'jpeg420', 'jpeg444', 'avif420', 'avif444', 'palette'];
  return Object.fromEntries(
    names.map((name) => [name, fitCodec(rows.filter(({ codec }) => codec === name))]),
  ) as StartTable;
}

function fitCodec(rows: FitRow[]): CodecFit {
  const numbers = rows[0]?.scores.map(([number]) => number) ?? [];
  const means = numbers.map(
    (number, index) => [number, mean(rows.map(({ scores }) => scores[index]?.[1] ?? 0))] as const,
  );
  // Means of a few images may fall where all of them rise.
  const curve: Curve = means.map(([number, score], index) => [
    number,
    round(Math.max(score, (means[index - 1]?.[1] ?? -99) + 0.1), 2),
  ]);
  const starts = Object.fromEntries(PRESETS.map((preset) => [preset, fitPreset(rows, curve, preset)])) as Record<
    Preset,
    number[]
  >;
  return { curve, starts };
}

/** Weighted least squares with a penalty on all factors but the constant. */
function fitPreset(rows: FitRow[], curve: Curve, preset: Preset): number[] {
  const target = PRESET_TARGETS[preset];
  const [least, most] = [curve[0]?.[0] ?? 0, curve.at(-1)?.[0] ?? 100];
  const wanted = rows.map(({ scores }) => Math.min(most, Math.max(least, numberOf(scores, target, curve))));
  const inputs = rows.map(({ traits: { flatness, detail, noise, chroma } }) => [1, flatness, detail, noise, chroma]);
  const size = 5;
  const matrix = Array.from({ length: size }, (_, a) =>
    Array.from({ length: size + 1 }, (_, b) => {
      const sum = inputs.reduce(
        (total, input, row) => total + (input[a] ?? 0) * (b < size ? (input[b] ?? 0) : (wanted[row] ?? 0)),
        0,
      );
      return sum + (a === b && a > 0 ? RIDGE * rows.length * 0.1 : 0);
    }),
  );
  return solve(matrix).map((weight) => round(weight, 3));
}

/** The number at which a row reaches a score: between its points, beyond them along the curve. */
function numberOf(scores: [number, number][], target: number, curve: Curve): number {
  const rising = scores.filter(
    ([, score], index) => index === 0 || score > Math.max(...scores.slice(0, index).map(([, one]) => one)),
  );
  const [first, last] = [rising[0], rising.at(-1)] as [[number, number], [number, number]];
  const nearest = target < first[1] ? first : target > last[1] ? last : null;
  if (!nearest) return numberAt(rising, target);
  return numberAt(curve, scoreAt(curve, nearest[0]) + target - nearest[1]);
}

/** Solves linear equations by elimination; the last column is the right side. */
function solve(matrix: number[][]): number[] {
  const rows = matrix.map((row) => [...row]);
  for (let column = 0; column < rows.length; column += 1) {
    const best = rows
      .slice(column)
      .reduce((one, other) => (Math.abs(other[column] ?? 0) > Math.abs(one[column] ?? 0) ? other : one));
    rows.splice(rows.indexOf(best), 1);
    rows.splice(column, 0, best);
    for (const row of rows) {
      if (row === best) continue;
      const factor = (row[column] ?? 0) / (best[column] ?? 1);
      for (let at = column; at < row.length; at += 1) row[at] = (row[at] ?? 0) - factor * (best[at] ?? 0);
    }
  }
  return rows.map((row, index) => (row.at(-1) ?? 0) / (row[index] ?? 1));
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}

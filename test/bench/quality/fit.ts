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
  /** Scores of the whole file at the same numbers. Empty: not measured. */
  scoresOfFile: number[];
}

/** No preset promises less. */
const LEAST_USED_SCORE = 35;
/** Weight that keeps the factors of a small corpus small. */
const RIDGE = 0.3;

/** Learns the start table from rows. */
export function fitTable(rows: FitRow[]): StartTable {
  const names: CodecName[] = ['webp', 'jpeg420', 'jpeg444', 'avif420', 'avif444', 'palette'];
  return Object.fromEntries(
    names.map((name) => [name, fitCodec(rows.filter(({ codec }) => codec === name))]),
  ) as StartTable;
}

function fitCodec(measured: FitRow[]): CodecFit {
  // The predicted value is the score of the file.
  const rows = measured.map((row) => ({
    ...row,
    scores: row.scores.map(([number, score], index): [number, number] => [number, row.scoresOfFile[index] ?? score]),
  }));
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
  return { curve, starts, offset: fitOffset(measured) };
}

/** Weights of what a file scores above its tiles: of 1, the traits, and the points of the tiles above 70. */
function fitOffset(rows: FitRow[]): number[] {
  const pairs = rows.flatMap(({ traits, scores, scoresOfFile }) =>
    scoresOfFile.map((whole, index) => ({ traits, tiles: scores[index]?.[1] ?? 0, whole })),
  );
  const used = pairs.filter(({ tiles }) => tiles > LEAST_USED_SCORE);
  return leastSquares(
    used.map(({ traits, tiles }) => [...inputOf(traits), tiles - 70]),
    used.map(({ tiles, whole }) => whole - tiles),
  );
}

function inputOf({ flatness, detail, noise, chroma }: FitRow['traits']): number[] {
  return [1, flatness, detail, noise, chroma];
}

function fitPreset(rows: FitRow[], curve: Curve, preset: Preset): number[] {
  const target = PRESET_TARGETS[preset];
  const [least, most] = [curve[0]?.[0] ?? 0, curve.at(-1)?.[0] ?? 100];
  return leastSquares(
    rows.map(({ traits }) => inputOf(traits)),
    rows.map(({ scores }) => Math.min(most, Math.max(least, numberOf(scores, target, curve)))),
  );
}

/** Weights with which the inputs give what is wanted; with a penalty on all but the first. Zeros for nothing. */
function leastSquares(inputs: number[][], wanted: number[]): number[] {
  const size = inputs[0]?.length ?? 0;
  const matrix = Array.from({ length: size }, (_, a) =>
    Array.from({ length: size + 1 }, (_, b) => {
      const sum = inputs.reduce(
        (total, input, row) => total + (input[a] ?? 0) * (b < size ? (input[b] ?? 0) : (wanted[row] ?? 0)),
        0,
      );
      return sum + (a === b && a > 0 ? RIDGE * inputs.length * 0.1 : 0);
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

import { PRESET_TARGETS, type Preset } from '#contract/constants';
import { type Figure, printFigures } from '../support/table.ts';
import { JUDGED_FORMATS, type JudgedFormat, type Outcome } from './runs.ts';

/** All images in one format and preset. */
export interface Judged {
  format: JudgedFormat;
  preset: Preset;
  images: string[];
  outcomes: Outcome[];
  /** Bytes with the best fixed number, by image. */
  fixedBytes: number[];
  fixedNumber: number;
  /** Images that the format cannot bring to the target, with their score at the encoder's highest setting. */
  unreached: { image: string; judged: number; top: number }[];
}

const BYTES_GOAL: Record<JudgedFormat, number> = { webp: 0.75, jpeg: 0.8, avif: 0.8 };
const TOLERANCE = 2;
const MOST_DISTANCE = 6;
const USUAL_DISTANCE = 3;

/** Returns true if the judge's score of a file is below the promise, or not near the score told. */
export function isDoubtful({ judged, told, reached }: Outcome, preset: Preset): boolean {
  return isMissed({ judged, reached }, preset) || Math.abs(told - judged) > USUAL_DISTANCE;
}

function isMissed({ judged, reached }: Pick<Outcome, 'judged' | 'reached'>, preset: Preset): boolean {
  return reached && judged < PRESET_TARGETS[preset] - TOLERANCE;
}

/** Prints what was reached, against the goals. */
export function printReport(judged: Judged[]): void {
  const each = judged.flatMap(({ format, preset, images, outcomes }) =>
    outcomes.map((outcome, index) => ({
      ...outcome,
      format,
      preset,
      image: images[index] ?? '',
      above: outcome.judged - PRESET_TARGETS[preset],
    })),
  );
  const reached = each.filter((one) => one.reached);
  const missed = each.filter((one) => isMissed(one, one.preset));
  const lossy = reached.filter(({ used }) => used !== 'lossless');
  const distances = each.map(({ told, judged: score }) => Math.abs(told - score)).sort((one, other) => one - other);
  const within3 = distances.filter((distance) => distance <= USUAL_DISTANCE).length / distances.length;
  const most = distances.at(-1) ?? 0;
  const mean = meanOf(lossy.map(({ above }) => above));
  for (const { image, format, preset, judged: score, told, used } of missed) {
    console.log(
      `  MISSED ${image} ${preset} ${format}: ${score.toFixed(1)} by the judge, ${told} told, number ${used}`,
    );
  }
  for (const { image, format, preset, judged: score, told, used, stopped } of each) {
    if (stopped === 'knee')
      console.log(`  at the knee: ${image} ${preset} ${format}: ${score.toFixed(1)}, ${told} told, number ${used}`);
  }
  for (const { format, preset, unreached } of judged) {
    for (const { image, judged: score, top } of unreached) {
      console.log(
        `  not reachable: ${image} ${preset} ${format}: ${score.toFixed(1)}, at the highest setting ${top.toFixed(1)}`,
      );
    }
  }
  printFigures(
    `Quality of ${each.length} files, ${each.length - lossy.length} of them lossless or beyond their format`,
    [
      {
        what: 'more than 2 points below the promise',
        measured: `${missed.length}`,
        target: '0',
        met: missed.length === 0,
      },
      { what: 'mean above the promise', measured: `${mean.toFixed(2)} points`, target: '<= 2.5', met: mean <= 2.5 },
      ...JUDGED_FORMATS.flatMap((format) =>
        bytesOf(
          judged.filter((one) => one.format === format),
          format,
        ),
      ),
      {
        what: 'told and judged within 3 points',
        measured: `${(within3 * 100).toFixed(1)} %`,
        target: '>= 95 %',
        met: within3 >= 0.95,
      },
      {
        what: 'told and judged, largest distance',
        measured: `${most.toFixed(1)} points`,
        target: `<= ${MOST_DISTANCE}`,
        met: most <= MOST_DISTANCE,
      },
    ],
  );
}

function bytesOf(judged: Judged[], format: JudgedFormat): Figure[] {
  const pairs = judged.flatMap(({ outcomes, fixedBytes }) =>
    outcomes.map(({ bytes }, index) => [bytes, fixedBytes[index] ?? bytes] as const),
  );
  if (pairs.length === 0 || judged.some(({ fixedBytes }) => fixedBytes.length === 0)) return [];
  const mean = Math.exp(meanOf(pairs.map(([ours, fixed]) => Math.log(ours / fixed))));
  const sum = pairs.reduce((total, [ours]) => total + ours, 0) / pairs.reduce((total, [, fixed]) => total + fixed, 0);
  const goal = BYTES_GOAL[format];
  const what = `bytes at the same worst score, ${format}`;
  return [
    {
      what,
      measured: `${mean.toFixed(3)} (sum ${sum.toFixed(3)})`,
      target: `<= ${goal.toFixed(2)}`,
      met: mean <= goal,
    },
  ];
}

function meanOf(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

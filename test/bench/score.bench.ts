// `npm run bench:score`: time of scoring six tiles of 256 px, as one probe of a search does, in the kernel and in plain TypeScript.

import { createScorer, type Pixels, type PreparedReference } from '../../server/processing/worker/score/index.ts';
import { ORIGINALS, readOriginal } from '../processing/score/pairs.ts';
import { createPlainScorer } from '../processing/score/plain-scorer.ts';

const ROUNDS = 15;
const TILES = 6;

/** Moves all values by one step, back and forth. */
const change = (pixels: Pixels): Pixels => ({
  ...pixels,
  data: pixels.data.map((value, index) => value ^ (index & 3)),
});

/** Median milliseconds of preparing and of scoring the tiles, after a round to warm up. */
function measure(scorer: { prepare(reference: Pixels): PreparedReference }, tiles: Pixels[], rounds: number) {
  const changed = tiles.map(change);
  const times = Array.from({ length: rounds + 1 }, () => {
    const begin = performance.now();
    const references = tiles.map((tile) => scorer.prepare(tile));
    const middle = performance.now();
    for (const [index, reference] of references.entries()) reference.score(changed[index] as Pixels);
    return { prepare: middle - begin, score: performance.now() - middle };
  }).slice(1);
  const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
  return { prepare: median(times.map(({ prepare }) => prepare)), score: median(times.map(({ score }) => score)) };
}

const tile = await readOriginal({ ...ORIGINALS[0] });
const tiles = Array.from({ length: TILES }, () => tile);
const begin = performance.now();
const scorer = await createScorer();
const started = performance.now() - begin;
const kernel = measure(scorer, tiles, ROUNDS);
const plain = measure(createPlainScorer(), tiles, 3);
console.log(
  `Score of ${TILES} tiles of ${tile.width} x ${tile.height}, medians in ms (the kernel starts in ${started.toFixed(1)})`,
);
console.table({
  kernel: { prepare: kernel.prepare.toFixed(1), score: kernel.score.toFixed(1) },
  'plain TypeScript': { prepare: plain.prepare.toFixed(1), score: plain.score.toFixed(1) },
  ratio: { prepare: (kernel.prepare / plain.prepare).toFixed(3), score: (kernel.score / plain.score).toFixed(3) },
});
console.log(`${kernel.score <= 15 ? 'met' : 'MISSED'}: at most 15 ms for the scores of a probe`);

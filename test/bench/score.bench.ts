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

/** Median milliseconds of the first score of the tiles, with the original's share of the work, and of each further one. */
function measure(scorer: { prepare(reference: Pixels): PreparedReference }, tiles: Pixels[], rounds: number) {
  const changed = tiles.map(change);
  const times = Array.from({ length: rounds + 1 }, () => {
    let [first, score] = [0, 0];
    for (const [index, tile] of tiles.entries()) {
      const version = changed[index] as Pixels;
      const begin = performance.now();
      const reference = scorer.prepare(tile);
      reference.score(version);
      const middle = performance.now();
      reference.score(version);
      first += middle - begin;
      score += performance.now() - middle;
    }
    return { first, score };
  }).slice(1);
  const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
  return { first: median(times.map(({ first }) => first)), score: median(times.map(({ score }) => score)) };
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
  kernel: { first: kernel.first.toFixed(1), score: kernel.score.toFixed(1) },
  'plain TypeScript': { first: plain.first.toFixed(1), score: plain.score.toFixed(1) },
  ratio: { first: (kernel.first / plain.first).toFixed(3), score: (kernel.score / plain.score).toFixed(3) },
});
console.log(`${kernel.score <= 15 ? 'met' : 'MISSED'}: at most 15 ms for the scores of a probe`);

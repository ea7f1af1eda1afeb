import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createScorer, type Pixels } from '../../../server/processing/worker/score/index.ts';
import { FIT, layOut } from '../../../server/processing/worker/score/layout.ts';
import { OLDER_FIT } from './older-fit.ts';
import { changedPairs, isPhotograph, readOriginal } from './pairs.ts';
import { createPlainScorer } from './plain-scorer.ts';
import references from './reference-scores.json' with { type: 'json' };

const OLDER_JUDGE = new URL('../../../node_modules/calc-s2-rust/calc_s2_rust_bg.wasm', import.meta.url);

/** What the package exports. Texts are pointers and lengths. */
interface OlderJudge {
  memory: WebAssembly.Memory;
  __wbindgen_malloc(bytes: number): number;
  new_buffer(key: number, keyLength: number, bytes: number): number;
  calc_s2(
    first: number,
    firstLength: number,
    second: number,
    secondLength: number,
    width: number,
    height: number,
  ): number;
}

/** Distances of our scores to others, by the name of the pair. */
interface Distance {
  key: string;
  ours: number;
  theirs: number;
}

const largest = (distances: readonly Distance[]) =>
  Math.max(...distances.map(({ ours, theirs }) => Math.abs(ours - theirs)));

function print(title: string, distances: readonly Distance[]): void {
  const sorted = distances.map(({ ours, theirs }) => Math.abs(ours - theirs)).sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(3);
  console.info(`${title}: median ${at(0.5)}, 95 % within ${at(0.95)}, largest ${at(1)} of ${sorted.length} pairs`);
}

describe('scores of independent programs', () => {
  it('are met where a difference can be seen: within 0.1 on photographs and 0.5 on flat art, wide ones within 0.15 and 1', async () => {
    const scores: Record<string, number> = references.scores;
    const [scorer, exact] = [await createScorer(), await createScorer({ ...FIT, rounding: 0 })];
    const distances: Distance[] = [];
    const unrounded: Distance[] = [];
    for await (const { key, original, changed } of changedPairs()) {
      const theirs = scores[key] ?? Number.NaN;
      distances.push({ key, ours: scorer.prepare(original).score(changed), theirs });
      unrounded.push({ key, ours: exact.prepare(original).score(changed), theirs });
    }
    expect(distances.map(({ key }) => key)).toEqual(Object.keys(scores));
    const visible = distances.filter(({ theirs }) => theirs < 90);
    const photographs = visible.filter(({ key }) => isPhotograph(key));
    print(`${references.judge}, all`, distances);
    print(`${references.judge}, below 90`, visible);
    print(`${references.judge}, photographs below 90`, photographs);
    expect(photographs.length).toBeGreaterThan(20);
    const isWide = ({ key }: Distance) => / \d{4} /.test(key);
    expect(largest(photographs.filter((one) => !isWide(one)))).toBeLessThanOrEqual(0.1);
    expect(largest(visible.filter((one) => !isWide(one)))).toBeLessThanOrEqual(0.5);
    expect(largest(photographs)).toBeLessThanOrEqual(0.15);
    expect(largest(visible)).toBeLessThanOrEqual(1);
    expect(largest(distances.filter(({ theirs }) => theirs < 95))).toBeLessThanOrEqual(1.5);
    // Without its rounding they are not: it counts where an image is flat, and always lowers the score.
    print('without its rounding', unrounded);
    expect(largest(unrounded)).toBeGreaterThan(3);
    expect(largest(unrounded.filter(({ theirs, ours }) => ours < theirs))).toBeLessThanOrEqual(0.1);
  });

  it('of the older version that calc-s2-rust computes are met with its weights', async () => {
    const scorer = await createScorer(OLDER_FIT);
    const newer = await createScorer();
    const judge = startOlderJudge();
    const distances: Distance[] = [];
    const versions: Distance[] = [];
    const isWanted = (key: string) => isPhotograph(key) && /(noise 20|blocks 3|smear 4|levels 3)$/.test(key);
    for await (const { key, original, changed } of changedPairs(isWanted)) {
      const theirs = judge(original, changed);
      distances.push({ key, ours: scorer.prepare(original).score(changed), theirs });
      versions.push({ key, ours: newer.prepare(original).score(changed), theirs });
    }
    print('calc-s2-rust, with its weights', distances);
    print('calc-s2-rust, with those of version 2.1', versions);
    expect(largest(distances.filter(({ theirs }) => theirs < 80))).toBeLessThanOrEqual(0.7);
  });
});

describe('the kernel', () => {
  it('computes what plain TypeScript computes with 53 bits, beside the rounding of the reference', async () => {
    const scorer = await createScorer({ ...FIT, rounding: 0 });
    const plain = createPlainScorer();
    const distances: Distance[] = [];
    const isWanted = (key: string) =>
      /^(photo-stream|screenshot|art-gradient)\S* (301|256|100) (noise 6|levels 1|smear 4)/.test(key);
    for await (const { key, original, changed } of changedPairs(isWanted)) {
      distances.push({
        key,
        ours: scorer.prepare(original).score(changed),
        theirs: plain.prepare(original).score(changed),
      });
    }
    print('plain TypeScript', distances);
    expect(largest(distances.filter(({ theirs }) => theirs < 90))).toBeLessThanOrEqual(0.1);
    expect(largest(distances)).toBeLessThanOrEqual(0.3);
  });

  it('does so for an image whose original is too large to be kept', async () => {
    const fit = { ...FIT, rounding: 0 };
    const [width, height] = [1301, 1543];
    const { data } = await readOriginal({ name: 'screenshot-dashboard.png', left: 100, top: 100, width, height });
    const [original, changed] = [data, data.map((value) => (value >> 3) << 3)].map((one) => ({
      data: one,
      width,
      height,
    }));
    if (!original || !changed) throw new Error('expected two images');
    expect(layOut(width, height, fit, 30_000, false).streamed).toBe(true);
    const score = (await createScorer(fit)).prepare(original).score(changed);
    expect(Math.abs(score - createPlainScorer(fit).prepare(original).score(changed))).toBeLessThan(0.05);
  });
});

/** Runs the WebAssembly of the package: Node cannot load its module. */
function startOlderJudge(): (original: Pixels, changed: Pixels) => number {
  const module = new WebAssembly.Module(readFileSync(OLDER_JUDGE));
  const imports: Record<string, Record<string, () => number>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module))
    imports[from] = { ...imports[from], [name]: () => 0 };
  const { exports } = new WebAssembly.Instance(module, imports);
  const judge = exports as unknown as OlderJudge;
  const write = (bytes: Uint8Array, pointer: number) => {
    new Uint8Array(judge.memory.buffer, pointer, bytes.length).set(bytes);
    return pointer;
  };
  const text = (value: string): [number, number] => {
    const bytes = new TextEncoder().encode(value);
    return [write(bytes, judge.__wbindgen_malloc(bytes.length)), bytes.length];
  };
  return ({ data, width, height }, changed) => {
    write(data, judge.new_buffer(...text('original'), data.length));
    write(changed.data, judge.new_buffer(...text('changed'), data.length));
    return judge.calc_s2(...text('original'), ...text('changed'), width, height);
  };
}

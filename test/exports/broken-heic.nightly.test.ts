import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ImageResult } from '#contract';
import { expectCleanBooks } from '../support/aftermath.ts';
import { FIXTURES } from '../support/api-client.ts';
import { startTestService, type TestService } from '../support/service.ts';

const SOURCES = ['plain', 'deep', 'turned', 'deep-p3', 'alpha', 'rights', 'several', 'phone'];
const FILES = 240;
/** Files of one upload, the last of which is whole. */
const BATCH = 20;
const SEED = 20_261_126;

let test: TestService;
let log = '';
beforeAll(async () => {
  const write = (line: string) => {
    log += line;
  };
  test = await startTestService({ HEIC_INPUT: 'on', LOG_LEVEL: 'warn' }, { log: write });
});
afterAll(() => test.close());

/** Returns numbers from 0 below 1 by a seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Cuts a file off, flips some of its bytes, or writes zeros over a part. */
function broken(file: Buffer, random: () => number): Buffer {
  const copy = Buffer.from(file);
  const place = () => Math.floor(random() * copy.length);
  const kind = random();
  if (kind < 0.2) return copy.subarray(0, Math.max(16, place()));
  if (kind < 0.3) {
    const from = place();
    return copy.fill(0, from, Math.min(copy.length, from + 64));
  }
  // Half of the others in the boxes, whose numbers lead a reader astray; brands stay.
  const most = random() < 0.5 ? Math.min(1000, copy.length) : copy.length;
  for (let flips = 1 + Math.floor(random() * 8); flips > 0; flips -= 1) {
    const at = 24 + Math.floor(random() * (most - 24));
    copy[at] = (copy[at] ?? 0) ^ (1 + Math.floor(random() * 255));
  }
  return copy;
}

it('broken files end with a clear error or a picture; others go on, nothing crashes and nothing is lost', async () => {
  const random = randomNumbers(SEED);
  const sources = await Promise.all(SOURCES.map((name) => readFile(`${FIXTURES}heic/${name}.heic`)));
  const outcomes = new Map<string, number>();
  const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  for (let from = 0; from < FILES; from += BATCH - 1) {
    const files = Array.from({ length: BATCH - 1 }, (_, index) => {
      const number = from + index;
      return { name: `broken-${number}.heic`, bytes: broken(sources[number % sources.length] as Buffer, random) };
    });
    const uploaded = await test.api.upload([...files, 'heic/plain.heic']);
    for (const { code, error, status } of uploaded.rejected) {
      expect([415, 422]).toContain(status);
      expect(error).toMatch(/^[A-Z].{10,}/);
      count(code);
    }
    const { last } = await test.api.run('export', uploaded, { format: 'webp', preset: 'low' });
    const results = last.data.results as ImageResult[];
    for (const { status, error } of results) {
      count(error ? error.code : status);
      if (error) expect(error.message).toMatch(/^[A-Z].{10,}/);
    }
    expect(results.at(-1)).toMatchObject({ originalFilename: 'plain.heic', status: 'completed' });
  }
  const found = [...outcomes.keys()].sort();
  // A header may claim a size that WebP cannot hold.
  const allowed = ['completed', 'invalid_image', 'unsupported_image', 'too_many_pixels', 'output_too_large'];
  expect(allowed).toEqual(expect.arrayContaining(found));
  expect(outcomes.get('completed')).toBeGreaterThan(FILES / BATCH);
  expect(outcomes.get('invalid_image')).toBeGreaterThan(FILES / 10);
  expect(log).toBe('');
  await expectCleanBooks(test);
});

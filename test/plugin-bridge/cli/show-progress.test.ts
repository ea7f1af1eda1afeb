import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import type { Source } from '../../../plugin-bridge/cli/name-outputs.ts';
import type { Outcome } from '../../../plugin-bridge/cli/report.ts';
import { createProgress, leftText, stepText } from '../../../plugin-bridge/cli/show-progress.ts';

/** Returns the output on a terminal of 100 columns. */
function terminal() {
  let written = '';
  const stream = new Writable({
    write(chunk, _, done) {
      written += String(chunk);
      done();
    },
  });
  Object.assign(stream, { isTTY: true, columns: 100 });
  return { stream: stream as unknown as NodeJS.WriteStream, written: () => written };
}

const source = (name: string) => ({ path: `/in/${name}`, below: name, target: name }) as unknown as Source;

it('is a bar on a terminal that never decreases, with the failed images below it', async () => {
  const { stream, written } = terminal();
  const progress = await createProgress(stream, 2);
  const [one, two] = [source('one.jpg'), source('two.jpg')];
  progress.at(one, 0.5, 'uploading one.jpg');
  progress.at(one, 0.25, 'uploading one.jpg');
  progress.done({ source: one, status: 'failed', error: { code: 'invalid_image', message: 'is no image' } } as Outcome);
  progress.at(two, 0.5, 'exporting two.jpg');
  progress.end();
  const shares = [...written().matchAll(/(\d+) % +(\d) of 2 done/g)].map(([, percent, done]) => [
    Number(percent),
    Number(done),
  ]);
  expect(shares[0]).toEqual([0, 0]);
  expect(shares.at(-1)).toEqual([75, 1]);
  expect(shares.map(([percent]) => percent)).toEqual(shares.map(([percent]) => percent).sort((a = 0, b = 0) => a - b));
  expect(written()).toMatch(/█{21}░{7}/);
  expect(written()).toMatch(/\n {2}failed .*one\.jpg: is no image\n$/);
});

it.each([
  [1000, 0.5, ''],
  [10_000, 0, ''],
  [10_000, 0.25, ', about 30 s left'],
  [300_000, 0.5, ', about 5 min left'],
  [300_000, 1, ''],
])('after %i ms at a share of %d it says "%s"', (elapsed, share, text) => {
  expect(leftText(elapsed, share)).toBe(text);
});

it('says what happens to an image, also in a step it does not know', () => {
  expect(['queued', 'resize', 'done', 'toString'].map(stepText)).toEqual(['waiting', 'encoding', 'made', 'toString']);
});

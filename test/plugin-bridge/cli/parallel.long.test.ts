import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lockRecord } from '../../../plugin-bridge/cli/record-lock.ts';
import { type CliHarness, recordOf, spent, startCliHarness, type Workplace, writePictures } from './cli-harness.ts';

let harness: CliHarness;
beforeAll(async () => {
  harness = await startCliHarness();
});
afterAll(() => harness.close());

const stateOf = (place: Workplace) => readdir(join(place.folder, dirname(recordOf(place, 'out'))));

it('two runs into one folder at once keep the results of both, and equal images are paid once', async () => {
  const place = await harness.createWorkplace();
  await writePictures(place, ['in/a/1.png', 'in/a/2.png', 'in/b/3.png', 'in/b/4.png']);
  await place.write('in/b/1.png', await readFile(join(place.folder, 'in/a/1.png')));
  const start = (pattern: string) => place.start(['optimize', pattern, '--out', 'out', '--keep-extension', '--json']);
  const held = await lockRecord(join(place.folder, recordOf(place, 'out')), {
    signal: new AbortController().signal,
    onWait: () => {},
  });
  const runs = [start('in/a/*'), start('in/*/[34].png')];
  const said = runs.map(({ child }) => once(child.stderr ?? child, 'data').then(([line]) => String(line)));
  for (const line of await Promise.all(said)) {
    expect(line).toMatch(
      new RegExp(`^Another run \\(process ${process.pid}\\) writes to .*out\\. Waiting for its end …\\n$`),
    );
  }
  await held.release();
  const [first, second] = await Promise.all(runs.map(({ finished }) => finished));
  expect([first?.exitCode, second?.exitCode], `${first?.stderr}${second?.stderr}`).toEqual([0, 0]);
  const again = await Promise.all([start('in/a/*'), start('in/*/[34].png')].map(({ finished }) => finished));
  expect(again.map((run) => run.report().summary)).toMatchObject([{ unchanged: 2 }, { unchanged: 2 }]);
  expect(await spent(place)).toBe(4);
  expect((await place.start(['optimize', 'in/b/1.png', '-o', 'out', '--json']).finished).report().credits.charged).toBe(
    0,
  );
});

it('Ctrl-C releases the folder, also when it is pressed twice', async () => {
  const place = await harness.createWorkplace();
  await writePictures(place, ['in/a.png']);
  for (const signals of [1, 2]) {
    harness.proxy.reset();
    harness.proxy.inject({ kind: 'hang' }, { path: /^\/v1\/sessions$/ });
    const run = place.start(['optimize', 'in/*', '--out', 'out']);
    await expect.poll(() => harness.proxy.seen.some(({ fault }) => fault === 'hang'), { timeout: 20_000 }).toBe(true);
    expect((await stateOf(place)).filter((name) => name.endsWith('.lock'))).toHaveLength(1);
    for (let count = 0; count < signals; count += 1) run.child.kill('SIGINT');
    expect((await run.finished).exitCode).toBe(130);
    expect((await stateOf(place)).filter((name) => name.endsWith('.lock'))).toEqual([]);
  }
  harness.proxy.reset();
});

it('an image with a name of 80 Chinese characters is made and paid once', async () => {
  const place = await harness.createWorkplace();
  const name = '名'.repeat(80);
  await writePictures(place, [`in/${name}.png`, `in/${name}${'a'.repeat(11)}.png`]);
  const refused = await place.start(['optimize', 'in/*', '--out', 'out']).finished;
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(`${name}aaaaaaaaaaa.png: 256`)]);
  const args = ['in/*', '!in/*aaa.png', '--out', 'out'];
  expect(await place.optimize(...args)).toMatchObject({ exitCode: 0, summary: { made: 1 } });
  expect(await place.optimize(...args)).toMatchObject({ exitCode: 0, summary: { unchanged: 1 } });
  expect(await place.files('out')).toEqual([`${name}.webp`]);
  expect(await spent(place)).toBe(1);
});

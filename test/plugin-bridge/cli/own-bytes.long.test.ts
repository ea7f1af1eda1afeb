import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { sha256Of, startExportBetween } from '../../support/export-between.ts';
import { type CliHarness, startCliHarness, writeNoise } from './cli-harness.ts';

let cli: CliHarness;
beforeAll(async () => {
  cli = await startCliHarness();
});
afterAll(() => cli?.close());

it('files are those that the run was told of, also if another export has taken their names before they are fetched', async () => {
  const place = await cli.createWorkplace({ credits: 10 });
  const { api } = place.account;
  const between = await startExportBetween(cli.test.url, { api, settings: { format: 'webp', preset: 'minimum' } });
  onTestFinished(() => void between.close());
  await writeNoise(place, ['in/a.png', 'in/b.png'], 120);
  const { exitCode, images } = await place.optimize('in/*', '--endpoint', between.url, '--out', 'out');
  expect([exitCode, images.map(({ status }) => status)]).toEqual([0, ['made', 'made']]);
  expect(between.fetched.length).toBe(2);
  const told = images.flatMap(({ outputs }) => outputs);
  for (const { file, sha256 } of told) expect(sha256Of(await readFile(join(place.folder, 'out', file)))).toBe(sha256);
  // The other export has the same names and other bytes, which stand at its own addresses.
  const others = between.second.flatMap(({ variants }) => variants);
  expect(others.map(({ filename }) => filename).sort()).toEqual(told.map(({ file }) => file).sort());
  for (const { url, sha256 } of others) {
    expect(told.map((one) => one.sha256)).not.toContain(sha256);
    expect(sha256Of(new Uint8Array(await (await api.request(url)).arrayBuffer()))).toBe(sha256);
  }
});

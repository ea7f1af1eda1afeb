import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_RESPONSIVE_WIDTHS, OUTPUT_FORMATS, PRESETS } from '#contract/constants';
import { EXIT } from '../../../plugin-bridge/cli/exit-codes.ts';
import { expectedFiles } from '../../../plugin-bridge/cli/name-files.ts';
import { readOptions } from '../../../plugin-bridge/cli/options.ts';
import { USAGE } from '../../../plugin-bridge/cli/usage.ts';
import { type CliHarness, spent, startCliHarness, writePictures } from './cli-harness.ts';

let harness: CliHarness;
beforeAll(async () => {
  harness = await startCliHarness();
});
afterAll(() => harness.close());
afterEach(() => harness.proxy.reset());

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

describe('wrong usage', () => {
  it.each<[string, string[], RegExp, Record<string, string>?]>([
    ['no command', ['in/*'], /expected the command "optimize"/],
    ['no pattern', ['optimize', '--out', 'out'], /expected at least one pattern/],
    ['no output folder', ['optimize', 'in/*'], /--out: expected/],
    ['an unknown option', ['optimize', 'in/*', '--out', 'out', '--colour'], /--colour/],
    [
      'an unknown format',
      ['optimize', 'in/*', '--out', 'o', '--format', 'gif'],
      /--format: expected one of webp, .*"gif"/,
    ],
    ['an unknown preset', ['optimize', 'in/*', '--out', 'o', '--preset', 'best'], /--preset: expected one of/],
    ['sizes that are none', ['optimize', 'in/*', '--out', 'o', '--sizes', '480,wide'], /--sizes: .*"wide"/],
    ['a size out of range', ['optimize', 'in/*', '--out', 'o', '--sizes', '8'], /--sizes: .* from 16 to 8192/],
    ['an address that is none', ['optimize', 'in/*', '--out', 'o', '--endpoint', 'here'], /--endpoint: expected/],
    ['a language for nothing', ['optimize', 'in/*', '--out', 'o', '--language', 'de'], /--language needs --analyze/],
    ['no API key', ['optimize', 'in/*', '--out', 'o'], /expected an API key/, { IMAGEWRIGHT_API_KEY: '' }],
    ['a pattern that finds nothing', ['optimize', 'in/*.tiff', '--out', 'o'], /in\/\*\.tiff: no files found/],
    ['a file that is not there', ['optimize', 'in/z.png', '--out', 'o'], /in\/z\.png: no such file/],
  ])('%s ends with 2 and a message', async (_, args, message, env) => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.png']);
    const { exitCode, stdout, stderr } = await place.start(args, env).finished;
    expect(stderr).toMatch(message);
    expect(stdout).toBe('');
    expect(exitCode).toBe(EXIT.usage);
    expect(harness.proxy.seen).toEqual([]);
  });

  it.each([['--help'], ['optimize', '--help']])('%s %s prints the usage', async (...args) => {
    const { exitCode, stdout } = await (await harness.createWorkplace()).start(args).finished;
    expect([exitCode, stdout]).toEqual([0, USAGE]);
  });
});

describe('a service that cannot be used', () => {
  it.each<[string, string[]]>([
    ['cannot be reached', ['--endpoint', 'http://127.0.0.1:1']],
    ['does not know the key', ['--api-key', 'iw_wrong']],
  ])('that %s ends the run with 4', async (_, args) => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.png', 'in/b.png', 'in/c.png']);
    const { exitCode, stdout, stderr } = await place.start(['optimize', 'in/*', '--out', 'out', ...args]).finished;
    expect(exitCode).toBe(EXIT.service);
    expect(stdout + stderr).toMatch(/^[^\n]{10,}\n$/);
    expect(await place.files('out')).toEqual([]);
  });

  it('at whose address something else responds ends the run with 4', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.png']);
    harness.proxy.inject({ kind: 'answer', status: 200, html: '<h1>Welcome</h1>' }, { times: 100 });
    const report = await place.optimize('in/*', '--out', 'out');
    expect(report).toMatchObject({ exitCode: 4, error: { code: 'bad_response' } });
  });
});

describe('patterns', () => {
  it('may be several, and exclude files with a leading exclamation mark', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.PNG', 'in/raw/b.png', 'in/deep/c.jpg', 'other/d.jpg', 'in/node_modules/e.png']);
    const report = await place.optimize('in/**/*.{png,jpg}', '!in/raw/**', 'other', '--out', 'out', '--dry-run');
    expect(report.images.map(({ source }) => source)).toEqual(['a.PNG', 'deep/c.jpg', 'd.jpg']);
  });

  it('expanded by a shell keep the folders below their common folder', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/x (1)/a.png', 'in/y/[b].png']);
    await place.optimize('in/x (1)/a.png', 'in/y/[b].png', '--out', 'out');
    expect(await place.files('out')).toEqual(['x (1)/a.webp', 'y/[b].webp']);
  });

  it('never match results, in any folder', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['a.png', 'sub/b.png']);
    for (let run = 0; run < 2; run += 1) {
      const report = await place.optimize('**/*.{png,webp}', '--out', 'dist');
      expect(report.images.map(({ source }) => source)).toEqual(['a.png', 'sub/b.png']);
    }
    for (let run = 0; run < 2; run += 1) {
      const report = await place.optimize('sub/*.{png,webp}', '--out', 'sub', '--sizes', '20');
      expect(report.images.map(({ source }) => source)).toEqual(['b.png']);
    }
    expect(await place.files('sub')).toEqual(['b-20w.webp', 'b.png', 'b.webp']);
    expect(await spent(place)).toBe(3);
  });
});

describe('two results with one name', () => {
  it.each<[string, string[], string[], string]>([
    ['two sources differ in their extension', ['in/a.png', 'in/a.jpg'], [], 'a.webp: a.jpg and a.png'],
    ['two sources differ in case', ['in/A.png', 'in/a.jpg'], [], 'a.webp: A.png and a.jpg'],
    ['a size is called like a source', ['in/a.png', 'in/a-480w.png'], ['--sizes', '480'], 'a-480w.webp: '],
    ['a result would lie over its source', ['out/a.png'], ['--format', 'png'], 'a.png: a.png itself'],
  ])('are rejected before anything is spent: %s', async (_, names, args, clash) => {
    const place = await harness.createWorkplace();
    await writePictures(place, names);
    const pattern = names[0]?.startsWith('out') ? 'out/*.png' : 'in/*';
    const { exitCode, stderr } = await place.start(['optimize', pattern, '--out', 'out', ...args]).finished;
    expect(exitCode).toBe(EXIT.usage);
    expect(stderr).toContain(clash);
    expect(stderr).toContain('--keep-extension');
    expect(harness.proxy.seen).toEqual([]);
  });

  it('get two names with --keep-extension', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.png', 'in/a.jpg']);
    await place.optimize('in/*', '--out', 'out', '--keep-extension');
    expect(await place.files('out')).toEqual(['a.jpg.webp', 'a.png.webp']);
  });
});

describe('the documentation of the program', () => {
  it('names and accepts every format, preset and width of the contract', async () => {
    const env = { IMAGEWRIGHT_API_KEY: 'key' };
    const settingsOf = async (...args: string[]) =>
      (await readOptions(['optimize', 'in', '--out', 'out', ...args], env, tmpdir())).settings;
    for (const format of OUTPUT_FORMATS) expect((await settingsOf('--format', format)).format).toBe(format);
    for (const preset of PRESETS) expect((await settingsOf('--preset', preset)).preset).toBe(preset);
    expect(expectedFiles(await settingsOf('--responsive'), 'a.png').map(({ variant }) => variant)).toEqual([
      'full',
      ...DEFAULT_RESPONSIVE_WIDTHS.map((width) => `${width}w`),
    ]);
    expect(USAGE).toContain(OUTPUT_FORMATS.join(', '));
    expect(USAGE).toContain(PRESETS.join(', '));
    expect(USAGE).toContain(DEFAULT_RESPONSIVE_WIDTHS.join(', '));
  });

  it('is the same in --help and in the page, options and exit codes', async () => {
    const page = await readFile(join(ROOT, 'docs/cli.md'), 'utf8');
    const options = [...USAGE.matchAll(/--[a-z-]+/g)].map(([option]) => option);
    for (const option of new Set(options)) expect(page).toContain(`\`${option}`);
    expect(page).toContain(`| ${OUTPUT_FORMATS.map((format) => `\`${format}\``).join(', ')} |`);
    const codes = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(EXIT));
  });

  it('starts as a script of the package, in the current folder of the user', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.png']);
    const args = [
      '--prefix',
      ROOT,
      'run',
      '--silent',
      'imagewright',
      '--',
      'optimize',
      'in/*',
      '--out',
      'out',
      '--json',
    ];
    const { stdout } = await promisify(execFile)('npm', args, {
      cwd: place.folder,
      env: { ...process.env, ...place.env },
    });
    expect(JSON.parse(stdout)).toMatchObject({ exitCode: 0, summary: { made: 1 } });
    expect(await place.files('out')).toEqual(['a.webp']);
  });
});

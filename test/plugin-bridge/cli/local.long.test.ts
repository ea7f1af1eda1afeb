import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stars } from '../../processing/quality/stars.ts';
import { FIXTURES } from '../../support/api-client.ts';
import { type CliHarness, spent, startCliHarness, type Workplace, writePictures } from './cli-harness.ts';

let harness: CliHarness;
beforeAll(async () => {
  // As services run: the engine searches for the quality too.
  harness = await startCliHarness({ QUALITY_SEARCH: 'on' });
});
afterAll(() => harness.close());

/** No service and no key. */
const NOWHERE = { IMAGEWRIGHT_API_KEY: '', IMAGEWRIGHT_ENDPOINT: '' };

async function locally(place: Workplace, ...args: string[]) {
  const { stderr, report } = await place.start(['optimize', ...args, '--json'], NOWHERE).finished;
  try {
    return report();
  } catch (error) {
    throw new Error(stderr, { cause: error });
  }
}

const filesOf = (report: Awaited<ReturnType<typeof locally>>) =>
  report.images.flatMap(({ outputs }) => outputs.map(({ file, sha256 }) => [file, sha256]));

describe('imagewright optimize --local', () => {
  it('makes the bytes that the service makes, without a service, a key or credits', async () => {
    const place = await harness.createWorkplace();
    for (const name of ['photo-brushes.jpg', 'render-tiles.webp']) {
      const small = sharp(join(FIXTURES, 'photos', name))
        .resize(420)
        .withMetadata();
      await place.write(`in/${name}`, await small.toBuffer());
    }
    await writePictures(place, ['in/deep/plain.png']);
    const args = ['in', '--format', 'webp,avif,original', '--sizes', '160', '--max-width', '400', '--placeholder'];
    harness.proxy.reset();
    const here = await locally(place, ...args, '--out', 'here');
    expect(harness.proxy.seen).toEqual([]);
    const there = await place.optimize(...args, '--out', 'there');
    expect(here).toMatchObject({ exitCode: 0, service: null, summary: { made: 3 }, credits: { charged: 0 } });
    expect(there).toMatchObject({ exitCode: 0, summary: { made: 3 }, credits: { charged: 3 } });
    expect(filesOf(here)).toEqual(filesOf(there));
    // A WebP is in two formats, and the plain one has no smaller width.
    expect(filesOf(here)).toHaveLength(3 * 2 + 2 * 2 + 3);
    expect(here.images.map(({ html }) => html)).toEqual(there.images.map(({ html }) => html));
    expect(here.images.map(({ outputs }) => outputs)).toEqual(there.images.map(({ outputs }) => outputs));
    expect(await place.files('here')).toEqual(await place.files('there'));
    expect(await spent(place)).toBe(3);
    expect(await locally(place, ...args, '--out', 'here')).toMatchObject({ summary: { made: 0, unchanged: 3 } });
  });

  it('restores removed results from its cache, and fails what is no image with one line', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.png', 'in/b.png']);
    expect(await locally(place, 'in', '--out', 'out')).toMatchObject({ exitCode: 0, summary: { made: 2 } });
    await rm(join(place.folder, 'out/a.webp'));
    await place.write('in/c.png', 'text');
    const { stdout, exitCode } = await place.start(['optimize', 'in', '--out', 'out'], NOWHERE).finished;
    expect(exitCode).toBe(1);
    expect(stdout).toContain('3 images: 1 restored, 1 unchanged, 1 failed.');
    expect(stdout).not.toContain('credit');
  });

  it('tells which files stay below the score, and reaches it with --exact', async () => {
    const place = await harness.createWorkplace();
    const { data, width, height, channels } = stars();
    await place.write('in/stars.png', await sharp(data, { raw: { width, height, channels } }).png().toBuffer());
    const args = ['optimize', 'in', '--out', 'out', '--preset', 'maximum'];
    const stopped = await place.start(args, NOWHERE).finished;
    expect(stopped.stdout).toMatch(/1 file stays below the score .* --exact reaches it, for about \d+\.\d kB more\./);
    const exact = await place.start([...args, '--exact'], NOWHERE).finished;
    expect(exact.stdout).toContain('1 image: 1 made.');
    expect(exact.stdout).not.toContain('below the score');
  });
});

describe('a configuration file', () => {
  it('gives patterns and options, from any folder below it, and the command line overrides them', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['src/a.png', 'src/sub/b.jpg']);
    const config = { patterns: ['src/**/*'], out: 'public/img', format: ['avif', 'webp'], markup: 'images.json' };
    await place.write('imagewright.config.json', JSON.stringify({ ...config, baseUrl: '/img/', local: true }));
    const below = { ...place, folder: join(place.folder, 'src/sub') };
    const run = (...args: string[]) => place.start(['optimize', ...args], { ...NOWHERE, INIT_CWD: below.folder });
    expect((await run().finished).exitCode).toBe(0);
    expect(await place.files('public')).toEqual(['img/a.avif', 'img/a.webp', 'img/sub/b.avif', 'img/sub/b.webp']);
    const markup = JSON.parse(await readFile(join(place.folder, 'images.json'), 'utf8'));
    expect(markup['sub/b.jpg']).toMatchObject({
      src: '/img/sub/b.webp',
      width: 60,
      // The AVIF of so small a picture is larger.
      sources: [],
      html: expect.stringMatching(/^<img src="\/img\/sub\/b\.webp"/),
    });
    // Its record is outside of what is deployed.
    expect(JSON.stringify(await place.files('.'))).not.toContain('.imagewright');
    const webp = await run('--format', 'webp', '--json').finished;
    expect(webp.report().settings).toMatchObject({ format: 'webp' });
  });

  it.each([
    [{ maxwidth: 3 }, /maxwidth: no such option; there are patterns, .*maxWidth/],
    [{ apiKey: 'iw_x' }, /IMAGEWRIGHT_API_KEY/],
    [{ prune: 'yes' }, /prune: expected true or false/],
    [{ format: 'bmp' }, /--format: expected one of/],
  ])('with %j ends with 2 and says why', async (wrong, message) => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['src/a.png']);
    await place.write('imagewright.config.json', JSON.stringify({ patterns: 'src', out: 'out', ...wrong }));
    const { exitCode, stderr } = await place.start(['optimize'], NOWHERE).finished;
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe('--check, --prune and --hashed-names', () => {
  it('tell what is not optimized, and remove what no image gives any longer', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.png', 'in/old/b.png']);
    const args = ['in', '--out', 'out', '--hashed-names'];
    const before = await place.start(['optimize', ...args, '--check'], NOWHERE).finished;
    expect(before.exitCode).toBe(1);
    expect(before.stderr).toContain('Not optimized: 2 of 2 images.');
    const first = await locally(place, ...args);
    const [name = ''] = first.images[0]?.outputs.map(({ file }) => file) ?? [];
    expect(name).toMatch(/^a\.[0-9a-f]{8}\.webp$/);
    expect((await place.start(['optimize', ...args, '--check'], NOWHERE).finished).exitCode).toBe(0);
    await place.write('out/own.webp', 'of somebody else');
    await rm(join(place.folder, 'in/old'), { recursive: true });
    await writePictures(place, ['in/a.png'], { width: 80 });
    const pruned = await locally(place, ...args, '--prune');
    expect(pruned.pruned).toHaveLength(2);
    expect(await place.files('out')).toEqual([pruned.images[0]?.outputs[0]?.file, 'own.webp'].sort());
  });
});

it('never takes its own results for images, even under another --out', async () => {
  const place = await harness.createWorkplace();
  await mkdir(join(place.folder, 'site'));
  await writeFile(join(place.folder, 'site/package.json'), '{}');
  await writePictures(place, ['site/a.png']);
  await locally(place, 'site', '--out', 'site');
  const other = await locally(place, 'site', '--out', 'elsewhere');
  expect(other.images.map(({ source }) => source)).toEqual(['a.png']);
  expect(await place.files('elsewhere')).toEqual(['a.webp']);
});

it('the price of a dry run is the price of the run, also for equal images', async () => {
  const place = await harness.createWorkplace();
  await writePictures(place, ['in/a.png', 'in/b.png']);
  await place.write('in/copy.png', await readFile(join(place.folder, 'in/a.png')));
  const args = ['in', '--out', 'out', '--format', 'webp,avif', '--sizes', '20'];
  const planned = await place.optimize(...args, '--dry-run');
  const made = await place.optimize(...args);
  expect([planned.cost?.credits, made.credits.charged]).toEqual([2, 2]);
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FIXTURES } from '../../support/api-client.ts';
import { noiseImage, plainImage } from '../../support/small-images.ts';
import { type CliHarness, spent, startCliHarness, writePictures } from './cli-harness.ts';

let harness: CliHarness;
beforeAll(async () => {
  harness = await startCliHarness();
});
afterAll(() => harness.close());
afterEach(() => harness.proxy.reset());

describe('imagewright optimize', () => {
  it('optimizes real photographs and keeps the folders of their sources', async () => {
    const place = await harness.createWorkplace();
    // AVIF takes seconds for each megapixel.
    const smaller = (name: string) =>
      sharp(join(FIXTURES, 'photos', name))
        .resize(900)
        .toBuffer();
    await place.write('photos/brushes.jpg', await smaller('photo-brushes.jpg'));
    await place.write('photos/pages/tiles.webp', await smaller('render-tiles.webp'));
    await writePictures(place, ['photos/pages/plain.png', 'photos/readme.txt.png']);
    const report = await place.optimize(
      'photos/**/*.{jpg,png,webp}',
      '--format',
      'avif',
      '--out',
      'dist',
      '--sizes',
      '480,200',
    );
    expect(await place.files('dist')).toEqual([
      'brushes-200w.avif',
      'brushes-480w.avif',
      'brushes.avif',
      'pages/plain.avif',
      'pages/tiles-200w.avif',
      'pages/tiles-480w.avif',
      'pages/tiles.avif',
      'readme.txt.avif',
    ]);
    const source = await place.decode('photos/brushes.jpg');
    const full = await place.decode('dist/brushes.avif');
    expect(full).toMatchObject({ format: 'heif', compression: 'av1', width: source.width, height: source.height });
    expect(await place.decode('dist/brushes-480w.avif')).toMatchObject({ width: 480 });
    expect(report.summary).toMatchObject({ images: 4, made: 4, failed: 0 });
    expect(report.credits).toEqual({ charged: 4, refunded: 0, balance: 96 });
    const brushes = report.images.find(({ source }) => source === 'brushes.jpg');
    expect(brushes?.originalBytes).toBe((await readFile(join(place.folder, 'photos/brushes.jpg'))).length);
    expect(brushes?.outputBytes).toBe((await readFile(join(place.folder, 'dist/brushes.avif'))).length);
    expect(await spent(place)).toBe(4);
  });

  it('costs nothing the second time and sends no request', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.png', 'in/b.png']);
    await place.optimize('in/*.png', '--out', 'out');
    harness.proxy.reset();
    const again = await place.optimize('in/*.png', '--out', 'out');
    expect(again.summary).toMatchObject({ unchanged: 2, made: 0 });
    expect(harness.proxy.seen).toEqual([]);
    expect(again.images.map(({ outputs }) => outputs[0]?.file)).toEqual(['a.webp', 'b.webp']);
  });

  it('with --only-smaller, writes no file that is not smaller, and an image without any costs nothing', async () => {
    const place = await harness.createWorkplace();
    const { bytes } = await plainImage('a.webp', { format: 'webp' });
    await place.write('in/small.webp', bytes);
    await place.write('in/large.png', (await noiseImage('b.png')).bytes);
    const args = ['in/*', '--out', 'out', '--only-smaller'];
    const report = await place.optimize(...args);
    expect(await place.files('out')).toEqual(['large.webp']);
    expect(report.credits).toMatchObject({ charged: 2, refunded: 1 });
    const small = report.images.find(({ source }) => source === 'small.webp');
    expect(small).toMatchObject({ status: 'made', outputBytes: null, outputs: [], warnings: [{ code: 'no_gain' }] });
    expect((await place.optimize(...args)).summary).toMatchObject({ unchanged: 2, made: 0 });
    const { stdout } = await place.start(['optimize', ...args, '--force']).finished;
    expect(stdout).toContain('No file would get smaller, so nothing was charged.');
    expect(await spent(place)).toBe(2);
  });

  it('makes an image again if its source or the settings have changed', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.png', 'in/b.png']);
    await place.optimize('in', '--out', 'out');
    await writePictures(place, ['in/a.png'], { width: 80, height: 50 });
    const changed = await place.optimize('in', '--out', 'out');
    expect(changed.images.map(({ source, status }) => [source, status])).toEqual([
      ['a.png', 'made'],
      ['b.png', 'unchanged'],
    ]);
    expect(await place.decode('out/a.webp')).toMatchObject({ width: 80 });
    expect((await place.optimize('in', '--out', 'out', '--preset', 'low')).summary.made).toBe(2);
    expect((await place.optimize('in', '--out', 'out', '--preset', 'low', '--force')).summary.made).toBe(2);
    expect(await spent(place)).toBe(7);
  });

  it('keeps results of several formats side by side', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.png']);
    for (const format of ['webp', 'jpeg', 'original']) await place.optimize('in/*', '--out', 'out', '--format', format);
    expect(await place.files('out')).toEqual(['a.jpg', 'a.png', 'a.webp']);
    expect((await place.optimize('in/*', '--out', 'out', '--format', 'jpeg')).summary.unchanged).toBe(1);
  });

  it('pays once for files with the same content', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.png']);
    const bytes = await readFile(join(place.folder, 'in/a.png'));
    await place.write('in/deep/copy.png', bytes);
    const planned = await place.optimize('in/**/*.png', '--out', 'out', '--dry-run');
    expect(planned.cost).toMatchObject({ images: 1, credits: 1 });
    const report = await place.optimize('in/**/*.png', '--out', 'out');
    expect(report).toMatchObject({ summary: { made: 2 }, credits: { charged: 1 } });
    expect(await place.files('out')).toEqual(['a.webp', 'deep/copy.webp']);
    await place.write('in/third.png', bytes);
    expect((await place.optimize('in/**/*.png', '--out', 'out')).images.map(({ status }) => status).sort()).toEqual([
      'restored',
      'unchanged',
      'unchanged',
    ]);
    expect(await spent(place)).toBe(1);
  });

  it('reports why a file failed, finishes the others and ends with 1', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.png', 'in/c.png']);
    await place.write('in/b.jpg', 'no image at all');
    await place.write('in/d.png', (await readFile(join(place.folder, 'in/a.png'))).subarray(0, 60));
    const { exitCode, stdout, stderr } = await place.start(['optimize', 'in/*', '--out', 'out']).finished;
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/failed b\.jpg: Expected an image/);
    expect(stdout).toMatch(/b\.jpg.*failed: /);
    expect(stdout).toMatch(/4 images: 2 made, 2 failed/);
    expect(await place.files('out')).toEqual(['a.webp', 'c.webp']);
    const report = await place.optimize('in/*', '--out', 'out');
    expect(report.images.map(({ status, error }) => [status, error?.code])).toEqual([
      ['unchanged', undefined],
      ['failed', 'unsupported_image'],
      ['unchanged', undefined],
      ['failed', expect.stringMatching(/invalid_image|unsupported_image/)],
    ]);
    expect(await spent(place)).toBe(2);
  });

  it('splits an upload that is too large', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.png', 'in/b.png', 'in/c.png']);
    harness.proxy.inject({ kind: 'answer', status: 413, html: '<h1>Too large</h1>' }, { path: /^\/v1\/sessions$/ });
    expect((await place.optimize('in/*', '--out', 'out')).summary.made).toBe(3);
    expect(harness.proxy.seen.filter(({ path }) => path === '/v1/sessions')).toHaveLength(3);
  });

  it('describes images with --analyze and writes the texts into the files', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/red-bicycle.jpg']);
    const report = await place.optimize('in/*', '--out', 'out', '--format', 'jpeg', '--analyze', '--embed-metadata');
    expect(report.images[0]?.metadata?.title).toMatch(/red bicycle/i);
    expect((await place.decode('out/red-bicycle.jpg')).xmp?.toString()).toMatch(/red bicycle/i);
  });

  it('makes more images than one upload may have', async () => {
    const place = await harness.createWorkplace({ credits: 130 });
    await writePictures(
      place,
      Array.from({ length: 120 }, (_, index) => `in/${index}.png`),
      { width: 8, height: 8 },
    );
    const report = await place.optimize('in/*.png', '--out', 'out', '--concurrency', '3');
    expect(report.summary.made).toBe(120);
    expect(harness.proxy.seen.filter(({ path }) => path === '/v1/sessions')).toHaveLength(2);
    expect(await spent(place)).toBe(120);
  });
});

describe('--dry-run', () => {
  it('prints the cost and changes nothing', async () => {
    const place = await harness.createWorkplace({ credits: 2 });
    await writePictures(place, ['in/a.png', 'in/b.png']);
    const { exitCode, stdout } = await place.start(['optimize', 'in/*', '--out', 'out', '--dry-run']).finished;
    expect(exitCode).toBe(0);
    expect(stdout).toBe('2 images would be made for 2 credits, the balance is 2. Nothing was changed.\n');
    expect(harness.proxy.seen.map(({ path }) => path)).toEqual(['/v1/credits/check']);
    await writePictures(place, ['in/a.png', 'in/b.png', 'in/c.png']);
    const report = await place.optimize('in/*', '--out', 'out', '--dry-run');
    expect(report).toMatchObject({ exitCode: 3, cost: { images: 3, credits: 3, balance: 2, sufficient: false } });
    expect(report.images.map(({ status }) => status)).toEqual(['planned', 'planned', 'planned']);
    expect(await place.files()).toEqual(['in/a.png', 'in/b.png', 'in/c.png']);
    expect(await spent(place)).toBe(0);
  });
});

describe('standard output', () => {
  it('is one JSON document with --json, for every end', async () => {
    const place = await harness.createWorkplace({ credits: 1 });
    await writePictures(place, ['in/a.png', 'in/b.png']);
    const runs = [
      ['in/a.png', '--out', 'out'],
      ['in/a.png', '--out', 'out'],
      ['in/*.png', '--out', 'out'],
      ['in/*.png', '--out', 'out', '--format', 'bmp'],
      ['in/*.png', '--out', 'out', '--endpoint', 'http://127.0.0.1:1'],
    ];
    const codes: number[] = [];
    for (const args of runs) {
      const { exitCode, report } = await place.start(['optimize', ...args, '--json']).finished;
      expect(report().exitCode).toBe(exitCode);
      codes.push(report().exitCode);
    }
    expect(codes).toEqual([0, 0, 3, 2, 4]);
  });

  it('is a table of savings otherwise, and nothing on standard error', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.png', 'in/b.png']);
    const { stdout, stderr } = await place.start(['optimize', 'in/*.png', '--out', 'out']).finished;
    expect(stdout).toMatch(/│ Image +│ +Before │ +After │ +Saved │ Difference +│/);
    expect(stdout).toMatch(/│ a\.png +│/);
    expect(stdout).toContain('2 credits spent, 98 left.');
    expect(stderr).toBe('');
  });
});

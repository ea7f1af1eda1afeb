import { readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isCompleteImage } from '../../../plugin-bridge/cli/complete-image.ts';
import { plainImage } from '../../support/small-images.ts';
import { type CliHarness, recordOf, spent, startCliHarness, type Workplace, writePictures } from './cli-harness.ts';

let harness: CliHarness;
beforeAll(async () => {
  harness = await startCliHarness();
});
afterAll(() => harness.close());
afterEach(() => harness.proxy.reset());

const OUT = 'photos';
/** Writes results beside their sources. */
const RUN = ['photos/*.png', '--out', OUT];
const read = (place: Workplace, name: string) => readFile(join(place.folder, name));

/** Another image, e.g. made by hand. */
async function picture(format: 'webp' | 'png' | 'jpeg' | 'avif' = 'webp'): Promise<Buffer> {
  const { bytes } = await plainImage('own.png', { width: 30, height: 20, colour: '#ff8800' });
  return sharp(bytes).toFormat(format).toBuffer();
}

async function changeRecord(place: Workplace, change: (record: Record<string, unknown>) => object): Promise<void> {
  const record = recordOf(place, OUT);
  await place.write(record, JSON.stringify(change(JSON.parse(`${await read(place, record)}`))));
}

describe('a file in the output folder that is in no record', () => {
  it('ends the run with 2 before anything is spent, and is left unchanged', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['photos/a.png', 'photos/b.png']);
    await place.write('photos/a.webp', await picture());
    const before = await read(place, 'photos/a.webp');
    for (const flags of [[], ['--force']]) {
      const { exitCode, stderr } = await place.start(['optimize', ...RUN, ...flags]).finished;
      expect(exitCode).toBe(2);
      expect(stderr).toContain('  a.webp: is in no record of this program\n');
      expect(stderr).toContain('--overwrite');
    }
    const report = await place.optimize(...RUN);
    expect(report).toMatchObject({
      exitCode: 2,
      error: { code: 'would_overwrite' },
      summary: { failed: 0, unmade: 2 },
    });
    expect(report.conflicts).toEqual([{ file: 'a.webp', source: 'a.png', reason: 'unknown' }]);
    expect(report.images[1]?.error?.message).toBe('These files would be overwritten, so nothing was done');
    expect(harness.proxy.seen).toEqual([]);
    expect(await read(place, 'photos/a.webp')).toEqual(before);
    expect(await place.files('photos')).toEqual(['a.png', 'a.webp', 'b.png']);
    expect(await spent(place)).toBe(0);
  });

  it('is reported by --dry-run together with the cost', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['photos/a.png', 'photos/b.png']);
    await place.write('photos/b-20w.webp', await picture());
    const report = await place.optimize(...RUN, '--sizes', '20', '--dry-run');
    expect(report).toMatchObject({ exitCode: 2, error: { code: 'would_overwrite' }, cost: { images: 2, credits: 2 } });
    expect(report.conflicts).toEqual([{ file: 'b-20w.webp', source: 'b.png', reason: 'unknown' }]);
    expect(report.images.map(({ status }) => status)).toEqual(['planned', 'planned']);
    const allowed = await place.optimize(...RUN, '--sizes', '20', '--dry-run', '--overwrite');
    expect(allowed).toMatchObject({ exitCode: 0, error: null });
    expect(allowed.notices.join()).toContain('b-20w.webp');
    const { exitCode, stdout, stderr } = await place.start(['optimize', ...RUN, '--sizes', '20', '--dry-run']).finished;
    expect(exitCode).toBe(2);
    expect(stdout).toContain('2 images would be made for 2 credits');
    expect(stderr).toContain('  b-20w.webp: is in no record');
    // Another size causes no conflict.
    expect((await place.optimize(...RUN, '--dry-run')).exitCode).toBe(0);
  });

  it('is overwritten with --overwrite, and is in the record from then on', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['photos/a.png']);
    await place.write('photos/a.webp', await picture());
    expect(await place.optimize(...RUN, '--overwrite')).toMatchObject({ exitCode: 0, summary: { made: 1 } });
    expect(await place.decode('photos/a.webp')).toMatchObject({ width: 60 });
    expect(await place.optimize(...RUN)).toMatchObject({ exitCode: 0, summary: { unchanged: 1 }, conflicts: [] });
    expect(await place.optimize(...RUN, '--preset', 'low')).toMatchObject({ exitCode: 0, summary: { made: 1 } });
  });

  it('may be a result whose record was lost: nothing is paid again unasked', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['photos/a.png']);
    await place.optimize(...RUN);
    await rm(join(place.folder, recordOf(place, OUT)));
    expect(await place.optimize(...RUN)).toMatchObject({ exitCode: 2, error: { code: 'would_overwrite' } });
    expect(await spent(place)).toBe(1);
    expect(await place.optimize(...RUN, '--overwrite')).toMatchObject({ exitCode: 0, summary: { made: 1 } });
  });

  it('is ignored if it is empty, as a power cut leaves it', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['photos/a.png']);
    await place.write('photos/a.webp', '');
    expect(await place.optimize(...RUN)).toMatchObject({ exitCode: 0, summary: { made: 1 } });
  });
});

describe('an edited result', () => {
  it('ends the run with 2, whether its source has changed or not', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['photos/a.png', 'photos/b.png']);
    await place.optimize(...RUN);
    const made = await read(place, 'photos/a.webp');
    const edited = await picture();
    await place.write('photos/a.webp', edited);
    const conflicts = [{ file: 'a.webp', source: 'a.png', reason: 'edited' }];
    expect(await place.optimize(...RUN)).toMatchObject({ exitCode: 2, conflicts, summary: { unchanged: 1 } });
    expect(await place.optimize(...RUN, '--force')).toMatchObject({ exitCode: 2, conflicts });
    expect(await read(place, 'photos/a.webp')).toEqual(edited);
    expect(await place.optimize(...RUN, '--overwrite')).toMatchObject({ exitCode: 0, summary: { restored: 1 } });
    expect(await read(place, 'photos/a.webp')).toEqual(made);
    expect(await spent(place)).toBe(2);
    await place.write('photos/a.webp', edited);
    await writePictures(place, ['photos/a.png'], { width: 80, height: 50 });
    expect(await place.optimize(...RUN)).toMatchObject({ exitCode: 2, conflicts });
    expect(await read(place, 'photos/a.webp')).toEqual(edited);
    expect(await spent(place)).toBe(2);
  });

  it.each(['webp', 'png', 'jpeg', 'avif'] as const)('is distinguished from a truncated one: %s', async (format) => {
    const place = await harness.createWorkplace();
    const whole = await picture(format);
    await place.write('image', whole);
    const path = join(place.folder, 'image');
    expect(await isCompleteImage(path)).toBe(true);
    for (const length of [whole.length - 4, Math.floor(whole.length / 2), 20, 3]) {
      await truncate(path, length);
      expect(await isCompleteImage(path)).toBe(false);
    }
    await place.write('image', '<!doctype html><h1>502</h1>');
    expect(await isCompleteImage(path)).toBe(false);
  });
});

describe('a file the program has written', () => {
  it('is overwritten for all settings, and is never a source', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['photos/a.png', 'photos/b.png']);
    const all = ['photos/*.{png,webp}', '--out', 'photos'];
    for (const flags of [
      ['--sizes', '20'],
      ['--preset', 'low'],
      ['--sizes', '20', '--preset', 'medium'],
      ['--force'],
    ]) {
      expect(await place.optimize(...all, ...flags)).toMatchObject({ exitCode: 0, summary: { images: 2, made: 2 } });
    }
    expect(await place.files('photos')).toEqual(['a-20w.webp', 'a.png', 'a.webp', 'b-20w.webp', 'b.png', 'b.webp']);
  });

  it('is recognised from an older record, which lists only the latest results', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['photos/a.png', 'photos/b.png']);
    await place.optimize(...RUN, '--sizes', '20');
    await place.optimize(...RUN);
    await changeRecord(place, ({ written: _, results, targets, ...rest }) => {
      const used = Object.values(targets as Record<string, string>);
      // Results without a target are removed from the record after a day.
      const kept = Object.entries(results as object).filter(([key]) => used.includes(key));
      return { ...rest, targets, results: Object.fromEntries(kept) };
    });
    expect(await place.optimize(...RUN)).toMatchObject({ exitCode: 0, summary: { unchanged: 2 } });
    await writePictures(place, ['photos/a.png'], { width: 80, height: 50 });
    expect(await place.optimize(...RUN)).toMatchObject({ exitCode: 0, summary: { made: 1 } });
    const report = await place.optimize(...RUN, '--sizes', '20', '--preset', 'low');
    expect(report).toMatchObject({ exitCode: 0, summary: { made: 2 }, conflicts: [] });
  });

  it('is recognised if the run was killed before it recorded the file', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['photos/a.png']);
    await place.optimize(...RUN);
    // Results are recorded before their files are written.
    await changeRecord(place, (record) => ({ ...record, targets: {}, written: {} }));
    expect(await place.optimize(...RUN, '--preset', 'low')).toMatchObject({ exitCode: 0, summary: { made: 1 } });
    expect(await place.optimize(...RUN, '--preset', 'low')).toMatchObject({ exitCode: 0, summary: { unchanged: 1 } });
  });
});

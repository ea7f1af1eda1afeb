import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasExiftool, placesByExiftool } from '../judge/exiftool.ts';
import { type FileWithPlace, filesWithPlaces, placesIn } from '../judge/places.ts';
import { expectNoPlaces } from './expect-no-places.ts';
import { type Harness, startHarness } from './processor-harness.ts';

/** Where exiftool of Debian 12 does not look: credentials of some containers, and what stands behind the end. */
const UNSEEN = ['credentials.webp', 'credentials.avif', 'credentials.gif', 'credentials.heic', 'behind.jpg'];

let harness: Harness;
let files: FileWithPlace[];
beforeAll(async () => {
  harness = await startHarness({ WORKERS: 2, QUALITY_SEARCH: 'off', HEIC_INPUT: 'on' });
  files = await filesWithPlaces();
});
afterAll(() => harness.close());

describe('places, serial numbers and thumbnails', () => {
  it('are in the files that the other tests begin with', async () => {
    const stored = await Promise.all(files.map(({ name, bytes }) => harness.store(name, bytes)));
    expect(files.filter(({ bytes }) => placesIn(bytes).length === 0).map(({ name }) => name)).toEqual([]);
    const named = placesByExiftool(stored).map((line) => line.split(': ')[0]);
    const missed = files.filter((_, index) => !named.includes(stored[index])).map(({ name }) => name);
    if (hasExiftool) expect(missed.filter((name) => !UNSEEN.includes(name))).toEqual([]);
  });

  it('are named by `carries` wherever they stand', async () => {
    for (const { name, bytes, names } of files) {
      const { carries } = (await harness.facts(await harness.store(name, bytes))) as unknown as { carries: string[] };
      expect([name, names.filter((kind) => !carries.includes(kind))]).toEqual([name, []]);
    }
  });

  it('leave in no format, with no preset and at no level', () => expectNoPlaces(harness, files, 'few'));

  it('go with the credentials that hold them, which is told', async () => {
    const source = await harness.store(
      'c.jpg',
      (files.find(({ name }) => name === 'c2pa-stds.exif.jpg') as FileWithPlace).bytes,
    );
    const [kept] = await harness.render(source, { format: 'original', preset: 'maximum' });
    expect(kept?.keptOriginal).toBe(true);
    expect(kept?.warnings.map(({ code }) => code)).toEqual(['content_credentials_dropped']);
  });
});

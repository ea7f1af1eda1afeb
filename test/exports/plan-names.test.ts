import { describe, expect, it } from 'vitest';
import { createNamePlanner, type NameRequest, type PlannedNames } from '../../server/exports/file-names.ts';
import { basenameOf, cleanBasename, filenameKey, variantFilename } from '../../server/processing/index.ts';
import { expectSteady } from '../support/cpu-time.ts';

const filesOf = (extension: string, ...names: string[]) => names.map((name) => ({ name, extension }));
const ELEVEN = filesOf(
  'webp',
  'full',
  ...[320, 480, 640, 768, 960, 1024, 1280, 1600, 1920, 2560].map((width) => `${width}w`),
);

/** The rule without any memory: the first number of which every name is free or the owner's. */
function planSlowly(request: NameRequest, taken: Map<string, string>): PlannedNames {
  const { owner, wanted, originalFilename, files } = request;
  const base = wanted === null ? basenameOf(originalFilename) : cleanBasename(wanted, originalFilename);
  for (let number = 1; ; number += 1) {
    const stem = number === 1 ? base : `${base}-${number}`;
    const filenames = files.map(({ name, extension }) => variantFilename(stem, extension, name));
    const keys = filenames.map(filenameKey);
    if (keys.some((key) => (taken.get(key) ?? owner) !== owner)) continue;
    for (const key of keys) taken.set(key, owner);
    return { filenames, keys };
  }
}

describe('planning names', () => {
  it('of 1,000 images with one name, 11 variants each, is done in a moment, and so is doing it again', () => {
    const requests = Array.from({ length: 1000 }, (_, index) => ({
      owner: `image ${index}`,
      wanted: null,
      originalFilename: 'image.jpg',
      files: ELEVEN,
    }));
    const taken = new Map<string, string>();
    const warm = createNamePlanner(new Map());
    for (const request of requests.slice(0, 100)) warm(request);

    const names = requests.map(createNamePlanner(taken));
    expect(names[999]?.filenames[1]).toBe('image-1000-320w.webp');

    const again = requests.reverse().map(createNamePlanner(taken)).reverse();
    expect(again).toEqual(names);

    // The first time, and with the names that were taken then.
    expectSteady((share) => {
      const some = requests.slice(0, 1000 * share);
      const own = new Map<string, string>();
      some.map(createNamePlanner(own));
      some.map(createNamePlanner(own));
    });
  });

  it('gives the names that trying every number from the first on gives, whatever was taken before', () => {
    let seed = 7;
    const below = (limit: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % limit;
    };
    const pick = <T>(values: T[]): T => values[below(values.length)] as T;
    for (let round = 0; round < 300; round += 1) {
      const request = (): NameRequest => ({
        owner: `owner ${below(6)}`,
        wanted: pick([null, 'a', 'A', 'a-2', 'a-2-480w', 'ΑΣ', 'ας', 'a-480w']),
        originalFilename: pick(['a.jpg', 'a-3.png', 'b.gif']),
        files: filesOf(pick(['webp', 'png']), ...pick([['full'], ['full', '480w'], ['full', '480w', '960w']])),
      });
      const before = new Map<string, string>();
      for (let index = below(12); index > 0; index -= 1) planSlowly(request(), before);
      const [slow, fast] = [new Map(before), new Map(before)];
      const plan = createNamePlanner(fast);
      for (let index = 0; index < 25; index += 1) {
        const wish = request();
        expect(plan(wish)).toEqual(planSlowly(wish, slow));
      }
      expect(fast).toEqual(slow);
    }
  });
});

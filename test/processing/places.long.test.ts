import { expect, it } from 'vitest';
import { filesWithPlaces } from '../judge/places.ts';
import { expectNoPlaces } from './expect-no-places.ts';
import { startHarness } from './processor-harness.ts';

it('places, serial numbers and thumbnails leave in no format with each preset and at each level', async () => {
  const harness = await startHarness({ WORKERS: 2, QUALITY_SEARCH: 'off', HEIC_INPUT: 'on' });
  try {
    await expectNoPlaces(harness, await filesWithPlaces(), 'pairs');
    expect(await harness.leftovers()).toEqual([]);
  } finally {
    await harness.close();
  }
});

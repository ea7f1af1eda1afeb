import { describe, expect, it } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { uploadLargeFile, uploadPhotographs } from './slow-uplink.ts';

/** An eighth of the times of the service, with lines eight times as fast. */
const SHORTENED = {
  REQUEST_SILENCE_SECONDS: '4',
  REQUEST_GRACE_SECONDS: '8',
  REQUEST_MIN_BYTES_PER_SECOND: '64000',
};

describe('over a slow line', () => {
  it('one large file arrives by the SDK, in the first try', async () => {
    const arrival = await uploadLargeFile({ width: 2000, height: 1600 }, { env: SHORTENED, bytesPerSecond: 800_000 });
    expect(arrival).toMatchObject({ images: 1, statuses: [201] });
    expect(arrival.seconds).toBeGreaterThan(8);
  });

  it('four photographs arrive by the element, each in the first try', async () => {
    const { browser } = await sharedBrowser();
    const arrival = await uploadPhotographs({ browser, count: 4 }, { env: SHORTENED, bytesPerSecond: 1_000_000 });
    expect(arrival).toMatchObject({ images: 4, statuses: [201, 201, 201, 201] });
    expect(arrival.seconds).toBeGreaterThan(16);
  });
});

describe('over a line that is too slow for several uploads at a time', () => {
  it('the element uploads fewer at a time, and every photograph arrives', async () => {
    const { browser } = await sharedBrowser();
    const env = { ...SHORTENED, REQUEST_GRACE_SECONDS: '2' };
    const arrival = await uploadPhotographs(
      { browser, count: 4 },
      // 133 kB/s for each of three.
      { env: { ...env, REQUEST_MIN_BYTES_PER_SECOND: '200000' }, bytesPerSecond: 400_000 },
    );
    expect(arrival.images).toBe(4);
    expect(arrival.statuses).toContain(408);
    expect(arrival.statuses.filter((status) => status === 201)).toHaveLength(4);
  });
});

import { expect, it } from 'vitest';
import { startEngine } from '../../server/processing/index.ts';

it.each([
  [{ workers: 0 }, /^startEngine: workers: .*>=1/],
  [{ workers: 2, maxPixels: 1.5 }, /^startEngine: maxPixels: .*int/],
])('startEngine(%j) names the option that is out of its range', async (options, message) => {
  await expect(startEngine(options)).rejects.toThrow(
    expect.objectContaining({ message: expect.stringMatching(message) }),
  );
});

import { expect } from 'vitest';

/** Milliseconds of processor time that work takes in this process: what others do on the machine does not count. */
function cpuTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user } = process.cpuUsage(before);
  return user / 1000;
}

/** Least time that is compared, in milliseconds: below, the time of a collection of garbage decides. */
const LEAST = 5;

/**
 * Expects that all of the work takes at most ten times as long as a quarter of it; time that grows with the square would take
 * sixteen times as long. `work` gets the share of its input.
 */
export function expectSteady(work: (share: number) => void): void {
  const best = (share: number) => Math.min(...[1, 2, 3, 4, 5].map(() => cpuTimeOf(() => work(share))));
  const quarter = best(1 / 4);
  expect(best(1)).toBeLessThan(10 * Math.max(quarter, LEAST));
}

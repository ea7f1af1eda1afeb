import { expect, it } from 'vitest';
import { createDailyLimit } from '../../server/analysis/gate.ts';
import { imagesOfDays } from '../../server/analysis/vision-service.ts';

function setUp(stored: () => Promise<number>) {
  const clock = { now: new Date('2031-05-05T23:00:00Z'), monotonic: 0 };
  const now = () => clock.now;
  const cache = { countSince: stored } as never;
  const limit = createDailyLimit(3, imagesOfDays({ cache, now, monotonicNow: () => clock.monotonic }), now);
  const wait = (ms: number) => {
    clock.now = new Date(clock.now.getTime() + ms);
    clock.monotonic += ms;
  };
  return { limit, wait };
}

it('sends nothing while the count of the day is unknown, and counts as soon as it is known', async () => {
  let failing = true;
  let counted = 0;
  const { limit } = setUp(async () => {
    counted += 1;
    if (failing) throw new Error('the database is gone');
    return 1;
  });
  expect(await Promise.all([limit.take(), limit.take()])).toEqual([false, false]);
  expect(await limit.take()).toBe(false);
  expect(counted).toBe(2);
  failing = false;
  expect([await limit.take(), await limit.take(), await limit.take()]).toEqual([true, true, false]);
  expect(counted).toBe(3);
});

it('counts from 0 on the next day (UTC)', async () => {
  const { limit, wait } = setUp(async () => 0);
  for (const isTaken of [true, true, true, false]) expect(await limit.take()).toBe(isTaken);
  wait(3_599_000);
  expect(await limit.take()).toBe(false);
  wait(1000);
  expect(await limit.take()).toBe(true);
});

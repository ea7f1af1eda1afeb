import { expect, it } from 'vitest';
import { createDailyLimit } from '../../server/analysis/daily-limit.ts';

it('sends nothing while the count of the day is unknown, and counts as soon as it is known', async () => {
  let failing = true;
  let counted = 0;
  const answers = {
    async countSince() {
      counted += 1;
      if (failing) throw new Error('the database is gone');
      return 1;
    },
  };
  const limit = createDailyLimit(3, answers, () => new Date('2031-05-05T23:00:00Z'));
  expect(await Promise.all([limit.take(), limit.take()])).toEqual([false, false]);
  expect(await limit.take()).toBe(false);
  expect(counted).toBe(2);
  failing = false;
  expect([await limit.take(), await limit.take(), await limit.take()]).toEqual([true, true, false]);
  expect(counted).toBe(3);
});

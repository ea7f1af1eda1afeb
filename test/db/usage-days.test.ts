import { expect, it } from 'vitest';
import { createJobHistoryRepository } from '../../server/db/repositories/job-history.ts';
import { createJobHistory } from '../../server/jobs/job-history.ts';
import { useDatabase } from './embedded/embedded-fixture.ts';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-06-15T10:00:00Z');

const database = useDatabase();
const stored = () => createJobHistoryRepository(database.connection);

const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);
const dayOf = (time: Date) => time.toISOString().slice(0, 10);

async function putJob(accountId: string, id: string, finishedAt: Date, completed = 1) {
  await stored().put({
    _id: `${accountId}-${id}`,
    accountId,
    sessionId: 'sess_1',
    kind: 'export',
    state: 'completed',
    total: completed,
    completed,
    bytesBefore: 100 * completed,
    bytesAfter: 40 * completed,
    credits: completed,
    createdAt: finishedAt,
    finishedAt,
  });
}

const historyAt = (now: Date) => createJobHistory({ repositories: { jobHistory: stored() } as never, now: () => now });
const images = async (accountId: string, now: Date, from: Date) =>
  [...(await historyAt(now).byDay(accountId, dayOf(from)))].map(([day, figures]) => [day, figures.images]);

it('sums up a day once, and adds what follows', async () => {
  for (const days of [400, 365, 40, 3, 2, 1, 0]) await putJob('acct_sums', `job-${days}`, daysAgo(days));
  await putJob('acct_sums', 'second', daysAgo(3), 4);
  const expected = [365, 40, 3, 2, 1, 0].map((days) => [dayOf(daysAgo(days)), days === 3 ? 5 : 1]);
  expect(await images('acct_sums', NOW, daysAgo(365))).toEqual(expected);
  expect((await stored().keptDays('acct_sums'))?.until).toBe(dayOf(daysAgo(1)));
  // A second request reads the kept sums: what is removed behind them is still counted.
  await database.connection.collection('past_jobs').deleteOne({ _id: 'acct_sums-job-40' as never });
  expect(await images('acct_sums', NOW, daysAgo(365))).toEqual(expected);
  expect(await images('acct_sums', NOW, daysAgo(2))).toEqual(expected.slice(-3));
});

it('goes on with the days that have ended since', async () => {
  await putJob('acct_next', 'a', daysAgo(5));
  await images('acct_next', daysAgo(4), daysAgo(30));
  await putJob('acct_next', 'b', daysAgo(3));
  await putJob('acct_next', 'c', daysAgo(0));
  const expected = [5, 3, 0].map((days) => [dayOf(daysAgo(days)), 1]);
  expect(await images('acct_next', NOW, daysAgo(30))).toEqual(expected);
  // A server whose clock is behind changes nothing.
  await images('acct_next', daysAgo(4), daysAgo(30));
  expect(await images('acct_next', NOW, daysAgo(30))).toEqual(expected);
});

it('reads the jobs of a year once', async () => {
  for (let days = 1; days <= 365; days += 2) await putJob('acct_year', `job-${days}`, daysAgo(days));
  const readings: string[] = [];
  const history = stored();
  const jobHistory: typeof history = {
    ...history,
    byDay(accountId, since, before) {
      readings.push(dayOf(since));
      return history.byDay(accountId, since, before);
    },
  };
  const read = () =>
    createJobHistory({ repositories: { jobHistory } as never, now: () => NOW }).byDay('acct_year', '2026-01-01');
  const first = await read();
  expect(first.size).toBe(83);
  readings.length = 0;
  expect(await read()).toEqual(first);
  expect(readings).toEqual([dayOf(daysAgo(1))]);
});

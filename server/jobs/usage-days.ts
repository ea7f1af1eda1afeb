import { USAGE_MAX_DAYS } from '#contract';
import type { DayFigures, JobHistoryRepository } from '../db/index.ts';

const DAY_MS = 86_400_000;

/**
 * Returns the usage of an account, or of all (null), by day and kind. Days before yesterday do not change any more: each is summed up once and
 * kept, so that a request reads the jobs of two days, however many there were before.
 * @param from first day, `2026-01-31` in UTC
 */
export async function usageSince(
  history: JobHistoryRepository,
  accountId: string | null,
  from: string,
  now: Date,
): Promise<DayFigures[]> {
  const open = dayOf(now.getTime() - DAY_MS);
  const oldest = dayOf(now.getTime() - USAGE_MAX_DAYS * DAY_MS);
  const kept = (await history.keptDays(accountId)) ?? { until: oldest, days: [] };
  const days = kept.days.filter(({ day }) => day >= oldest);
  if (kept.until < open) {
    const next = later(kept.until, oldest);
    const first = (await history.firstSince(accountId, new Date(next))) ?? now;
    for (let day = dayOf(first.getTime()); day < open; day = dayAfter(day))
      days.push(...(await history.byDay(accountId, new Date(day), new Date(dayAfter(day)))));
    await history.keepDays(accountId, { until: open, days });
  }
  const recent = await history.byDay(accountId, new Date(later(kept.until, open)));
  return [...days, ...recent].filter(({ day }) => day >= from);
}

function later(one: string, other: string): string {
  return [one, other].sort().at(-1) ?? one;
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function dayAfter(day: string): string {
  return dayOf(Date.parse(day) + DAY_MS);
}

import { type JobKindName, type PastJob, USAGE_MAX_DAYS, type UsageFigures } from '#contract';
import type { DayFigures, JobHistoryRepository, JobRecord, PastJobRecord, Repositories } from '../db/index.ts';

const DAY_MS = 86_400_000;

const COUNTED: Record<JobKindName, 'images' | 'samples' | 'analyses'> = {
  export: 'images',
  sample: 'samples',
  analyze: 'analyses',
};

/** Usage of one day, from the jobs. */
export type JobFigures = Omit<UsageFigures, 'credits'>;

interface JobHistoryDeps {
  repositories: Pick<Repositories, 'jobs' | 'jobHistory'>;
  now?: () => Date;
}

/** Creates the reader of an account's job history, which outlives the jobs and their sessions. */
export function createJobHistory({ repositories, now = () => new Date() }: JobHistoryDeps) {
  const { jobs, jobHistory } = repositories;
  return {
    /** An account's newest jobs, running ones included, newest first. */
    async recent(accountId: string, limit: number): Promise<PastJob[]> {
      const running = await jobs.findUnfinishedOfAccount(accountId, limit);
      const past = await jobHistory.recent(accountId, limit);
      const ids = new Set(past.map(({ _id }) => _id));
      const there = await jobs.findExisting(accountId, [...ids]);
      return [
        ...running.filter(({ _id }) => !ids.has(_id)).map(showRunning),
        ...past.map((record) => showPast(record, there.has(record._id))),
      ]
        .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
        .slice(0, limit);
    },

    /** Returns usage of an account, or of all (null), by day in UTC; bytes are those of exports. @param from `2026-01-31` */
    async byDay(accountId: string | null, from: string): Promise<Map<string, JobFigures>> {
      const days = new Map<string, JobFigures>();
      for (const { day, kind, images, bytesBefore, bytesAfter } of await usageSince(
        jobHistory,
        accountId,
        from,
        now(),
      )) {
        const figures = days.get(day) ?? { images: 0, samples: 0, analyses: 0, bytesBefore: 0, bytesAfter: 0 };
        figures[COUNTED[kind]] += images;
        if (kind === 'export') {
          figures.bytesBefore += bytesBefore;
          figures.bytesAfter += bytesAfter;
        }
        days.set(day, figures);
      }
      return days;
    },

    /** Removes an account's job history. */
    async forget(accountId: string): Promise<void> {
      await jobHistory.removeOfAccount(accountId);
    },
  };
}

function showPast(record: PastJobRecord, there: boolean): PastJob {
  const { _id: jobId, sessionId, kind, state, total, completed, bytesBefore, bytesAfter, credits } = record;
  return {
    jobId,
    sessionId,
    kind,
    status: state,
    images: total,
    completed,
    failed: total - completed,
    bytesBefore,
    bytesAfter,
    savedBytes: bytesBefore - bytesAfter,
    credits,
    createdAt: record.createdAt.toISOString(),
    finishedAt: record.finishedAt.toISOString(),
    links: there ? linksOf(jobId, sessionId) : null,
  };
}

function showRunning({ _id: jobId, sessionId, kind, state, total, createdAt }: JobRecord): PastJob {
  return {
    jobId,
    sessionId,
    kind,
    status: state,
    images: total,
    completed: 0,
    failed: 0,
    bytesBefore: 0,
    bytesAfter: 0,
    savedBytes: 0,
    credits: 0,
    createdAt: createdAt.toISOString(),
    finishedAt: null,
    links: linksOf(jobId, sessionId),
  };
}

function linksOf(jobId: string, sessionId: string): PastJob['links'] {
  return { job: `/v1/jobs/${jobId}`, events: `/v1/jobs/${jobId}/events`, session: `/v1/sessions/${sessionId}` };
}

/**
 * Returns the usage of an account, or of all (null), by day and kind. Days before yesterday do not change: each is summed up once and
 * kept, so that a request reads the jobs of two days, however many there were before.
 * @param from first day, `2026-01-31` in UTC
 */
async function usageSince(
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

import type { VisionAnswerRepository } from '../db/index.ts';

/** Limits the images sent per day (UTC). */
export interface DailyLimit {
  /** Counts an image and returns true if it may be sent today; false also while the count of the day is unknown. */
  take(): Promise<boolean>;
}

interface Day {
  date: string;
  /** Answers stored before this process began to count; null: the database failed. */
  earlier?: Promise<number | null>;
  sent: number;
}

/**
 * Creates the limit. A day's count starts at the answers stored on that day, so that a restart does not reset it; then
 * this process counts the images that it sends.
 */
export function createDailyLimit(
  limit: number | undefined,
  answers: Pick<VisionAnswerRepository, 'countSince'>,
  now: () => Date,
): DailyLimit {
  let today: Day = { date: '', sent: 0 };
  return {
    async take() {
      if (limit === undefined) return true;
      const date = now().toISOString().slice(0, 10);
      if (today.date !== date) today = { date, sent: 0 };
      const day = today;
      day.earlier ??= answers.countSince(new Date(`${date}T00:00:00Z`)).catch(() => {
        // The next call queries again: a count from 0 would spend the day's budget twice.
        delete day.earlier;
        return null;
      });
      const earlier = await day.earlier;
      if (earlier === null || earlier + day.sent >= limit) return false;
      day.sent += 1;
      return true;
    },
  };
}

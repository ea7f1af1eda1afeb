import type { VisionAnswerRepository } from '../db/index.ts';

/** Counts what is sent in a day (UTC). */
export interface DailyLimit {
  /** True, and counted, when one more image may be sent today; false also while nobody knows. */
  take(): Promise<boolean>;
}

interface Day {
  date: string;
  /** The answers kept before this process began to count; null: the database did not tell. */
  earlier?: Promise<number | null>;
  sent: number;
}

/**
 * Creates the limit. A day's count begins with the answers that were kept on it, so that a restart does not begin anew;
 * from there on this process counts what it sends.
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
        // The next question counts again: to begin at 0 would spend a day's budget twice.
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

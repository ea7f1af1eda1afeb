import type { CounterRepository, VisionAnswerRepository } from '../db/index.ts';

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

/** Images that a server counts at once. */
const BLOCK = 10;

/** Input of {@link createSharedDailyLimit}. */
interface SharedLimitInput {
  limit: number | undefined;
  answers: Pick<VisionAnswerRepository, 'countSince'>;
  counters: Pick<CounterRepository, 'take'>;
  now: () => Date;
}

/** Creates the limit for all servers of a database together. A server counts ten images at once, or as many as are left. */
export function createSharedDailyLimit({ limit, answers, counters, now }: SharedLimitInput): DailyLimit {
  let held = { date: '', images: 0 };

  async function takeBlock(date: string, most: number): Promise<void> {
    const start = new Date(`${date}T00:00:00Z`);
    const until = new Date(start.getTime() + 86_400_000);
    const initial = await answers.countSince(start);
    for (let amount = Math.min(BLOCK, most); amount > 0; amount = Math.floor(amount / 2)) {
      const day = { id: `ai:${date}`, amount, limit: most, now: now(), until, initial };
      if (!(await counters.take(day)).isTaken) continue;
      held = { date, images: (held.date === date ? held.images : 0) + amount };
      return;
    }
  }

  return {
    async take() {
      if (limit === undefined) return true;
      const date = now().toISOString().slice(0, 10);
      // Without the database the count of the day is unknown.
      if (held.date !== date || held.images === 0) await takeBlock(date, limit).catch(() => {});
      if (held.date !== date || held.images === 0) return false;
      held.images -= 1;
      return true;
    },
  };
}

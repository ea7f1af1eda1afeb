import type { VisionAnswerRepository } from '../db/index.ts';

/** Counts what is sent in a day (UTC). */
export interface DailyLimit {
  /** True, and counted, when one more image may be sent today. */
  take(): Promise<boolean>;
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
  let day = '';
  let count: Promise<number> = Promise.resolve(0);
  let sent = 0;
  return {
    async take() {
      if (limit === undefined) return true;
      const today = now().toISOString().slice(0, 10);
      if (today !== day) {
        day = today;
        sent = 0;
        count = answers.countSince(new Date(`${today}T00:00:00Z`)).catch(() => 0);
      }
      const earlier = await count;
      if (earlier + sent >= limit) return false;
      sent += 1;
      return true;
    },
  };
}

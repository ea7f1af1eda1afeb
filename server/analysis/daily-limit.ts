import type { Budget } from '../budgets/index.ts';

/** Limits the images sent per day (UTC). */
export interface DailyLimit {
  /** Counts an image and returns true if it may be sent today; false also while the count of the day is unknown. */
  take(): Promise<boolean>;
}

const DAY_MS = 86_400_000;

/** Creates the limit of a budget whose keys are days; undefined: no limit. */
export function createDailyLimit(limit: number | undefined, images: Budget, now: () => Date): DailyLimit {
  return {
    async take() {
      if (limit === undefined) return true;
      const at = now();
      const key = at.toISOString().slice(0, 10);
      const windowMs = startOfDay(key).getTime() + DAY_MS - at.getTime();
      // Without the database the count of the day is unknown.
      const taken = await images.take([{ key, limit, windowMs }]).catch(() => null);
      return taken?.isTaken ?? false;
    },
  };
}

/** Returns the beginning of a day (UTC), e.g. of `2026-01-31`. */
export function startOfDay(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

import type { Model } from 'mongoose';
import type { AccountRecord, DailyUseRecord } from '../models/account.ts';

/** Images of a day that count towards a limit. */
export interface DailyCount {
  /** Date (UTC) as YYYY-MM-DD. */
  day: string;
  counter: 'samples' | 'analyses';
  images: number;
}

/** Changes an account's daily counters. */
export function dailyUse(model: Model<AccountRecord>) {
  return {
    /** Counts images of a day; false if that exceeded `limit`. A new day begins at 0. */
    async countToday(accountId: string, { day, counter, images }: DailyCount, limit: number): Promise<boolean> {
      if (images > limit) return false;
      const field = `today.${counter}`;
      const more = () =>
        model.updateOne(
          { _id: accountId, 'today.day': day, [field]: { $lte: limit - images } },
          { $inc: { [field]: images } },
        );
      if ((await more()).matchedCount === 1) return true;
      const first: DailyUseRecord = { day, samples: 0, analyses: 0, [counter]: images };
      const begun = await model.updateOne({ _id: accountId, 'today.day': { $ne: day } }, { $set: { today: first } });
      // Another request may have begun the day in between.
      return begun.matchedCount === 1 || (await more()).matchedCount === 1;
    },

    /** Takes back images that were counted on the same day. */
    async uncountToday(accountId: string, { day, counter, images }: DailyCount): Promise<void> {
      const field = `today.${counter}`;
      await model.updateOne(
        { _id: accountId, 'today.day': day, [field]: { $gte: images } },
        { $inc: { [field]: -images } },
      );
    },
  };
}

/** Updates an account that matches `where`; null if none does. */

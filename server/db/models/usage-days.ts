import { Schema } from 'mongoose';
import type { DayFigures } from './past-job.ts';

/** Usage of one account by finished jobs, summed up by day. */
export interface UsageDaysRecord {
  /** The account. */
  _id: string;
  /** First day that is not summed up yet: `2026-01-31`, in UTC. */
  until: string;
  /** Days with usage before `until`, oldest first; at most the longest time that a request can ask for. */
  days: DayFigures[];
}

/** Schema of {@link UsageDaysRecord}. */
export const usageDaysSchema = new Schema<UsageDaysRecord>(
  {
    _id: { type: String, required: true },
    until: { type: String, required: true },
    days: { type: Schema.Types.Mixed, required: true },
  },
  { collection: 'usage_days', versionKey: false },
);

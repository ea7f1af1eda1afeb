import { Schema } from 'mongoose';
import type { JobKindName, JobState } from '#contract';

/** Usage of a job, kept after its session was removed; without names or content. */
export interface PastJobRecord {
  /** The job's id. */
  _id: string;
  accountId: string;
  sessionId: string;
  kind: JobKindName;
  state: JobState;
  total: number;
  completed: number;
  /** Uploaded bytes of the completed images; 0 for jobs without output. */
  bytesBefore: number;
  bytesAfter: number;
  /** Charge less refund. */
  credits: number;
  createdAt: Date;
  finishedAt: Date;
}

/** Usage by jobs of one kind on one day. */
export interface DayFigures {
  /** `2026-01-31`, in UTC. */
  day: string;
  kind: JobKindName;
  images: number;
  bytesBefore: number;
  bytesAfter: number;
}

/** Schema of {@link PastJobRecord}. */
export const pastJobSchema = new Schema<PastJobRecord>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    sessionId: { type: String, required: true },
    kind: { type: String, required: true },
    state: { type: String, required: true },
    total: { type: Number, required: true },
    completed: { type: Number, required: true },
    bytesBefore: { type: Number, required: true },
    bytesAfter: { type: Number, required: true },
    credits: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    finishedAt: { type: Date, required: true },
  },
  { collection: 'past_jobs', versionKey: false },
)
  .index({ accountId: 1, createdAt: -1 })
  .index({ accountId: 1, finishedAt: 1 })
  .index({ finishedAt: 1 });

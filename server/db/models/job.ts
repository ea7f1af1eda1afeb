import { Schema } from 'mongoose';
import type { JobCredits, JobKindName, JobState, JobSummary } from '#contract';

/** A job as stored, without its images, which are apart so that it stays small. */
export interface JobRecord {
  _id: string;
  accountId: string;
  sessionId: string;
  kind: JobKindName;
  state: JobState;
  /** Number of images. */
  total: number;
  /** Settings of the job kind for all images. */
  settings: unknown;
  createdAt: Date;
  finishedAt: Date | null;
  /** Process that holds the lease, until `leaseUntil`. */
  leaseOwner: string | null;
  leaseUntil: Date;
  /** Number of resumptions. */
  attempts: number;
  /** Number of process crashes during the job. */
  crashes: number;
  /** Requested stop reason, or null. */
  stopRequested: 'job_cancelled' | 'session_deleted' | null;
  /** True while other servers may take images of it. */
  offered: boolean;
  /** Heartbeat of listeners on other servers. */
  listened: number;
  /** Last event number of the previous run, which a client may have seen; -1 if none. */
  eventBase: number;
  /** Number of the terminal event; null while the job is unfinished. */
  lastEvent: number | null;
  summary: JobSummary | null;
  credits: JobCredits | null;
  error: { code: string; message: string } | null;
}

/** Schema of {@link JobRecord}. */
export const jobSchema = new Schema<JobRecord>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    sessionId: { type: String, required: true },
    kind: { type: String, required: true },
    state: { type: String, required: true },
    total: { type: Number, required: true },
    settings: { type: Schema.Types.Mixed, required: true },
    createdAt: { type: Date, required: true },
    finishedAt: { type: Date, default: null },
    leaseOwner: { type: String, default: null },
    leaseUntil: { type: Date, required: true },
    attempts: { type: Number, default: 0 },
    crashes: { type: Number, default: 0 },
    stopRequested: { type: String, default: null },
    offered: { type: Boolean, default: false },
    listened: { type: Number, default: 0 },
    eventBase: { type: Number, default: -1 },
    lastEvent: { type: Number, default: null },
    summary: { type: Schema.Types.Mixed, default: null },
    credits: { type: Schema.Types.Mixed, default: null },
    error: { type: Schema.Types.Mixed, default: null },
  },
  { collection: 'jobs', versionKey: false, minimize: false },
)
  .index({ sessionId: 1, createdAt: -1 })
  .index({ state: 1 })
  .index({ leaseOwner: 1, stopRequested: 1 })
  .index({ offered: 1 }, { partialFilterExpression: { offered: true } })
  .index({ accountId: 1, createdAt: -1 });

import { Schema } from 'mongoose';
import type { JobCredits, JobKindName, JobState, JobSummary } from '#contract';

/** One image of a job, as it was asked for. */
export interface JobImage {
  imageId: string;
  /** Wanted basename; null: the original's. */
  filename: string | null;
  title: string | null;
  alt: string | null;
  /** Of the stored metadata, when the request brought none of its own. */
  caption?: string | null;
  tags?: string[];
  language?: string | null;
}

/** A job as stored. */
export interface JobRecord {
  _id: string;
  accountId: string;
  sessionId: string;
  kind: JobKindName;
  state: JobState;
  images: JobImage[];
  /** What the kind of job is told about all images. */
  settings: unknown;
  createdAt: Date;
  finishedAt: Date | null;
  /** Who works on it, and until when nobody else may. */
  leaseOwner: string | null;
  leaseUntil: Date;
  /** How often it was taken up again; event numbers go on from there. */
  attempts: number;
  /** How often a process died over it. */
  crashes: number;
  /** Why whoever works on it shall stop; null: it shall not. */
  stopRequested: 'job_cancelled' | 'session_deleted' | null;
  /** The number of the terminal event; null while the job is not finished. */
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
    images: { type: Schema.Types.Mixed, required: true },
    settings: { type: Schema.Types.Mixed, required: true },
    createdAt: { type: Date, required: true },
    finishedAt: { type: Date, default: null },
    leaseOwner: { type: String, default: null },
    leaseUntil: { type: Date, required: true },
    attempts: { type: Number, default: 0 },
    crashes: { type: Number, default: 0 },
    stopRequested: { type: String, default: null },
    lastEvent: { type: Number, default: null },
    summary: { type: Schema.Types.Mixed, default: null },
    credits: { type: Schema.Types.Mixed, default: null },
    error: { type: Schema.Types.Mixed, default: null },
  },
  { collection: 'jobs', versionKey: false, minimize: false },
)
  .index({ sessionId: 1, createdAt: -1 })
  .index({ state: 1, leaseUntil: 1 })
  .index({ accountId: 1, createdAt: -1 });

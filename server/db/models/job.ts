import { Schema } from 'mongoose';
import type {
  EmbeddedField,
  JobCredits,
  JobKindName,
  JobState,
  JobSummary,
  MetadataValues,
  RequestField,
} from '#contract';

/** A file in use, and the variant that may replace it. */
export interface ReplacedFile {
  name: string;
  /** 0: none is in use. */
  bytes: number;
}

/**
 * One image of a job. A null `filename` stands for the original's. Fields that requests do not carry come from
 * the stored metadata, and are absent if the request has metadata of its own. `replaces` is present if only smaller files
 * are delivered.
 */
export type JobImage = { imageId: string; unknownFields?: string[]; replaces?: ReplacedFile[] } & Pick<
  MetadataValues,
  RequestField
> &
  Partial<Pick<MetadataValues, Exclude<EmbeddedField, RequestField>>>;

/** A job as stored. */
export interface JobRecord {
  _id: string;
  accountId: string;
  sessionId: string;
  kind: JobKindName;
  state: JobState;
  images: JobImage[];
  /** Settings of the job kind for all images. */
  settings: unknown;
  createdAt: Date;
  finishedAt: Date | null;
  /** Process that holds the lease, until `leaseUntil`. */
  leaseOwner: string | null;
  leaseUntil: Date;
  /** Number of resumptions; event numbers continue from it. */
  attempts: number;
  /** Number of process crashes during the job. */
  crashes: number;
  /** Requested stop reason, or null. */
  stopRequested: 'job_cancelled' | 'session_deleted' | null;
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

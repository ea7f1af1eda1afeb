import { Schema } from 'mongoose';

/** An event of a job, numbered when it is stored: of two events the later one has the higher number. */
export interface JobEventRecord {
  /** `<jobId>:<n>`, the number with ten digits, so that the order of ids is that of events. */
  _id: string;
  /** Number in the job's stream. */
  n: number;
  event: string;
  data: unknown;
  /** Who stored it: tells an own event from another's after a lost reply. */
  by: string;
}

/** Schema of {@link JobEventRecord}. */
export const jobEventSchema = new Schema<JobEventRecord>(
  {
    _id: { type: String, required: true },
    n: { type: Number, required: true },
    event: { type: String, required: true },
    data: { type: Schema.Types.Mixed, required: true },
    by: { type: String, required: true },
  },
  { collection: 'job_events', versionKey: false, minimize: false },
);

import { Schema } from 'mongoose';
import type { JobResult } from '#contract';

/** Result of one image of a job; written once, when the image is done. */
export interface ImageResultRecord {
  /** `<jobId>:<index>`. */
  _id: string;
  jobId: string;
  sessionId: string;
  /** Place in the request, from 0. */
  index: number;
  result: JobResult;
}

/** Schema of {@link ImageResultRecord}. */
export const imageResultSchema = new Schema<ImageResultRecord>(
  {
    _id: { type: String, required: true },
    jobId: { type: String, required: true },
    sessionId: { type: String, required: true },
    index: { type: Number, required: true },
    result: { type: Schema.Types.Mixed, required: true },
  },
  { collection: 'imageresults', versionKey: false, minimize: false },
)
  .index({ jobId: 1, index: 1 })
  .index({ sessionId: 1 });

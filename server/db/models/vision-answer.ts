import { Schema } from 'mongoose';

/** Cached answer of a vision model about one image with one set of instructions. */
export interface VisionAnswerRecord {
  /** Hash of the account, the sent bytes, the model and all instructions. */
  _id: string;
  accountId: string;
  /** Hash of the same with the upload in the place of the sent bytes. Absent: stored by an earlier version. */
  question?: string;
  /** The parsed answer; the analysis module owns its type. */
  answer: unknown;
  createdAt: Date;
}

const DAYS_KEPT = 30;

/** Schema of {@link VisionAnswerRecord}; a TTL index removes expired records. */
export const visionAnswerSchema = new Schema<VisionAnswerRecord>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    question: { type: String },
    answer: { type: Schema.Types.Mixed, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: 'vision_answers', versionKey: false, minimize: false },
)
  .index({ createdAt: 1 }, { expireAfterSeconds: DAYS_KEPT * 86_400 })
  .index({ accountId: 1, question: 1 });

import { Schema } from 'mongoose';

/** What a vision model answered about one picture under one set of instructions, so that asking again costs nothing. */
export interface VisionAnswerRecord {
  /** Hash of the account, the sent bytes, the model and all instructions. */
  _id: string;
  accountId: string;
  /** The parsed answer, as the analysis module understands it. */
  answer: unknown;
  createdAt: Date;
}

const DAYS_KEPT = 30;

/** Schema of {@link VisionAnswerRecord}; records end by themselves. */
export const visionAnswerSchema = new Schema<VisionAnswerRecord>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    answer: { type: Schema.Types.Mixed, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: 'vision_answers', versionKey: false, minimize: false },
)
  .index({ createdAt: 1 }, { expireAfterSeconds: DAYS_KEPT * 86_400 })
  .index({ accountId: 1 });

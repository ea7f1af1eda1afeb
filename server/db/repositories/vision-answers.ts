import { field, type RecordOf, schemaOf } from '../collection.ts';
import type { Connection } from '../connect.ts';

const DAYS_KEPT = 30;

const visionAnswerFields = {
  /** Hash of the account, the sent bytes, the model and all instructions. */
  _id: field.text(),
  accountId: field.text(),
  /** Hash of the same with the upload in the place of the sent bytes. Absent: stored by an earlier version. */
  question: field.optional(field.text()),
  /** The parsed answer; the analysis module owns its type. */
  answer: field.mixed<unknown>(),
  createdAt: field.date(),
};

/** Cached answer of a vision model about one image with one set of instructions. */
export type VisionAnswerRecord = RecordOf<typeof visionAnswerFields>;

/** A TTL index removes expired records. */
const visionAnswerSchema = schemaOf('vision_answers', visionAnswerFields)
  .index({ createdAt: 1 }, { expireAfterSeconds: DAYS_KEPT * 86_400 })
  .index({ accountId: 1, question: 1 });

/** Creates the repository of cached vision answers. Every look-up includes the account's id, which is also part of the key. */
export function createVisionAnswerRepository(connection: Connection) {
  const model = connection.model<VisionAnswerRecord>('VisionAnswer', visionAnswerSchema);
  return {
    async find(accountId: string, id: string): Promise<VisionAnswerRecord | null> {
      return model.findOne({ _id: id, accountId }).lean();
    },

    /** Returns those of the questions that have an answer. */
    async findAnswered(accountId: string, questions: string[]): Promise<Set<string>> {
      const found = await model
        .find({ accountId, question: { $in: questions } })
        .select({ question: 1 })
        .lean();
      return new Set(found.flatMap(({ question }) => question ?? []));
    },

    /** Stores an answer; replaces an earlier one of the same key. */
    async put({ _id, ...fields }: VisionAnswerRecord): Promise<void> {
      await model.updateOne({ _id }, { $set: fields }, { upsert: true });
    },

    async removeOfAccount(accountId: string): Promise<void> {
      await model.deleteMany({ accountId });
    },

    /** Counts the answers stored since a time, over all accounts. */
    async countSince(since: Date): Promise<number> {
      return model.countDocuments({ createdAt: { $gte: since } });
    },
  };
}

/** Access to cached vision answers. */
export type VisionAnswerRepository = ReturnType<typeof createVisionAnswerRepository>;

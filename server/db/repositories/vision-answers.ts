import { field, type RecordOf, repeatUpsert, schemaOf } from '../collection.ts';
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
  /** Job and image that the model was asked for. Absent: stored by an earlier version, and delivered. */
  askedFor: field.optional(field.text()),
  /** Job and image that the answer was first delivered to, which pay for it. Absent: none yet. */
  paidBy: field.optional(field.text()),
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

    /** Returns those of the questions that have an answer which costs nothing any more. */
    async findAnswered(accountId: string, questions: string[]): Promise<Set<string>> {
      const found = await model
        .find({
          accountId,
          question: { $in: questions },
          $or: [{ paidBy: { $exists: true } }, { askedFor: { $exists: false } }],
        })
        .select({ question: 1 })
        .lean();
      return new Set(found.flatMap(({ question }) => question ?? []));
    },

    /** Stores an answer; replaces an earlier one of the same key. @param isNew true: it is to be paid for again */
    async put({ _id, ...fields }: VisionAnswerRecord, isNew = false): Promise<void> {
      const forget = isNew ? { $unset: { paidBy: 1 } } : {};
      await repeatUpsert(() => model.updateOne({ _id }, { $set: fields, ...forget }, { upsert: true }));
    },

    /** Delivers an answer; true if `payer` is the first that gets it, however often it asks, or if it is not kept. */
    async claim(accountId: string, id: string, payer: string): Promise<boolean> {
      const unpaid = { _id: id, accountId, askedFor: { $exists: true }, paidBy: { $exists: false } };
      const { modifiedCount } = await model.updateOne(unpaid, { $set: { paidBy: payer } });
      if (modifiedCount > 0) return true;
      const known = await model.findOne({ _id: id, accountId }).select({ paidBy: 1 }).lean();
      return !known || known.paidBy === payer;
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

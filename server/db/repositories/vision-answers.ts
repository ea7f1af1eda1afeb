import type { Connection } from '../connect.ts';
import { type VisionAnswerRecord, visionAnswerSchema } from '../models/vision-answer.ts';

export type { VisionAnswerRecord };

/** Answers of the vision model. Every look-up carries the account's id, which is in the key too. */
export function createVisionAnswerRepository(connection: Connection) {
  const model = connection.model<VisionAnswerRecord>('VisionAnswer', visionAnswerSchema);
  return {
    async find(accountId: string, id: string): Promise<VisionAnswerRecord | null> {
      return model.findOne({ _id: id, accountId }).lean();
    },

    /** Keeps an answer, in the place of an earlier one of the same key. */
    async put({ _id, ...fields }: VisionAnswerRecord): Promise<void> {
      await model.updateOne({ _id }, { $set: fields }, { upsert: true });
    },

    async removeOfAccount(accountId: string): Promise<void> {
      await model.deleteMany({ accountId });
    },

    /** Answers that were kept since a moment, over all accounts. */
    async countSince(since: Date): Promise<number> {
      return model.countDocuments({ createdAt: { $gte: since } });
    },
  };
}

/** Access to the kept answers of the vision model. */
export type VisionAnswerRepository = ReturnType<typeof createVisionAnswerRepository>;

import type { Connection } from '../connect.ts';
import { deleteInBatches } from '../delete-in-batches.ts';
import { type ShareAnswerRecord, type ShareRecord, shareAnswerSchema, shareSchema } from '../models/share.ts';
import { plainCollection } from '../plain-collection.ts';

export type { ShareAnswerRecord, ShareRecord };

/** Creates the repository of links to sessions and of the answers to them. The look-up by hash omits the account's id. */
export function createShareRepository(connection: Connection) {
  const shares = plainCollection<ShareRecord>(connection.model<ShareRecord>('Share', shareSchema));
  const answers = plainCollection<ShareAnswerRecord>(
    connection.model<ShareAnswerRecord>('ShareAnswer', shareAnswerSchema),
  );
  return {
    async insert(share: ShareRecord): Promise<void> {
      await shares.insertOne(share);
    },

    /** Removes a link that was not created as a whole. */
    async remove(shareId: string): Promise<void> {
      await shares.deleteOne({ _id: shareId });
    },

    async findByHash(hash: string): Promise<ShareRecord | null> {
      return shares.findOne({ hash });
    },

    /** Lists the links of a session, newest first. */
    async findOfSession(accountId: string, sessionId: string): Promise<ShareRecord[]> {
      return shares.find({ accountId, sessionId }).sort({ sessionId: 1, createdAt: -1 }).toArray();
    },

    /** Revokes a link; the time of an earlier revocation stays. @returns false if the session has no such link */
    async revoke(accountId: string, sessionId: string, shareId: string, at: Date): Promise<boolean> {
      const place = { _id: shareId, accountId, sessionId };
      const revoked = await shares.updateOne({ ...place, revokedAt: null }, { $set: { revokedAt: at } });
      return revoked.matchedCount === 1 || (await shares.countDocuments(place)) === 1;
    },

    /** Stores an answer in place of the earlier one about the same image. */
    async putAnswer({ _id, ...answer }: ShareAnswerRecord): Promise<void> {
      await answers.updateOne({ _id }, { $set: answer }, { upsert: true });
    },

    /** Lists all answers in a session. */
    async findAnswers(sessionId: string): Promise<ShareAnswerRecord[]> {
      return answers.find({ sessionId }).toArray();
    },

    async removeOfSession(sessionId: string): Promise<void> {
      await deleteInBatches(shares, { sessionId });
      await deleteInBatches(answers, { sessionId });
    },
  };
}

/** Access to stored links and answers. */
export type ShareRepository = ReturnType<typeof createShareRepository>;

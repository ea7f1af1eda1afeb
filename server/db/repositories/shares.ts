import type { ShareVerdict } from '#contract';
import { deleteInBatches, field, plainCollection, type RecordOf, repeatUpsert, schemaOf } from '../collection.ts';
import type { Connection } from '../connect.ts';

const shareFields = {
  _id: field.text(),
  accountId: field.text(),
  sessionId: field.text(),
  /** HMAC-SHA-256 of the token under the pepper, in hex. */
  hash: field.text(),
  /** Name of the sender; empty in links of earlier releases. */
  sender: field.withDefault(field.text(), ''),
  createdAt: field.date(),
  expiresAt: field.date(),
  revokedAt: field.orNull(field.date()),
};

/** A link to a session as stored, without its token. */
export type ShareRecord = RecordOf<typeof shareFields>;

/** The records are removed with their session, which lasts at least as long. */
const shareSchema = schemaOf('shares', shareFields)
  .index({ hash: 1 }, { unique: true })
  .index({ sessionId: 1, createdAt: -1 });

const shareAnswerFields = {
  /** `<shareId>:<imageId>`: an answer replaces the earlier one, so that visitors cannot fill the disk. */
  _id: field.text(),
  shareId: field.text(),
  sessionId: field.text(),
  imageId: field.text(),
  verdict: field.text<ShareVerdict>(),
  comment: field.withDefault(field.text(), ''),
  /** Version of the texts that the visitor read. */
  textsVersion: field.text(),
  at: field.date(),
};

/** The latest answer of a link's visitors about one image. */
export type ShareAnswerRecord = RecordOf<typeof shareAnswerFields>;

const shareAnswerSchema = schemaOf('share_answers', shareAnswerFields).index({ sessionId: 1 });

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
      await repeatUpsert(() => answers.updateOne({ _id }, { $set: answer }, { upsert: true }));
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

import type { Connection } from '../connect.ts';
import { DELETED, type SessionRecord, sessionSchema } from '../models/session.ts';

export type { SessionRecord };

/** Sessions. Every look-up for a caller carries the account's id. */
export function createSessionRepository(connection: Connection) {
  const model = connection.model<SessionRecord>('Session', sessionSchema);
  return {
    async insert(session: SessionRecord): Promise<void> {
      await model.collection.insertOne(session as never);
    },

    /** The session if it is the account's, not deleted and not expired at `now`; else null. */
    async findLive(accountId: string, sessionId: string, now: Date): Promise<SessionRecord | null> {
      return model.findOne({ _id: sessionId, accountId, deletedAt: null, expiresAt: { $gt: now } }).lean();
    },

    /** Moves the expiry after a use. */
    async touch(sessionId: string, expiresAt: Date): Promise<void> {
      await model.updateOne({ _id: sessionId, deletedAt: null }, { $max: { expiresAt } });
    },

    /** Takes `count` places and returns how many were taken before; null when the session then held more than `limit`. */
    async reserveImages(sessionId: string, count: number, limit: number): Promise<number | null> {
      const before = await model
        .findOneAndUpdate(
          { _id: sessionId, deletedAt: null, imageCount: { $lte: limit - count } },
          { $inc: { imageCount: count } },
          { returnDocument: 'before' },
        )
        .lean();
      return before?.imageCount ?? null;
    },

    /** Gives places back that were taken for images which could not be kept. */
    async releaseImages(sessionId: string, count: number): Promise<void> {
      await model.updateOne({ _id: sessionId, deletedAt: null }, { $inc: { imageCount: -count } });
    },

    /** Marks as deleted; false when another call was first. */
    async markDeleted(sessionId: string, now: Date, forget: string[]): Promise<boolean> {
      const updated = await model.updateOne({ _id: sessionId, deletedAt: null }, { $set: { deletedAt: now, forget } });
      return updated.matchedCount === 1;
    },

    /** Sessions whose files and records are due for removal: up to `limit` expired ones, and as many deleted before. */
    async findDisposable(now: Date, limit: number): Promise<SessionRecord[]> {
      // Two questions, each with an index of its own.
      const deleted = await model.find({ deletedAt: DELETED }).limit(limit).lean();
      const expired = await model
        .find({ deletedAt: null, expiresAt: { $lte: now } })
        .limit(limit)
        .lean();
      return [...deleted, ...expired];
    },

    /** Up to `limit` of an account's sessions, whatever their state. */
    async findOfAccount(accountId: string, limit: number): Promise<SessionRecord[]> {
      return model.find({ accountId }).limit(limit).lean();
    },

    /** Tells whether there is a record at all, whatever its state. */
    async exists(sessionId: string): Promise<boolean> {
      return (await model.countDocuments({ _id: sessionId })) > 0;
    },

    async remove(sessionId: string): Promise<void> {
      await model.deleteOne({ _id: sessionId });
    },
  };
}

/** Access to stored sessions. */
export type SessionRepository = ReturnType<typeof createSessionRepository>;

import type { Model, mongo } from 'mongoose';
import { field, plainCollection, type RecordOf, schemaOf } from '../collection.ts';
import type { Connection } from '../connect.ts';
import { createStoredBytesRepository, type StoredBytesRepository } from './stored-bytes.ts';

/** Condition on `deletedAt` of deleted sessions, exactly as in the partial index. */
const DELETED = { $gt: new Date(0) };

const sessionFields = {
  _id: field.text(),
  accountId: field.text(),
  createdAt: field.date(),
  expiresAt: field.date(),
  /** Images ever accepted; the limit of a session is enforced on this number atomically. */
  imageCount: field.number(),
  /** Bytes of the uploads, previews and results, each file once. Absent: stored by an earlier version. */
  bytes: field.optional(field.number()),
  /** Set when the session was deleted; its files and then the record are removed. */
  deletedAt: field.orNull(field.date()),
  /** Uploads whose places were counted and whose images are perhaps not stored yet. Absent: none. */
  taken: field.optional(field.typed<string[]>([String])),
  /** Last attempt at its creation. Absent: created by an earlier version. */
  attempt: field.optional(field.text()),
  /** Hashes of the uploads whose cached variants are removed with the session. */
  forget: field.withDefault(field.typed<string[]>([String]), []),
};

/** A session as stored. */
export type SessionRecord = RecordOf<typeof sessionFields>;

const sessionSchema = schemaOf('sessions', sessionFields)
  .index({ accountId: 1, createdAt: -1 })
  .index({ expiresAt: 1 })
  .index({ deletedAt: 1 }, { partialFilterExpression: { deletedAt: DELETED } });

/** Places of a session. */
export interface ReservedImages {
  count: number;
  /** Bytes of the uploads. */
  bytes: number;
  /** Id of the upload, whose places are counted once. */
  upload: string;
}

/** A session and its account. */
export type SessionKey = Pick<SessionRecord, '_id' | 'accountId'>;

/** Creates the repository of sessions. Every look-up for a caller includes the account's id. */
export function createSessionRepository(connection: Connection) {
  const model = connection.model<SessionRecord>('Session', sessionSchema);
  const collection = plainCollection<SessionRecord>(model);
  const storedBytes = createStoredBytesRepository(connection);
  return {
    ...sessionLookups(model, collection),
    ...sessionChanges(model, collection, storedBytes),
    ...reservations(model, collection, storedBytes),
  };
}

/** Access to stored sessions. */
export type SessionRepository = ReturnType<typeof createSessionRepository>;

/** Finds sessions. */
function sessionLookups(model: Model<SessionRecord>, collection: mongo.Collection<SessionRecord>) {
  return {
    /** Finds a session of the account that is neither deleted nor expired at `now`. */
    async findLive(accountId: string, sessionId: string, now: Date): Promise<SessionRecord | null> {
      return collection.findOne({ _id: sessionId, accountId, deletedAt: null, expiresAt: { $gt: now } });
    },

    /** Lists sessions to remove: up to `limit` expired ones, and up to `limit` deleted ones. */
    async findDisposable(now: Date, limit: number): Promise<SessionRecord[]> {
      // Two queries, each with its own index.
      const deleted = await model.find({ deletedAt: DELETED }).limit(limit).lean();
      const expired = await model
        .find({ deletedAt: null, expiresAt: { $lte: now } })
        .limit(limit)
        .lean();
      return [...deleted, ...expired];
    },

    /** Lists up to `limit` sessions of an account, in any state. */
    async findOfAccount(accountId: string, limit: number): Promise<SessionRecord[]> {
      return model.find({ accountId }).limit(limit).lean();
    },

    /** Lists the account's newest sessions that are neither deleted nor expired at `now`. */
    async findRecent(accountId: string, now: Date, limit: number): Promise<SessionRecord[]> {
      const live = { accountId, deletedAt: null, expiresAt: { $gt: now } };
      return collection.find(live).sort({ accountId: 1, createdAt: -1 }).limit(limit).toArray();
    },

    /** Counts the account's sessions that are neither deleted nor expired at `now`. */
    async countLive(accountId: string, now: Date): Promise<number> {
      return model.countDocuments({ accountId, deletedAt: null, expiresAt: { $gt: now } });
    },

    /** Returns the time at which the first of the account's live sessions expires; null without one. */
    async nextExpiry(accountId: string, now: Date): Promise<Date | null> {
      const live = { accountId, deletedAt: null, expiresAt: { $gt: now } };
      const first = await model.findOne(live).sort({ expiresAt: 1 }).select({ expiresAt: 1 }).lean();
      return first?.expiresAt ?? null;
    },

    /** Sums the bytes of all sessions of an account; those of a deleted session count until its files are removed. */
    async bytesOfAccount(accountId: string): Promise<number> {
      const sum = { $group: { _id: null, bytes: { $sum: '$bytes' } } };
      const [total] = await model.aggregate<{ bytes: number }>([{ $match: { accountId } }, sum]);
      return total?.bytes ?? 0;
    },

    /** Tests if a session exists that is not being deleted; an expired one counts. */
    async isKept(sessionId: string): Promise<boolean> {
      return (await model.countDocuments({ _id: sessionId, deletedAt: null })) > 0;
    },

    /** Tests if a session is marked as deleted; its files and records may still have to be removed. */
    async isDeleted(sessionId: string): Promise<boolean> {
      return (await model.countDocuments({ _id: sessionId, deletedAt: DELETED })) > 0;
    },

    /** Tests if a session exists that is neither deleted nor expired at `now`. */
    async isLive(sessionId: string, now: Date): Promise<boolean> {
      return (await model.countDocuments({ _id: sessionId, deletedAt: null, expiresAt: { $gt: now } })) > 0;
    },

    /** Tests if a record exists, in any state. */
    async exists(sessionId: string): Promise<boolean> {
      return (await model.countDocuments({ _id: sessionId })) > 0;
    },
  };
}

/** Creates, changes and removes sessions. */
function sessionChanges(
  model: Model<SessionRecord>,
  collection: mongo.Collection<SessionRecord>,
  storedBytes: StoredBytesRepository,
) {
  return {
    async insert(session: SessionRecord): Promise<void> {
      await model.collection.insertOne(session as never);
    },

    /** Hands a live session to another attempt at its creation; null if there is none. */
    async adopt({ _id, accountId }: SessionKey, attempt: string, now: Date): Promise<SessionRecord | null> {
      const live = { _id, accountId, deletedAt: null, expiresAt: { $gt: now } };
      return collection.findOneAndUpdate(live, { $set: { attempt } }, { returnDocument: 'after' });
    },

    /** Marks a session as deleted whose creation failed, unless another attempt has adopted it. */
    async markFailed({ _id, attempt }: Pick<SessionRecord, '_id' | 'attempt'>, now: Date): Promise<void> {
      await model.updateOne({ _id, attempt, deletedAt: null } as object, { $set: { deletedAt: now, forget: [] } });
    },

    /** Extends the expiry after a use. */
    async touch(sessionId: string, expiresAt: Date): Promise<void> {
      await model.updateOne({ _id: sessionId, deletedAt: null }, { $max: { expiresAt } });
    },

    /** Extends the expiry of those sessions that would expire before `ifBefore`. */
    async extend(sessionIds: string[], expiresAt: Date, ifBefore: Date): Promise<void> {
      const due = { _id: { $in: sessionIds }, deletedAt: null, expiresAt: { $lt: ifBefore } };
      await model.updateMany(due, { $max: { expiresAt } });
    },

    /** Brings the expiry forward to `expiresAt`, if it is later. */
    async shorten(sessionId: string, expiresAt: Date): Promise<void> {
      await model.updateOne({ _id: sessionId, deletedAt: null }, { $min: { expiresAt } });
    },

    /** Counts bytes that were written, in the session and in its account; negative for removed ones. */
    async addBytes({ _id, accountId }: SessionKey, bytes: number): Promise<void> {
      const { matchedCount } = await model.updateOne({ _id }, { $inc: { bytes } });
      if (matchedCount === 1) await storedBytes.add(accountId, bytes);
    },

    /** Marks a session as deleted; false if it was marked before. */
    async markDeleted(sessionId: string, now: Date, forget: string[]): Promise<boolean> {
      const updated = await model.updateOne({ _id: sessionId, deletedAt: null }, { $set: { deletedAt: now, forget } });
      return updated.matchedCount === 1;
    },

    /** Marks a session as deleted if it has expired; false if it was used since, or marked before. */
    async markExpired(sessionId: string, now: Date): Promise<boolean> {
      const expired = { _id: sessionId, deletedAt: null, expiresAt: { $lte: now } };
      const updated = await model.updateOne(expired, { $set: { deletedAt: now, forget: [] } });
      return updated.matchedCount === 1;
    },

    /** Removes a session, whose bytes its account stores no longer. */
    async remove(sessionId: string): Promise<void> {
      const removed = await collection.findOneAndDelete({ _id: sessionId });
      if (removed) await storedBytes.add(removed.accountId, -(removed.bytes ?? 0));
    },
  };
}

/** Reserves places of sessions for uploads. */
function reservations(
  model: Model<SessionRecord>,
  collection: mongo.Collection<SessionRecord>,
  storedBytes: StoredBytesRepository,
) {
  return {
    /**
     * Reserves places for images of `bytes` in all and returns the number of places reserved before; null if that
     * exceeded `limit`, or the upload has its places.
     */
    async reserveImages(
      sessionId: string,
      { count, bytes, upload }: ReservedImages,
      limit: number,
    ): Promise<number | null> {
      const before = await collection.findOneAndUpdate(
        { _id: sessionId, deletedAt: null, imageCount: { $lte: limit - count }, taken: { $ne: upload } } as object,
        { $inc: { imageCount: count, bytes }, $push: { taken: upload } } as object,
        { returnDocument: 'before' },
      );
      return before?.imageCount ?? null;
    },

    /** Returns the number of places if an upload has reserved some and is not settled; null otherwise. */
    async reservedFor(sessionId: string, upload: string): Promise<number | null> {
      const session = await collection.findOne({ _id: sessionId, taken: upload } as object);
      return session?.imageCount ?? null;
    },

    /** Records that the images of an upload are stored. Returns false if the session is not live any more. */
    async settleImages(sessionId: string, upload: string, now: Date): Promise<boolean> {
      const live = { _id: sessionId, deletedAt: null, expiresAt: { $gt: now } };
      return (await collection.updateOne(live, { $pull: { taken: upload } } as object)).matchedCount === 1;
    },

    /** Releases reserved places of images that could not be stored, once per upload. */
    async releaseImages({ _id, accountId }: SessionKey, { count, bytes, upload }: ReservedImages): Promise<void> {
      const released = { $inc: { imageCount: -count, bytes: -bytes }, $pull: { taken: upload } };
      const { matchedCount } = await model.updateOne({ _id, deletedAt: null, taken: upload }, released);
      if (matchedCount === 1) await storedBytes.add(accountId, -bytes);
    },
  };
}

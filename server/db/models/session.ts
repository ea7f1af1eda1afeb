import { Schema } from 'mongoose';

/** A session as stored. */
export interface SessionRecord {
  _id: string;
  accountId: string;
  createdAt: Date;
  expiresAt: Date;
  /** Images ever taken in; the limit on a session is enforced on this number in one atomic step. */
  imageCount: number;
  /** Set when the session was deleted; its files are removed and the record follows. */
  deletedAt: Date | null;
  /** Hashes of the uploads whose cached variants go with a deleted session. */
  forget: string[];
}

/** What a deleted session's `deletedAt` is after; in these words the index of the deleted ones is found. */
export const DELETED = { $gt: new Date(0) };

/** Schema of {@link SessionRecord}. */
export const sessionSchema = new Schema<SessionRecord>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    imageCount: { type: Number, required: true },
    deletedAt: { type: Date, default: null },
    forget: { type: [String], default: [] },
  },
  { collection: 'sessions', versionKey: false },
)
  .index({ accountId: 1, createdAt: -1 })
  .index({ expiresAt: 1 })
  .index({ deletedAt: 1 }, { partialFilterExpression: { deletedAt: DELETED } });

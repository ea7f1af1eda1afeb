import { Schema } from 'mongoose';

/** A session as stored. */
export interface SessionRecord {
  _id: string;
  accountId: string;
  createdAt: Date;
  expiresAt: Date;
  /** Images ever accepted; the limit of a session is enforced on this number atomically. */
  imageCount: number;
  /** Bytes of the uploads, previews and results, each file once. Absent: stored by an earlier version. */
  bytes?: number;
  /** Set when the session was deleted; its files and then the record are removed. */
  deletedAt: Date | null;
  /** Hashes of the uploads whose cached variants are removed with the session. */
  forget: string[];
}

/** Condition on `deletedAt` of deleted sessions, exactly as in the partial index. */
export const DELETED = { $gt: new Date(0) };

/** Schema of {@link SessionRecord}. */
export const sessionSchema = new Schema<SessionRecord>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    imageCount: { type: Number, required: true },
    bytes: { type: Number },
    deletedAt: { type: Date, default: null },
    forget: { type: [String], default: [] },
  },
  { collection: 'sessions', versionKey: false },
)
  .index({ accountId: 1, createdAt: -1 })
  .index({ expiresAt: 1 })
  .index({ deletedAt: 1 }, { partialFilterExpression: { deletedAt: DELETED } });

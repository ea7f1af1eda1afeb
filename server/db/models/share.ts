import { Schema } from 'mongoose';
import type { ShareVerdict } from '#contract';

/** A link to a session as stored, without its token. */
export interface ShareRecord {
  _id: string;
  accountId: string;
  sessionId: string;
  /** HMAC-SHA-256 of the token under the pepper, in hex. */
  hash: string;
  createdAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
}

/** Schema of {@link ShareRecord}. The records are removed with their session, which lasts at least as long. */
export const shareSchema = new Schema<ShareRecord>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    sessionId: { type: String, required: true },
    hash: { type: String, required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    revokedAt: { type: Date, default: null },
  },
  { collection: 'shares', versionKey: false },
)
  .index({ hash: 1 }, { unique: true })
  .index({ sessionId: 1, createdAt: -1 });

/** The latest answer of a link's visitors about one image. */
export interface ShareAnswerRecord {
  /** `<shareId>:<imageId>`: an answer replaces the earlier one, so that visitors cannot fill the disk. */
  _id: string;
  shareId: string;
  sessionId: string;
  imageId: string;
  verdict: ShareVerdict;
  comment: string;
  /** Version of the texts that the visitor read. */
  textsVersion: string;
  at: Date;
}

/** Schema of {@link ShareAnswerRecord}. */
export const shareAnswerSchema = new Schema<ShareAnswerRecord>(
  {
    _id: { type: String, required: true },
    shareId: { type: String, required: true },
    sessionId: { type: String, required: true },
    imageId: { type: String, required: true },
    verdict: { type: String, required: true },
    comment: { type: String },
    textsVersion: { type: String, required: true },
    at: { type: Date, required: true },
  },
  { collection: 'share_answers', versionKey: false },
).index({ sessionId: 1 });

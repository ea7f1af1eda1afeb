import { Schema } from 'mongoose';

/** A log-in as stored; the cookie's token is not. */
export interface BrowserSessionRecord {
  _id: string;
  /** HMAC-SHA-256 of the token under the pepper, in hex. */
  hash: string;
  accountId: string;
  /** The account's when it began; absent: 0. Another password gives the account another one, and so ends it. */
  passwordVersion?: number;
  createdAt: Date;
  /** Accurate to a minute. */
  lastSeenAt: Date;
  /** When it ends unless it is used. */
  expiresAt: Date;
  /** When it ends in any case. */
  endsAt: Date;
  /** Network address that logged in. */
  address: string;
  userAgent: string;
}

/** Schema of {@link BrowserSessionRecord}; records end by themselves. */
export const browserSessionSchema = new Schema<BrowserSessionRecord>(
  {
    _id: { type: String, required: true },
    hash: { type: String, required: true },
    accountId: { type: String, required: true },
    passwordVersion: { type: Number },
    createdAt: { type: Date, required: true },
    lastSeenAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    endsAt: { type: Date, required: true },
    address: { type: String, default: '' },
    userAgent: { type: String, default: '' },
  },
  { collection: 'logins', versionKey: false },
)
  .index({ hash: 1 }, { unique: true })
  .index({ accountId: 1 })
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

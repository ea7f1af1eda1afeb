import { Schema } from 'mongoose';

/** A browser session as stored. The cookie's token is not stored. */
export interface BrowserSessionRecord {
  _id: string;
  /** HMAC-SHA-256 of the token under the pepper, in hex. */
  hash: string;
  accountId: string;
  /** Password version of the account when the session began; absent: 0. A new password ends sessions of earlier versions. */
  passwordVersion?: number;
  createdAt: Date;
  /** Accurate to a minute. */
  lastSeenAt: Date;
  /** Expiry, extended by each use. */
  expiresAt: Date;
  /** Latest expiry, however often it is used. */
  endsAt: Date;
  /** Network address of the log-in. */
  address: string;
  /** Time of the last confirmation with the password; absent: none. */
  confirmedAt?: Date;
  userAgent: string;
}

/** Schema of {@link BrowserSessionRecord}; a TTL index removes expired records. */
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
    confirmedAt: { type: Date },
    userAgent: { type: String, default: '' },
  },
  { collection: 'logins', versionKey: false },
)
  .index({ hash: 1 }, { unique: true })
  .index({ accountId: 1 })
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

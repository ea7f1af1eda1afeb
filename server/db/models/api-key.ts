import { Schema } from 'mongoose';

/** An API key as stored, without the key itself. The account's `activeKeys` lists the active ones. */
export interface ApiKeyRecord {
  _id: string;
  accountId: string;
  name: string;
  /** HMAC-SHA-256 of the key under the pepper, in hex. */
  hash: string;
  last4: string;
  createdAt: Date;
  /** Accurate to a minute. */
  lastUsedAt: Date | null;
  /** Time of the last deactivation; null while it is active. */
  disabledAt: Date | null;
}

/** Schema of {@link ApiKeyRecord}. */
export const apiKeySchema = new Schema<ApiKeyRecord>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    name: { type: String, required: true },
    hash: { type: String, required: true },
    last4: { type: String, required: true },
    createdAt: { type: Date, required: true },
    lastUsedAt: { type: Date, default: null },
    disabledAt: { type: Date, default: null },
  },
  { collection: 'api_keys', versionKey: false },
)
  .index({ hash: 1 }, { unique: true })
  .index({ accountId: 1, createdAt: 1 });

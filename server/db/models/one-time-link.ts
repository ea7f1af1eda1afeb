import { Schema } from 'mongoose';
import type { AccountRole, LinkPurpose } from '#contract';

/** A one-time link as stored, without its token. */
export interface OneTimeLinkRecord {
  /** HMAC-SHA-256 of the token under the pepper, in hex. */
  _id: string;
  purpose: LinkPurpose;
  /** Null for a sign-up, which has no account yet. */
  accountId: string | null;
  /** The new address of a sign-up or a change of address; else the account's address at that time. */
  email: string;
  /** Role assigned by a claim, or null. */
  role: AccountRole | null;
  createdAt: Date;
  expiresAt: Date;
}

/** Schema of {@link OneTimeLinkRecord}; a TTL index removes expired records. */
export const oneTimeLinkSchema = new Schema<OneTimeLinkRecord>(
  {
    _id: { type: String, required: true },
    purpose: { type: String, required: true },
    accountId: { type: String, default: null },
    email: { type: String, required: true },
    role: { type: String, default: null },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'one_time_links', versionKey: false },
)
  .index({ accountId: 1 })
  .index({ email: 1 })
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

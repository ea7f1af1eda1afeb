import { Schema } from 'mongoose';

/** Credits that a token has taken for a job. */
export interface TokenChargeRecord {
  jobId: string;
  credits: number;
  refunded: number;
}

/** A session token as stored, without the token itself. */
export interface SessionTokenRecord {
  /** HMAC-SHA-256 of the token under the pepper, in hex. */
  _id: string;
  accountId: string;
  /** API key that made the token. */
  keyId: string;
  /** Origin of the pages that may use the token. */
  origin: string;
  /** Null until the token has created its session. */
  sessionId: string | null;
  maxCredits: number;
  /** Credits of `charges` less refunds. */
  usedCredits: number;
  charges: TokenChargeRecord[];
  /** Most images that may be sampled for free. */
  maxSamples: number;
  usedSamples: number;
  /** Most images that may be described for free. */
  maxAnalyses: number;
  usedAnalyses: number;
  expiresAt: Date;
}

/** Schema of {@link SessionTokenRecord}; a TTL index removes expired records. */
export const sessionTokenSchema = new Schema<SessionTokenRecord>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    keyId: { type: String, required: true },
    origin: { type: String, required: true },
    sessionId: { type: String, default: null },
    maxCredits: { type: Number, required: true },
    usedCredits: { type: Number, default: 0 },
    charges: { type: [{ _id: false, jobId: String, credits: Number, refunded: Number }], default: [] },
    maxSamples: { type: Number, required: true },
    usedSamples: { type: Number, default: 0 },
    maxAnalyses: { type: Number, required: true },
    usedAnalyses: { type: Number, default: 0 },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'session_tokens', versionKey: false },
)
  .index({ accountId: 1, expiresAt: 1 })
  .index({ sessionId: 1 })
  .index({ 'charges.jobId': 1 }, { sparse: true })
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

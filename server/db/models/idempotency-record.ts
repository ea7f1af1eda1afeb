import { Schema } from 'mongoose';

/** A finished answer, kept to be sent again. */
export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** What is remembered of one `Idempotency-Key` of one account. */
export interface IdempotencyRecord {
  /** Hash of account and key. */
  _id: string;
  accountId: string;
  operation: string;
  requestHash: string;
  state: 'running' | 'done';
  /** Changes whenever another request takes the record over. */
  token: string;
  /** The job that this request makes, chosen before it exists; null for plain answers. */
  jobId: string | null;
  startedAt: Date;
  expiresAt: Date;
  response: StoredResponse | null;
}

/** Schema of {@link IdempotencyRecord}. */
export const idempotencyRecordSchema = new Schema<IdempotencyRecord>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    operation: { type: String, required: true },
    requestHash: { type: String, required: true },
    state: { type: String, required: true },
    token: { type: String, required: true },
    jobId: { type: String, default: null },
    startedAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    response: { type: Schema.Types.Mixed, default: null },
  },
  { collection: 'idempotency_records', versionKey: false, minimize: false },
)
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index({ accountId: 1 });

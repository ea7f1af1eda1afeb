import { Schema } from 'mongoose';

/** A finished response, stored to be repeated. */
export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** Record of one `Idempotency-Key` of one account. */
export interface IdempotencyRecord {
  /** Hash of account and key. */
  _id: string;
  accountId: string;
  operation: string;
  requestHash: string;
  state: 'running' | 'done';
  /** Owner of the record; changes when another request takes it over. */
  token: string;
  /** Id of the job that the request creates, chosen in advance; null for requests without a job. */
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

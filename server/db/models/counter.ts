import { Schema } from 'mongoose';

/** A count that all servers share, for a limited time. */
export interface CounterRecord {
  /** Name of the count, and a hash of the account or address. */
  _id: string;
  n: number;
  /** End of the window; a TTL index removes the record some time later. */
  expiresAt: Date;
}

/** Schema of {@link CounterRecord}. */
export const counterSchema = new Schema<CounterRecord>(
  {
    _id: { type: String, required: true },
    n: { type: Number, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'counters', versionKey: false },
).index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

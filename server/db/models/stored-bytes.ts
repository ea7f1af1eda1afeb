import { Schema } from 'mongoose';

/** Bytes that an account stores, counted by all servers together. */
export interface StoredBytesRecord {
  /** The account. */
  _id: string;
  /** Bytes of its sessions and of the uploads that are about to be recorded. */
  bytes: number;
  /** Bytes of these uploads; more if a server has died meanwhile. */
  pending: number;
  /** Time of the last upload. */
  takenAt: Date;
  /** Number of changes. */
  changes: number;
}

/** Schema of {@link StoredBytesRecord}. */
export const storedBytesSchema = new Schema<StoredBytesRecord>(
  {
    _id: { type: String, required: true },
    bytes: { type: Number, required: true },
    pending: { type: Number, required: true },
    takenAt: { type: Date, required: true },
    changes: { type: Number, required: true },
  },
  { collection: 'stored_bytes', versionKey: false },
);

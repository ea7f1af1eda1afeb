import { Schema } from 'mongoose';

/** The one document that all servers of a database agree on. */
export interface ClusterRecord {
  _id: 'identity';
  /** Number of the last migration that was applied in full. */
  dataVersion: number;
  /** Process that applies the next migration; `beat` changes while it is alive. */
  migration: { owner: string; beat: number } | null;
  /** Hash of the secret under which API keys are stored; absent before the first start that has one. */
  pepperFingerprint?: string;
  /** Id that the file store carries; absent before the first start. */
  storeId?: string;
}

/** Schema of {@link ClusterRecord}. */
export const clusterSchema = new Schema<ClusterRecord>(
  {
    _id: { type: String, required: true },
    dataVersion: { type: Number, required: true },
    migration: { type: Schema.Types.Mixed, default: null },
    pepperFingerprint: { type: String },
    storeId: { type: String },
  },
  { collection: 'cluster', versionKey: false },
);

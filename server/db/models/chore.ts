import { Schema } from 'mongoose';

/** The right to do periodic work, which one process has at a time. */
export interface ChoreRecord {
  /** Name of the work. */
  _id: string;
  /** Process that does it; null: done, and not due before `until`. */
  owner: string | null;
  until: Date;
}

/** Schema of {@link ChoreRecord}. */
export const choreSchema = new Schema<ChoreRecord>(
  {
    _id: { type: String, required: true },
    owner: { type: String, default: null },
    until: { type: Date, required: true },
  },
  { collection: 'chores', versionKey: false },
);

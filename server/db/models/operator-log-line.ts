import { Schema } from 'mongoose';
import type { LogAction, LogChange } from '#contract';

/** A line of the operator log as stored. Lines are append-only and kept without limit. */
export interface OperatorLogRecord {
  /** Sorts by time. */
  _id: string;
  at: Date;
  /** Null for the command line. */
  actorId: string | null;
  /** Email address of an operator at that time, or `command line`; null for users, whose address is looked up. */
  actorName: string | null;
  action: LogAction;
  /** Account concerned; its email address is not stored. */
  target: string | null;
  change: LogChange;
  /** Network address of the client, or ''. */
  address: string;
}

/** Schema of {@link OperatorLogRecord}. */
export const operatorLogSchema = new Schema<OperatorLogRecord>(
  {
    _id: { type: String, required: true },
    at: { type: Date, required: true },
    actorId: { type: String, default: null },
    actorName: { type: String, default: null },
    action: { type: String, required: true },
    target: { type: String, default: null },
    change: { type: Schema.Types.Mixed, required: true },
    address: { type: String, default: '' },
  },
  { collection: 'operator_log', versionKey: false, minimize: false },
)
  .index({ action: 1, _id: -1 })
  .index({ actorId: 1 })
  .index({ target: 1 });

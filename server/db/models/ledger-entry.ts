import { Schema } from 'mongoose';
import type { LedgerKind } from '#contract';

/** A ledger entry as stored. Entries are append-only except for `open`. */
export interface LedgerEntryRecord {
  /** Sorts by time. */
  _id: string;
  accountId: string;
  kind: LedgerKind;
  /** Reference, e.g. a job id; unique per kind. */
  ref: string;
  /** Credits, signed: negative for a charge. */
  delta: number;
  note: string | null;
  at: Date;
  /** True on a charge until its job is settled; absent otherwise. */
  open?: boolean;
}

/** Schema of {@link LedgerEntryRecord}. */
export const ledgerEntrySchema = new Schema<LedgerEntryRecord>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    kind: { type: String, required: true },
    ref: { type: String, required: true },
    delta: { type: Number, required: true },
    note: { type: String, default: null },
    at: { type: Date, required: true },
    open: { type: Boolean },
  },
  { collection: 'ledger_lines', versionKey: false },
)
  .index({ kind: 1, ref: 1 }, { unique: true })
  .index({ accountId: 1, _id: -1 })
  .index({ accountId: 1, kind: 1, _id: -1 })
  .index({ accountId: 1, at: 1 })
  .index({ at: 1 }, { partialFilterExpression: { open: true } });

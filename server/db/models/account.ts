import { Schema } from 'mongoose';
import type { AccountRole, LedgerKind } from '#contract';

/** A pending ledger entry: already in the balance, possibly not yet in the ledger. Stored in `holds`. */
export interface PendingEntryRecord {
  /** The `_id` of the ledger entry. */
  lineId: string;
  kind: LedgerKind;
  ref: string;
  /** Credits, signed: negative for a charge. */
  delta: number;
  note: string | null;
  at: Date;
}

/** A new email address that is not confirmed yet. */
export interface PendingEmailRecord {
  email: string;
  /** Expiry of its link. */
  endsAt: Date;
}

/** Images that count towards the daily limits. */
export interface DailyUseRecord {
  /** Date (UTC) as YYYY-MM-DD. */
  day: string;
  samples: number;
  analyses: number;
}

/** An account as stored. All fields of an invariant are in this one document. */
export interface AccountRecord {
  _id: string;
  /** Lower case; unique. */
  email: string;
  plan: string;
  suspendedAt: Date | null;
  /** Credits; never negative. */
  balance: number;
  /** Charges less refunds, in credits. */
  used: number;
  /** Sign-up credits and grants, in credits. */
  granted: number;
  holds: PendingEntryRecord[];
  /** Number of ledger entries ever made, in shards by (kind, ref); a missing shard is 0. */
  lanes: Record<string, number>;
  /** Ids of the active keys. */
  activeKeys: string[];
  /** Absent: `user`. */
  role?: AccountRole;
  /** Set by the sign-in module; absent or null before the first password. */
  passwordHash?: string | null;
  /** Number of password changes; absent: 0. A browser session is valid only with the version it began with. */
  passwordVersion?: number;
  lastLoginAt?: Date | null;
  /** New address, set once the link sent to it is opened. */
  pendingEmail?: PendingEmailRecord | null;
  /** Of the last day with a counted image. */
  today?: DailyUseRecord;
  /** Charges less refunds by day in UTC, as `{ '2026': { '01-31': 12 } }`, of this year and the one before. */
  days?: Record<string, Record<string, number>>;
  /** Set on a tombstone, whose remaining data is being deleted. */
  deletedAt?: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Condition on `deletedAt` of tombstoned accounts, exactly as in the partial index. */
export const DELETED_ACCOUNT = { $gt: new Date(0) };

const holdSchema = new Schema<PendingEntryRecord>(
  {
    lineId: { type: String, required: true },
    kind: { type: String, required: true },
    ref: { type: String, required: true },
    delta: { type: Number, required: true },
    note: { type: String, default: null },
    at: { type: Date, required: true },
  },
  { _id: false },
);

const pendingEmailSchema = new Schema<PendingEmailRecord>(
  {
    email: { type: String, required: true },
    endsAt: { type: Date, required: true },
  },
  { _id: false },
);

/** Schema of {@link AccountRecord}. */
export const accountSchema = new Schema<AccountRecord>(
  {
    _id: { type: String, required: true },
    email: { type: String, required: true },
    plan: { type: String, required: true },
    suspendedAt: { type: Date, default: null },
    balance: { type: Number, required: true },
    used: { type: Number, required: true },
    granted: { type: Number, required: true },
    holds: { type: [holdSchema], required: true },
    lanes: { type: Schema.Types.Mixed, required: true },
    activeKeys: { type: [String], required: true },
    role: { type: String },
    passwordHash: { type: String },
    passwordVersion: { type: Number },
    lastLoginAt: { type: Date },
    pendingEmail: { type: pendingEmailSchema },
    today: { type: Schema.Types.Mixed },
    days: { type: Schema.Types.Mixed },
    deletedAt: { type: Date },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'accounts', versionKey: false, minimize: false },
)
  .index({ email: 1 }, { unique: true })
  .index({ 'holds.at': 1 })
  .index({ deletedAt: 1 }, { partialFilterExpression: { deletedAt: DELETED_ACCOUNT } });

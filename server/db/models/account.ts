import { Schema } from 'mongoose';
import type { AccountRole, LedgerKind } from '#contract';

/** A movement of credits that is in the balance already and whose ledger line may still be missing. */
export interface HoldRecord {
  /** The `_id` that the ledger line has or will have. */
  lineId: string;
  kind: LedgerKind;
  ref: string;
  /** Credits, signed: negative for a charge. */
  delta: number;
  note: string | null;
  at: Date;
}

/** A mail address that waits for its link. */
export interface PendingEmailRecord {
  email: string;
  /** From then on it waits no longer. */
  endsAt: Date;
}

/** An account as stored. What one invariant needs stands in this one document. */
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
  holds: HoldRecord[];
  /** Movements ever made, counted in lanes by their (kind, ref); a missing lane is 0. */
  lanes: Record<string, number>;
  /** A key is active exactly while its id stands here. */
  activeKeys: string[];
  /** Absent: `user`. */
  role?: AccountRole;
  /** From the log-in module; absent or null as long as nobody has set a password. */
  passwordHash?: string | null;
  /** Passwords that were set since the account was made; absent: 0. A log-in counts only under the one it began with. */
  passwordVersion?: number;
  lastLoginAt?: Date | null;
  /** The address that it is to get, once the link that goes there is opened. */
  pendingEmail?: PendingEmailRecord | null;
  /** Set when the account is being deleted: it is no account any more, and what is left of it goes. */
  deletedAt?: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** What the `deletedAt` of an account that is being deleted is after; in these words its index is found. */
export const DELETED_ACCOUNT = { $gt: new Date(0) };

const holdSchema = new Schema<HoldRecord>(
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
    deletedAt: { type: Date },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'accounts', versionKey: false, minimize: false },
)
  .index({ email: 1 }, { unique: true })
  .index({ 'holds.at': 1 })
  .index({ deletedAt: 1 }, { partialFilterExpression: { deletedAt: DELETED_ACCOUNT } });

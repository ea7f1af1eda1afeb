import type { AccountRole, DailyCounter, LedgerKind } from '#contract';
import { field, partOf, type RecordOf, schemaOf } from '../collection.ts';

/** Images that count towards the daily limits; an absent counter is 0. `day` is the date (UTC) as YYYY-MM-DD. */
export type DailyUseRecord = { day: string } & { [Counter in StoredCounter]?: number };

/** Images of a day that are counted. `overruns`, which ended by a limit of time or memory, are among `samples`, too. */
export type StoredCounter = DailyCounter | 'overruns';

/** Condition on `deletedAt` of tombstoned accounts, exactly as in the partial index. */
export const DELETED_ACCOUNT = { $gt: new Date(0) };

const holdFields = {
  /** The `_id` of the ledger entry. */
  lineId: field.text(),
  kind: field.text<LedgerKind>(),
  ref: field.text(),
  /** Credits, signed: negative for a charge. */
  delta: field.number(),
  note: field.orNull(field.text()),
  at: field.date(),
};

/** A pending ledger entry: already in the balance, possibly not yet in the ledger. Stored in `holds`. */
export type PendingEntryRecord = RecordOf<typeof holdFields>;

const pendingEmailFields = {
  email: field.text(),
  /** Expiry of its link. */
  endsAt: field.date(),
};

/** A new email address that is not confirmed yet. */
export type PendingEmailRecord = RecordOf<typeof pendingEmailFields>;

const accountFields = {
  _id: field.text(),
  /** Lower case; unique. */
  email: field.text(),
  plan: field.text(),
  suspendedAt: field.orNull(field.date()),
  /** Credits; never negative. */
  balance: field.number(),
  /** Charges less refunds, in credits. */
  used: field.number(),
  /** Sign-up credits and grants, in credits. */
  granted: field.number(),
  holds: field.typed<PendingEntryRecord[]>([partOf(holdFields)]),
  /** Number of ledger entries ever made, in shards by (kind, ref); a missing shard is 0. */
  lanes: field.mixed<Record<string, number>>(),
  /** Ids of the active keys. */
  activeKeys: field.typed<string[]>([String]),
  /** Absent: `user`. */
  role: field.optional(field.text<AccountRole>()),
  /** Set by the sign-in module; absent or null before the first password. */
  passwordHash: field.optional(field.text<string | null>()),
  /** Number of password changes; absent: 0. A browser session is valid only with the version it began with. */
  passwordVersion: field.optional(field.number()),
  lastLoginAt: field.optional(field.date<Date | null>()),
  /** New address, set once the link sent to it is opened. */
  pendingEmail: field.optional(field.typed<PendingEmailRecord | null>(partOf(pendingEmailFields))),
  /** Of the last day with a counted image. */
  today: field.optional(field.mixed<DailyUseRecord>()),
  /** Charges less refunds by day in UTC, as `{ '2026': { '01-31': 12 } }`, of this year and the one before. */
  days: field.optional(field.mixed<Record<string, Record<string, number>>>()),
  /** Set on a tombstone, whose remaining data is being deleted. */
  deletedAt: field.optional(field.date<Date | null>()),
  createdAt: field.date(),
  updatedAt: field.date(),
};

/** An account as stored. All fields of an invariant are in this one document. */
export type AccountRecord = RecordOf<typeof accountFields>;

/** Schema of {@link AccountRecord}. */
export const accountSchema = schemaOf('accounts', accountFields)
  .index({ email: 1 }, { unique: true })
  .index({ 'holds.at': 1 })
  .index({ deletedAt: 1 }, { partialFilterExpression: { deletedAt: DELETED_ACCOUNT } });

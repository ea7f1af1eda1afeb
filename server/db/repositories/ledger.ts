import type { Model } from 'mongoose';
import type { LedgerKind } from '#contract';
import { deleteInBatches, field, insertNew, plainCollection, type RecordOf, schemaOf } from '../collection.ts';
import type { Connection } from '../connect.ts';
import type { AccountRecord, PendingEntryRecord } from './account-record.ts';

const ledgerEntryFields = {
  /** Sorts by time. */
  _id: field.text(),
  accountId: field.text(),
  kind: field.text<LedgerKind>(),
  /** Reference, e.g. a job id; unique per kind. */
  ref: field.text(),
  /** Credits, signed: negative for a charge. */
  delta: field.number(),
  note: field.orNull(field.text()),
  at: field.date(),
  /** True on a charge until its job is settled; absent otherwise. */
  open: field.optional(field.flag()),
};

/** A ledger entry as stored. Entries are append-only except for `open`. */
export type LedgerEntryRecord = RecordOf<typeof ledgerEntryFields>;

const ledgerEntrySchema = schemaOf('ledger_lines', ledgerEntryFields)
  .index({ kind: 1, ref: 1 }, { unique: true })
  .index({ accountId: 1, _id: -1 })
  .index({ accountId: 1, kind: 1, _id: -1 })
  .index({ accountId: 1, at: 1 })
  .index({ at: 1 }, { partialFilterExpression: { open: true } });

/** Selects part of an account's entries. */
export interface EntryFilter {
  kind?: LedgerKind | undefined;
  from?: Date | undefined;
  /** Exclusive. */
  before?: Date | undefined;
}

/** Creates the repository of the append-only ledger of credits. */
export function createLedgerRepository(connection: Connection) {
  const model = connection.model<LedgerEntryRecord>('LedgerLine', ledgerEntrySchema);
  return {
    ...ledgerReads(model),
    ...ledgerWrites(model),
  };
}

/** Access to the stored ledger. */
export type LedgerRepository = ReturnType<typeof createLedgerRepository>;

/** The fields of a ledger entry that `ofKind` returns. */
export type AuditedEntry = Pick<LedgerEntryRecord, '_id' | 'accountId' | 'kind' | 'ref' | 'delta'>;

/** Entries in memory at a time during an audit, for each of two kinds. */
const AUDIT_BATCH = 200;

/** Reads entries. */
function ledgerReads(model: Model<LedgerEntryRecord>) {
  return {
    /** Finds the entry of a (kind, ref), which is unique over all accounts; the caller must compare the account. */
    async findByRef(kind: LedgerKind, ref: string): Promise<LedgerEntryRecord | null> {
      return model.findOne({ kind, ref }).lean();
    },

    /** Tests if an account has an entry with this id. */
    async has(accountId: string, lineId: string): Promise<boolean> {
      return (await model.countDocuments({ _id: lineId, accountId })) === 1;
    },

    /** Lists an account's entries, newest first, after `cursor` (the id of an entry). */
    async page(
      accountId: string,
      limit: number,
      cursor?: string,
      filter: EntryFilter = {},
    ): Promise<LedgerEntryRecord[]> {
      const { kind, from, before } = filter;
      const at = { ...(from && { $gte: from }), ...(before && { $lt: before }) };
      return model
        .find({
          accountId,
          ...(cursor === undefined ? {} : { _id: { $lt: cursor } }),
          ...(kind && { kind }),
          ...((from || before) && { at }),
        })
        .sort({ _id: -1 })
        .limit(limit)
        .lean();
    },

    /** Lists charges older than `before` or later than `now` whose jobs are not settled; the oldest of each first. */
    async findOpen(before: Date, now: Date, limit: number): Promise<LedgerEntryRecord[]> {
      const found = [];
      for (const at of [{ $lte: before }, { $gt: now }])
        found.push(...(await model.find({ open: true, at }).sort({ at: 1 }).limit(limit).lean()));
      return found;
    },

    /** Streams the entries of a kind of all accounts by reference; for the audit. */
    async *ofKind(kind: LedgerKind): AsyncGenerator<AuditedEntry> {
      const projection = { accountId: 1, kind: 1, ref: 1, delta: 1 };
      const found = model.collection.find({ kind }, { projection }).sort({ kind: 1, ref: 1 }).batchSize(AUDIT_BATCH);
      for await (const line of found) yield line as unknown as AuditedEntry;
    },
  };
}

/** Adds, settles and removes entries. */
function ledgerWrites(model: Model<LedgerEntryRecord>) {
  return {
    /** Inserts an entry; false if its (kind, ref) or its id exists. */
    insert: (line: LedgerEntryRecord): Promise<boolean> => insertNew(model, line),

    /** Marks the job of a charge as settled. */
    async close(accountId: string, ref: string): Promise<void> {
      await model.updateOne({ kind: 'charge', ref, accountId }, { $unset: { open: 1 } });
    },

    async removeOfAccount(accountId: string): Promise<void> {
      await deleteInBatches(plainCollection<LedgerEntryRecord>(model), { accountId });
    },
  };
}

/** One ledger entry, as it is applied to the account document. */
export interface CreditChange {
  accountId: string;
  hold: PendingEntryRecord;
  /** Signed changes of the two counters, in credits. */
  used: number;
  granted: number;
  lane: string;
  /** Count of the shard at the time the ledger was searched for this (kind, ref). */
  laneCount: number;
}

/** Changes an account's credits. */
export function creditChanges(model: Model<AccountRecord>) {
  return {
    /**
     * Changes balance and counters and adds a pending entry, atomically; null if the balance does not suffice or another
     * entry of the shard came first. A tombstoned account accepts refunds only.
     */
    async move({ accountId, hold, used, granted, lane, laneCount }: CreditChange): Promise<AccountRecord | null> {
      const living = hold.kind === 'refund' ? {} : { deletedAt: null };
      return model
        .findOneAndUpdate(
          // Equality with null also matches a missing shard.
          {
            _id: accountId,
            ...living,
            balance: { $gte: -hold.delta },
            [`lanes.${lane}`]: laneCount === 0 ? null : laneCount,
          },
          {
            $inc: {
              balance: hold.delta,
              used,
              granted,
              [`lanes.${lane}`]: 1,
              ...(used !== 0 && { [dayField(hold.at)]: used }),
            },
            $push: { holds: hold },
            $set: { updatedAt: hold.at },
            $unset: oldDays(hold.at),
          },
          { returnDocument: 'after', projection: { days: 0 } },
        )
        .lean();
    },

    /** Removes a pending entry that was written to the ledger; false if the account does not exist. */
    async clearHold(accountId: string, lineId: string): Promise<boolean> {
      const updated = await model.updateOne({ _id: accountId }, { $pull: { holds: { lineId } } });
      return updated.matchedCount === 1;
    },
  };
}

/** Field of an account that counts the spending of a day. */
function dayField(at: Date): string {
  const [year, ...day] = at.toISOString().slice(0, 10).split('-');
  return `days.${year}.${day.join('-')}`;
}

/** Fields of years that no report reaches any more. */
function oldDays(at: Date): Record<string, ''> {
  const year = at.getUTCFullYear();
  return Object.fromEntries([2, 3, 4, 5].map((ago) => [`days.${year - ago}`, '']));
}

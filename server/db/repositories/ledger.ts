import type { LedgerKind } from '#contract';
import type { Connection } from '../connect.ts';
import { unlessDuplicate } from '../duplicate-key.ts';
import { type LedgerLineRecord, ledgerLineSchema } from '../models/ledger-line.ts';

export type { LedgerLineRecord };

/** Part of an account's lines. */
export interface LineFilter {
  kind?: LedgerKind | undefined;
  from?: Date | undefined;
  /** The moment itself is not in it. */
  before?: Date | undefined;
}

/** The append-only ledger of credits. */
export function createLedgerRepository(connection: Connection) {
  const model = connection.model<LedgerLineRecord>('LedgerLine', ledgerLineSchema);
  return {
    /** Writes a line; false when its (kind, ref) or its id is in the ledger already. */
    async insert(line: LedgerLineRecord): Promise<boolean> {
      const inserted = model.collection.insertOne(line as never).then(() => true);
      return unlessDuplicate(inserted, false);
    },

    /** The line of a (kind, ref), whose account the caller must compare; (kind, ref) is unique over all accounts. */
    async findByRef(kind: LedgerKind, ref: string): Promise<LedgerLineRecord | null> {
      return model.findOne({ kind, ref }).lean();
    },

    /** Tells whether an account has a line of this id. */
    async has(accountId: string, lineId: string): Promise<boolean> {
      return (await model.countDocuments({ _id: lineId, accountId })) === 1;
    },

    /** An account's lines, newest first, from behind `cursor` (a line's id). */
    async page(
      accountId: string,
      limit: number,
      cursor?: string,
      filter: LineFilter = {},
    ): Promise<LedgerLineRecord[]> {
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

    /** What an account spent, charges less refunds, by day (`2026-01-31`, UTC) since a moment. */
    async spendingByDay(accountId: string, since: Date): Promise<{ day: string; credits: number }[]> {
      return model.aggregate<{ day: string; credits: number }>([
        { $match: { accountId, at: { $gte: since }, kind: { $in: ['charge', 'refund'] } } },
        { $group: { _id: { $dateToString: { date: '$at', format: '%Y-%m-%d' } }, delta: { $sum: '$delta' } } },
        { $project: { _id: 0, day: '$_id', credits: { $multiply: ['$delta', -1] } } },
      ]);
    },

    async removeOfAccount(accountId: string): Promise<void> {
      await model.deleteMany({ accountId });
    },

    /** Charges from before `before`, and from after `now`, whose jobs have not been settled; the oldest of each first. */
    async findOpen(before: Date, now: Date, limit: number): Promise<LedgerLineRecord[]> {
      const found = [];
      for (const at of [{ $lte: before }, { $gt: now }])
        found.push(...(await model.find({ open: true, at }).sort({ at: 1 }).limit(limit).lean()));
      return found;
    },

    /** Notes that the job of a charge has been settled. */
    async close(accountId: string, ref: string): Promise<void> {
      await model.updateOne({ kind: 'charge', ref, accountId }, { $unset: { open: 1 } });
    },

    /** Up to `limit` lines of all accounts in the order of their ids, from behind `afterId`; for the audit. */
    async scan(limit: number, afterId = ''): Promise<LedgerLineRecord[]> {
      return model
        .find({ _id: { $gt: afterId } })
        .sort({ _id: 1 })
        .limit(limit)
        .lean();
    },
  };
}

/** Access to the stored ledger. */
export type LedgerRepository = ReturnType<typeof createLedgerRepository>;

import type { Migration } from './migration.ts';

/** An account as it was stored, as far as it is needed. */
interface OlderAccount {
  _id: string;
  holds: { lineId: string; kind: string; delta: number; at: Date }[];
}

/** A day of an account's ledger. */
interface LedgerDay {
  /** `2026-01-31` */
  _id: string;
  delta: number;
}

/** Counts what each account has spent by day, which the ledger was summed up for with each request. */
export const spendingDays: Migration = {
  name: 'accounts count what they spend by day',
  async apply(connection, report) {
    const accounts = connection.collection<OlderAccount>('accounts');
    const lines = connection.collection('ledger_lines');
    const since = new Date(Date.UTC(new Date().getUTCFullYear() - 1, 0, 1));
    const kinds = ['charge', 'refund'];
    let done = 0;
    for await (const { _id: accountId } of accounts.find({}, { projection: { _id: 1 } })) {
      const written = lines.aggregate<LedgerDay>([
        { $match: { accountId, at: { $gte: since }, kind: { $in: kinds } } },
        { $group: { _id: { $dateToString: { date: '$at', format: '%Y-%m-%d' } }, delta: { $sum: '$delta' } } },
      ]);
      const days: Record<string, Record<string, number>> = {};
      const add = (day: string, delta: number) => {
        const year = day.slice(0, 4);
        days[year] ??= {};
        days[year][day.slice(5)] = (days[year][day.slice(5)] ?? 0) - delta;
      };
      for await (const { _id: day, delta } of written) add(day, delta);
      const account = await accounts.findOne({ _id: accountId });
      // An entry may be pending and written.
      for (const { kind, delta, at, lineId } of account?.holds ?? []) {
        if (!kinds.includes(kind) || (await lines.findOne({ _id: lineId as never }))) continue;
        add(at.toISOString().slice(0, 10), delta);
      }
      await accounts.updateOne({ _id: accountId }, { $set: { days } });
      done += 1;
      if (done % 1000 === 0) report(done);
    }
  },
};

import type { LedgerFilter, LedgerKind, Transaction } from '#contract';
import type {
  AccountRepository,
  JobHistoryRepository,
  LedgerEntryRecord,
  LedgerRepository,
  PastJobRecord,
} from '../db/index.ts';
import { AppError } from '../errors.ts';

interface TransactionsDeps {
  accounts: Pick<AccountRepository, 'spendingByDay'>;
  ledger: LedgerRepository;
  jobHistory: Pick<JobHistoryRepository, 'findMany'>;
}

/** Creates the reader of accounts' ledgers. */
export function createTransactions({ accounts, ledger, jobHistory }: TransactionsDeps) {
  /** Shows entries with the work that they paid. */
  async function show(accountId: string, lines: LedgerEntryRecord[]): Promise<Transaction[]> {
    const jobIds = lines.flatMap(({ kind, ref }) => (PAYS_WORK.has(kind) ? [ref] : []));
    const found = jobIds.length > 0 ? await jobHistory.findMany(accountId, jobIds) : [];
    const works = new Map(found.map((job) => [job._id, job]));
    return lines.map((line) => toTransaction(line, works.get(line.ref)));
  }

  return {
    /**
     * Returns a page of an account's ledger, newest first. The cursor is the id of the last entry, so new entries shift no page.
     * @param limit 1-200
     * @throws AppError invalid_request if the cursor is not an entry of this account
     */
    async page(accountId: string, { cursor, limit = 50, ...filter }: PageQuery = {}) {
      if (cursor !== undefined && !(await ledger.has(accountId, cursor))) throw unknownCursor(cursor);
      // One extra entry shows if there is a next page.
      const lines = await ledger.page(accountId, limit + 1, cursor, momentsOf(filter));
      const page = lines.slice(0, limit);
      const nextCursor = lines.length > limit ? (page.at(-1)?._id ?? null) : null;
      return { transactions: await show(accountId, page), nextCursor };
    },

    /** Iterates over all entries, newest first, reading pages on demand. */
    async *all(accountId: string, filter: LedgerFilter = {}): AsyncGenerator<Transaction> {
      for (let cursor: string | undefined; ; ) {
        const lines = await ledger.page(accountId, EXPORT_PAGE, cursor, momentsOf(filter));
        yield* await show(accountId, lines);
        cursor = lines.at(-1)?._id;
        if (lines.length < EXPORT_PAGE) return;
      }
    },

    /** Returns the credits spent per day in UTC, charges less refunds; at most of a year. @param from `2026-01-31` */
    async spending(accountId: string, from: string): Promise<Map<string, number>> {
      const days = await accounts.spendingByDay(accountId);
      return new Map(days.filter(({ day }) => day >= from).map(({ day, credits }) => [day, credits]));
    },
  };
}

function unknownCursor(cursor: string): AppError {
  const fault = `expected the nextCursor of an earlier page, but received ${JSON.stringify(cursor)}`;
  return new AppError('invalid_request', `cursor: ${fault}`, { details: { errors: { cursor: [fault] } } });
}

const EXPORT_PAGE = 500;
const PAYS_WORK: ReadonlySet<LedgerKind> = new Set(['charge', 'refund']);
const DAY_MS = 86_400_000;

interface PageQuery {
  cursor?: string | undefined;
  limit?: number;
  kind?: LedgerKind | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** Converts the days of a filter to times; the last day is included. */
export function momentsOf({ kind, from, to }: LedgerFilter) {
  return { kind, from: from && new Date(from), before: to && new Date(Date.parse(to) + DAY_MS) } as {
    kind?: LedgerKind;
    from?: Date;
    before?: Date;
  };
}

function toTransaction({ _id, kind, delta, ref, note, at }: LedgerEntryRecord, job?: PastJobRecord): Transaction {
  const work = job
    ? { kind: job.kind, images: job.total, format: job.format ?? null, preset: job.preset ?? null }
    : null;
  return { id: _id, kind, delta, ref, note, work, at: at.toISOString() };
}

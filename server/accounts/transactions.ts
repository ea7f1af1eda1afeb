import type { Transaction } from '#contract';
import type { LedgerRepository } from '../db/index.ts';

/** Makes the reader of an account's ledger. */
export function createTransactions({ ledger }: { ledger: LedgerRepository }) {
  /**
   * A page of an account's ledger, newest first. The cursor is the last line's id, so new lines never shift a page.
   * @param limit 1-200
   */
  return async function transactions(
    accountId: string,
    { cursor, limit = 50 }: { cursor?: string | undefined; limit?: number } = {},
  ): Promise<{ transactions: Transaction[]; nextCursor: string | null }> {
    // One more than asked for tells whether there is a next page.
    const lines = await ledger.page(accountId, limit + 1, cursor);
    const page = lines.slice(0, limit);
    return {
      transactions: page.map(({ _id, kind, delta, ref, note, at }) => ({
        id: _id,
        kind,
        delta,
        ref,
        note,
        at: at.toISOString(),
      })),
      nextCursor: lines.length > limit ? (page.at(-1)?._id ?? null) : null,
    };
  };
}

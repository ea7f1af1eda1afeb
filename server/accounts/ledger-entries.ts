import { createHash } from 'node:crypto';
import type { LedgerKind } from '#contract';
import type { AccountRecord, LedgerEntryRecord, PendingEntryRecord } from '../db/index.ts';
import { encodeBase62, randomBase62 } from './base62.ts';

const SHARDS = 32;

/** Returns the shard of the entry counter that counts a (kind, ref). */
export function shardOf(kind: LedgerKind, ref: string): string {
  return String(createHash('sha256').update(`${kind} ${ref}`).digest().readUInt32BE() % SHARDS);
}

/** Counts the entries of an account over all shards. */
export function countEntries({ lanes }: Pick<AccountRecord, 'lanes'>): number {
  return Object.values(lanes).reduce((sum, count) => sum + count, 0);
}

/**
 * Generates the id of a ledger entry. Ids of an account sort by the number of earlier entries, independent of server
 * clocks; concurrent ones sort by time.
 * @param place 0 for the sign-up, else 1 more than the account's earlier entries
 */
export function newLineId(place: number, at: Date): string {
  return `line_${encodeBase62(place, 7)}${encodeBase62(at.getTime(), 8)}${randomBase62(10)}`;
}

/** Returns an entry's changes of the counters: `used` is charges less refunds, `granted` all other entries, less withdrawals. */
export function countersOf({ kind, delta }: { kind: LedgerKind; delta: number }): { used: number; granted: number } {
  return kind === 'charge' || kind === 'refund' ? { used: -delta, granted: 0 } : { used: 0, granted: delta };
}

/** Converts a pending entry to a ledger entry; a charge stays open until its job is settled. */
export function toLine(
  accountId: string,
  { lineId, kind, ref, delta, note, at }: PendingEntryRecord,
): LedgerEntryRecord {
  const line = { _id: lineId, accountId, kind, ref, delta, note, at };
  return kind === 'charge' ? { ...line, open: true } : line;
}

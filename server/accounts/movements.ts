import { createHash } from 'node:crypto';
import type { LedgerKind } from '#contract';
import type { AccountRecord, HoldRecord, LedgerLineRecord } from '../db/index.ts';
import { encodeBase62, randomBase62 } from './base62.ts';

const LANES = 32;

/** The lane in which the movements of a (kind, ref) are counted. */
export function laneOf(kind: LedgerKind, ref: string): string {
  return String(createHash('sha256').update(`${kind} ${ref}`).digest().readUInt32BE() % LANES);
}

/** How many movements an account has had. */
export function countMovements({ lanes }: Pick<AccountRecord, 'lanes'>): number {
  return Object.values(lanes).reduce((sum, count) => sum + count, 0);
}

/**
 * A new id of a ledger line. An account's lines sort by what they came after, whatever the clocks of its servers say;
 * those that were made at once sort by time.
 * @param place 0 for the sign-up, else 1 more than the movements that the account has had
 */
export function newLineId(place: number, at: Date): string {
  return `line_${encodeBase62(place, 7)}${encodeBase62(at.getTime(), 8)}${randomBase62(10)}`;
}

/** What a movement does to the counters: used is charges less refunds, granted is all the rest. */
export function countersOf({ kind, delta }: { kind: LedgerKind; delta: number }): { used: number; granted: number } {
  return kind === 'charge' || kind === 'refund' ? { used: -delta, granted: 0 } : { used: 0, granted: delta };
}

/** The ledger line of a hold; a charge stays open until its job is settled. */
export function toLine(accountId: string, { lineId, kind, ref, delta, note, at }: HoldRecord): LedgerLineRecord {
  const line = { _id: lineId, accountId, kind, ref, delta, note, at };
  return kind === 'charge' ? { ...line, open: true } : line;
}

import type { LedgerKind } from '#contract';
import type { AccountRecord, PendingEntryRecord } from '../db/index.ts';
import { randomBase62 } from '../ids.ts';
import {
  ContradictionError,
  type EntryRequest,
  type EntryResult,
  findPending,
  findWritten,
  finishEntry,
  type LedgerDeps,
  newLineId,
  postEntry,
  requireAccount,
} from './post-entry.ts';

/** Result of {@link Ledger.settlePending}. */
export interface Settled {
  finished: number;
  /** One message per entry that contradicts the ledger. */
  stuck: string[];
}

/** A grant; without a ref each call is a new one. */
type GrantRequest = Omit<EntryRequest, 'ref'> & { ref?: string };

/** Creates the ledger. Each entry is posted exactly once per (kind, ref), see {@link postEntry}. */
export function createLedger(deps: LedgerDeps) {
  return {
    /**
     * Charges credits for a ref, all or nothing.
     * @throws AppError insufficient_credits with balance, required and shortfall
     */
    charge: (request: EntryRequest): Promise<EntryResult> => postEntry(deps, 'charge', request, -1),

    /**
     * Refunds credits of a charge, once per ref.
     * @throws Error if there is no such charge, or it was lower
     */
    refund: (request: EntryRequest): Promise<EntryResult> => refund(deps, request),

    /** Grants credits, once per ref; without a ref each call is a new grant. */
    grant: (request: GrantRequest): Promise<EntryResult> =>
      postEntry(deps, 'grant', { ref: newGrantRef(), ...request }, 1),

    /**
     * Takes credits back, once per ref, all or nothing.
     * @throws AppError insufficient_credits if the balance is lower
     */
    withdraw: (request: EntryRequest): Promise<EntryResult> => postEntry(deps, 'withdrawal', request, -1),

    /** Returns the fields of a new account with its sign-up credits; `finish` writes the entry. */
    signup: signupFields,

    /** Completes a pending entry; any process may repeat it. */
    finish: (accountId: string, entry: PendingEntryRecord): Promise<void> => finishEntry(deps, accountId, entry),

    /** Returns the credits charged for a ref, pending charges included; 0 for none. */
    charged: (accountId: string, ref: string): Promise<number> => charged(deps, accountId, ref),

    /** Returns the balance, also of an account that is being deleted, since its last jobs are settled too. */
    balance: async (accountId: string): Promise<number> => (await requireAccount(deps, accountId)).balance,

    /** Tests if credits were charged for a ref. */
    isCharged: async (accountId: string, ref: string): Promise<boolean> => (await charged(deps, accountId, ref)) > 0,

    /** Returns the credits refunded for a ref; 0 for none. */
    refunded: (accountId: string, ref: string): Promise<number> => pendingOrWritten(deps, accountId, 'refund', ref),

    /** Marks the charge of a settled job as closed. */
    closeCharge: (accountId: string, ref: string): Promise<void> => deps.ledger.close(accountId, ref),

    /** Returns unsettled charges that are older than `minAgeMs`, or dated in the future after the clock was set back. */
    openCharges: (filter: { minAgeMs: number; limit?: number }) => openCharges(deps, filter),

    /**
     * Completes the pending entries that a crash has left. An entry that contradicts the ledger is skipped and reported in
     * `stuck`, so that it blocks neither the others nor the start of the service.
     * @param minAgeMs age in ms from which an entry is completed, to skip running ones; any age is safe. Entries dated in
     *   the future, after the clock was set back, are completed too
     */
    settlePending: ({ minAgeMs = 10_000 }: { minAgeMs?: number } = {}): Promise<Settled> =>
      settlePending(deps, minAgeMs),
  };
}

/** Ledger of credits. */
export type Ledger = ReturnType<typeof createLedger>;

/** Generates the ref of a grant that may have to be repeated. */
export function newGrantRef(): string {
  return `grant_${randomBase62(22)}`;
}

async function refund(deps: LedgerDeps, request: EntryRequest): Promise<EntryResult> {
  const limit = await charged(deps, request.accountId, request.ref);
  if (request.amount > limit) {
    throw new Error(`cannot refund ${request.amount} of ${limit} credits charged for ${request.ref}`);
  }
  return postEntry(deps, 'refund', request, 1);
}

function signupFields(
  accountId: string,
  amount: number,
  at: Date,
): Pick<AccountRecord, 'balance' | 'granted' | 'holds'> {
  const entry: PendingEntryRecord = {
    lineId: newLineId(0, at),
    kind: 'signup',
    ref: accountId,
    delta: amount,
    note: null,
    at,
  };
  return { balance: amount, granted: amount, holds: amount === 0 ? [] : [entry] };
}

async function charged(deps: LedgerDeps, accountId: string, ref: string): Promise<number> {
  return Math.abs(await pendingOrWritten(deps, accountId, 'charge', ref));
}

async function pendingOrWritten(deps: LedgerDeps, accountId: string, kind: LedgerKind, ref: string): Promise<number> {
  const pending = findPending(await requireAccount(deps, accountId), kind, ref);
  return pending?.delta ?? (await findWritten(deps, accountId, kind, ref))?.delta ?? 0;
}

async function openCharges(
  { ledger, now }: LedgerDeps,
  { minAgeMs, limit = 100 }: { minAgeMs: number; limit?: number },
) {
  const at = now();
  const lines = await ledger.findOpen(new Date(at.getTime() - minAgeMs), at, limit);
  return lines.map(({ accountId, ref, delta, at }) => ({ accountId, ref, amount: -delta, at }));
}

async function settlePending(deps: LedgerDeps, minAgeMs: number): Promise<Settled> {
  const present = deps.now();
  const before = new Date(present.getTime() - minAgeMs);
  const settled: Settled = { finished: 0, stuck: [] };
  for (const { _id: accountId, holds } of await deps.accounts.findWithHolds(before, present, 1000)) {
    for (const entry of holds.filter(({ at }) => at <= before || at > present)) {
      try {
        await finishEntry(deps, accountId, entry);
        settled.finished += 1;
      } catch (error) {
        if (!(error instanceof ContradictionError)) throw error;
        settled.stuck.push(error.message);
      }
    }
  }
  return settled;
}

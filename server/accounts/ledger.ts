import type { LedgerKind } from '#contract';
import type { AccountRecord, AccountRepository, HoldRecord, LedgerLineRecord, LedgerRepository } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { randomBase62 } from './base62.ts';
import { countEntries, countersOf, newLineId, shardOf, toLine } from './ledger-entries.ts';

/** Dependencies of {@link createLedger}. */
export interface LedgerDeps {
  accounts: AccountRepository;
  ledger: LedgerRepository;
  now: () => Date;
}

/** A ledger entry to post. */
export interface EntryRequest {
  accountId: string;
  /** Reference, e.g. a job id; each kind of entry is posted once per reference. */
  ref: string;
  /** Credits, a whole number > 0. */
  amount: number;
  note?: string | null;
}

/** Result of posting an entry. */
export interface EntryResult {
  /** Balance in credits. */
  balance: number;
  /** False if the entry had been posted before. */
  applied: boolean;
}

/** Result of {@link Ledger.settlePending}. */
export interface Settled {
  finished: number;
  /** One message per entry that contradicts the ledger. */
  stuck: string[];
}

/** Thrown if a pending entry and the ledger disagree. */
class ContradictionError extends Error {
  override readonly name = 'ContradictionError';
}

/**
 * Creates the ledger. Each entry is posted exactly once per (kind, ref), in three steps; the process may die after any of
 * them.
 *
 * 1. One conditional update of the account changes balance and counters and stores a pending entry.
 * 2. The ledger entry is inserted; (kind, ref) is unique.
 * 3. The pending entry is removed.
 *
 * A pending entry that was left is completed by the next attempt or by `settlePending`. The account is read before the
 * ledger is searched, and step 1 requires the counter shard of (kind, ref) to be unchanged since then. So an entry that a
 * concurrent duplicate has completed in between is not posted again.
 */
export function createLedger({ accounts, ledger, now }: LedgerDeps) {
  /** Steps 2 and 3; any process may repeat them. */
  async function finish(accountId: string, entry: HoldRecord): Promise<void> {
    if (!(await ledger.insert(toLine(accountId, entry)))) {
      const line = await ledger.findByRef(entry.kind, entry.ref);
      // Kept, because the balance has changed already.
      if (line?._id !== entry.lineId)
        throw new ContradictionError(`the ledger has another ${entry.kind} for ${entry.ref}`);
    }
    // The account was removed before this entry was written, so no sweep will find the entry.
    if (!(await accounts.clearHold(accountId, entry.lineId))) await ledger.removeOfAccount(accountId);
  }

  async function move(kind: LedgerKind, request: EntryRequest, sign: 1 | -1): Promise<EntryResult> {
    const { accountId, ref, amount, note = null } = request;
    if (!Number.isSafeInteger(amount) || amount <= 0 || ref === '') {
      throw new TypeError(`expected amount > 0 and a ref for a ${kind}, but received ${amount} and "${ref}"`);
    }
    const shard = shardOf(kind, ref);
    for (;;) {
      const account = await require(accountId);
      if (account.deletedAt && kind !== 'refund') throw new AppError('not_found', `No account ${accountId}`);
      const pending = account.holds.find((entry) => entry.kind === kind && entry.ref === ref);
      if (pending) await finish(accountId, pending);
      if (pending || (await lineOf(accountId, kind, ref))) return { balance: account.balance, applied: false };

      if (sign < 0 && account.balance < amount) throw insufficientCredits(account.balance, amount);
      const at = now();
      const entry: HoldRecord = {
        lineId: newLineId(countEntries(account) + 1, at),
        kind,
        ref,
        delta: sign * amount,
        note,
        at,
      };
      const shardCount = account.lanes[shard] ?? 0;
      const moved = await accounts.move({
        accountId,
        hold: entry,
        ...countersOf(entry),
        lane: shard,
        laneCount: shardCount,
      });
      if (moved) {
        await finish(accountId, entry);
        return { balance: moved.balance, applied: true };
      }
      // A concurrent entry changed the balance or the shard: read again.
    }
  }

  async function require(accountId: string): Promise<AccountRecord> {
    const account = await accounts.find(accountId);
    if (!account) throw new AppError('not_found', `No account ${accountId}`);
    return account;
  }

  /** Finds the ledger entry of (kind, ref). @throws Error if it belongs to another account */
  async function lineOf(accountId: string, kind: LedgerKind, ref: string): Promise<LedgerLineRecord | null> {
    const line = await ledger.findByRef(kind, ref);
    if (line && line.accountId !== accountId) throw new Error(`the ${kind} for ${ref} is another account's`);
    return line;
  }

  /** Returns the credits charged for a ref, pending charges included; 0 for none. */
  async function charged(accountId: string, ref: string): Promise<number> {
    return Math.abs(await pendingOrWritten(accountId, 'charge', ref));
  }

  async function pendingOrWritten(accountId: string, kind: LedgerKind, ref: string): Promise<number> {
    const account = await require(accountId);
    const entry = account.holds.find((candidate) => candidate.kind === kind && candidate.ref === ref);
    return entry?.delta ?? (await lineOf(accountId, kind, ref))?.delta ?? 0;
  }

  return {
    /**
     * Charges credits for a ref, all or nothing.
     * @throws AppError insufficient_credits with balance, required and shortfall
     */
    async charge(request: EntryRequest): Promise<EntryResult> {
      return move('charge', request, -1);
    },

    /**
     * Refunds credits of a charge, once per ref.
     * @throws Error if there is no such charge, or it was lower
     */
    async refund(request: EntryRequest): Promise<EntryResult> {
      const limit = await charged(request.accountId, request.ref);
      if (request.amount > limit) {
        throw new Error(`cannot refund ${request.amount} of ${limit} credits charged for ${request.ref}`);
      }
      return move('refund', request, 1);
    },

    /** Grants credits, once per ref; without a ref each call is a new grant. */
    async grant(request: Omit<EntryRequest, 'ref'> & { ref?: string }): Promise<EntryResult> {
      return move('grant', { ref: newGrantRef(), ...request }, 1);
    },

    /** Returns the fields of a new account with its sign-up credits; `finish` writes the entry. */
    signup(accountId: string, amount: number, at: Date): Pick<AccountRecord, 'balance' | 'granted' | 'holds'> {
      const entry: HoldRecord = {
        lineId: newLineId(0, at),
        kind: 'signup',
        ref: accountId,
        delta: amount,
        note: null,
        at,
      };
      return { balance: amount, granted: amount, holds: amount === 0 ? [] : [entry] };
    },

    finish,
    charged,

    /** Returns the balance, also of an account that is being deleted, since its last jobs are settled too. */
    async balance(accountId: string): Promise<number> {
      return (await require(accountId)).balance;
    },

    /** Tests if credits were charged for a ref. */
    async isCharged(accountId: string, ref: string): Promise<boolean> {
      return (await charged(accountId, ref)) > 0;
    },

    /** Returns the credits refunded for a ref; 0 for none. */
    async refunded(accountId: string, ref: string): Promise<number> {
      return pendingOrWritten(accountId, 'refund', ref);
    },

    /** Marks the charge of a settled job as closed. */
    async closeCharge(accountId: string, ref: string): Promise<void> {
      await ledger.close(accountId, ref);
    },

    /** Returns unsettled charges that are older than `minAgeMs`, or dated in the future after the clock was set back. */
    async openCharges({ minAgeMs, limit = 100 }: { minAgeMs: number; limit?: number }) {
      const at = now();
      const lines = await ledger.findOpen(new Date(at.getTime() - minAgeMs), at, limit);
      return lines.map(({ accountId, ref, delta, at }) => ({ accountId, ref, amount: -delta, at }));
    },

    /**
     * Completes the pending entries that a crash has left. An entry that contradicts the ledger is skipped and reported in
     * `stuck`, so that it blocks neither the others nor the start of the service.
     * @param minAgeMs age in ms from which an entry is taken up, to skip running ones; any age is safe. Entries dated in the
     *   future, after the clock was set back, are taken up too
     */
    async settlePending({ minAgeMs = 10_000 }: { minAgeMs?: number } = {}): Promise<Settled> {
      const present = now();
      const before = new Date(present.getTime() - minAgeMs);
      const settled: Settled = { finished: 0, stuck: [] };
      for (const { _id: accountId, holds } of await accounts.findWithHolds(before, present, 1000)) {
        for (const entry of holds.filter(({ at }) => at <= before || at > present)) {
          try {
            await finish(accountId, entry);
            settled.finished += 1;
          } catch (error) {
            if (!(error instanceof ContradictionError)) throw error;
            settled.stuck.push(error.message);
          }
        }
      }
      return settled;
    },
  };
}

/** Generates the ref of a grant that may have to be repeated. */
export function newGrantRef(): string {
  return `grant_${randomBase62(22)}`;
}

/** Ledger of credits. */
export type Ledger = ReturnType<typeof createLedger>;

function insufficientCredits(balance: number, required: number): AppError {
  return new AppError('insufficient_credits', `Insufficient credits: balance is ${balance}, ${required} needed`, {
    details: { balance, required, shortfall: required - balance },
  });
}

import type { LedgerKind } from '#contract';
import type { AccountRecord, AccountRepository, HoldRecord, LedgerLineRecord, LedgerRepository } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { randomBase62 } from './base62.ts';
import { countersOf, countMovements, laneOf, newLineId, toLine } from './movements.ts';

/** What {@link createLedger} works with. */
export interface LedgerDeps {
  accounts: AccountRepository;
  ledger: LedgerRepository;
  now: () => Date;
}

/** One movement of credits that is asked for. */
export interface MovementRequest {
  accountId: string;
  /** What it is for, e.g. a job id; each kind of movement happens once for it. */
  ref: string;
  /** Credits, a whole number > 0. */
  amount: number;
  note?: string | null;
}

/** What a movement has led to. */
export interface MovementResult {
  /** Credits left. */
  balance: number;
  /** False when the same movement had been made before. */
  applied: boolean;
}

/** What {@link Ledger.settlePending} has done. */
export interface Settled {
  finished: number;
  /** One line for each movement that contradicts the ledger. */
  stuck: string[];
}

/** The balance has moved, and the ledger says something else about it. */
class ContradictionError extends Error {
  override readonly name = 'ContradictionError';
}

/**
 * Makes the ledger: each movement happens exactly once per (kind, ref), in three steps that may each be the last one
 * of a process.
 *
 * 1. One conditional update of the account changes balance and counters and leaves a hold.
 * 2. The ledger line is inserted; (kind, ref) is unique.
 * 3. The hold is cleared.
 *
 * A hold that was left is finished by the next attempt or by `settlePending`. The account is read before the ledger
 * is searched for the line, and step 1 demands that the lane of this (kind, ref) stands where it stood then: so a
 * twin that ran through all three steps in between cannot be repeated, although its hold is gone.
 */
export function createLedger({ accounts, ledger, now }: LedgerDeps) {
  /** Steps 2 and 3. May be done any number of times, by anybody. */
  async function finish(accountId: string, hold: HoldRecord): Promise<void> {
    if (!(await ledger.insert(toLine(accountId, hold)))) {
      const line = await ledger.findByRef(hold.kind, hold.ref);
      // Never cleared in silence, since the credits have moved.
      if (line?._id !== hold.lineId)
        throw new ContradictionError(`the ledger has another ${hold.kind} for ${hold.ref}`);
    }
    // The account was removed, and its lines, before this one was written; nobody else will look for it.
    if (!(await accounts.clearHold(accountId, hold.lineId))) await ledger.removeOfAccount(accountId);
  }

  async function move(kind: LedgerKind, request: MovementRequest, sign: 1 | -1): Promise<MovementResult> {
    const { accountId, ref, amount, note = null } = request;
    if (!Number.isSafeInteger(amount) || amount <= 0 || ref === '') {
      throw new TypeError(`expected amount > 0 and a ref for a ${kind}, but received ${amount} and "${ref}"`);
    }
    const lane = laneOf(kind, ref);
    for (;;) {
      const account = await require(accountId);
      if (account.deletedAt && kind !== 'refund') throw new AppError('not_found', `No account ${accountId}`);
      const pending = account.holds.find((hold) => hold.kind === kind && hold.ref === ref);
      if (pending) await finish(accountId, pending);
      if (pending || (await lineOf(accountId, kind, ref))) return { balance: account.balance, applied: false };

      if (sign < 0 && account.balance < amount) throw insufficientCredits(account.balance, amount);
      const at = now();
      const hold: HoldRecord = {
        lineId: newLineId(countMovements(account) + 1, at),
        kind,
        ref,
        delta: sign * amount,
        note,
        at,
      };
      const laneCount = account.lanes[lane] ?? 0;
      const moved = await accounts.move({ accountId, hold, ...countersOf(hold), lane, laneCount });
      if (moved) {
        await finish(accountId, hold);
        return { balance: moved.balance, applied: true };
      }
      // Another movement came first; it has changed the balance or this lane, so look again.
    }
  }

  async function require(accountId: string): Promise<AccountRecord> {
    const account = await accounts.find(accountId);
    if (!account) throw new AppError('not_found', `No account ${accountId}`);
    return account;
  }

  /** @throws Error when the line is another account's */
  async function lineOf(accountId: string, kind: LedgerKind, ref: string): Promise<LedgerLineRecord | null> {
    const line = await ledger.findByRef(kind, ref);
    if (line && line.accountId !== accountId) throw new Error(`the ${kind} for ${ref} is another account's`);
    return line;
  }

  /** Credits that were charged for a ref, also while the charge is still pending; 0 for none. */
  async function charged(accountId: string, ref: string): Promise<number> {
    return Math.abs(await pendingOrWritten(accountId, 'charge', ref));
  }

  async function pendingOrWritten(accountId: string, kind: LedgerKind, ref: string): Promise<number> {
    const account = await require(accountId);
    const hold = account.holds.find((candidate) => candidate.kind === kind && candidate.ref === ref);
    return hold?.delta ?? (await lineOf(accountId, kind, ref))?.delta ?? 0;
  }

  return {
    /**
     * Takes credits for a ref, all or nothing.
     * @throws AppError insufficient_credits with balance, required and shortfall
     */
    async charge(request: MovementRequest): Promise<MovementResult> {
      return move('charge', request, -1);
    },

    /**
     * Gives back credits of a charge, once per ref.
     * @throws Error when there is no such charge, or it was lower
     */
    async refund(request: MovementRequest): Promise<MovementResult> {
      const limit = await charged(request.accountId, request.ref);
      if (request.amount > limit) {
        throw new Error(`cannot refund ${request.amount} of ${limit} credits charged for ${request.ref}`);
      }
      return move('refund', request, 1);
    },

    /** Adds credits, once per ref; without a ref each call is a grant of its own. */
    async grant(request: Omit<MovementRequest, 'ref'> & { ref?: string }): Promise<MovementResult> {
      return move('grant', { ref: newGrantRef(), ...request }, 1);
    },

    /** The part of a new account's record that gives it its sign-up credits; `finish` writes the line. */
    signup(accountId: string, amount: number, at: Date): Pick<AccountRecord, 'balance' | 'granted' | 'holds'> {
      const hold: HoldRecord = {
        lineId: newLineId(0, at),
        kind: 'signup',
        ref: accountId,
        delta: amount,
        note: null,
        at,
      };
      return { balance: amount, granted: amount, holds: amount === 0 ? [] : [hold] };
    },

    finish,
    charged,

    /** Credits of an account, also of one that is being deleted: its last jobs are settled like any other. */
    async balance(accountId: string): Promise<number> {
      return (await require(accountId)).balance;
    },

    /** Whether credits were taken for a ref. */
    async isCharged(accountId: string, ref: string): Promise<boolean> {
      return (await charged(accountId, ref)) > 0;
    },

    /** Credits that were given back for a ref; 0 for none. */
    async refunded(accountId: string, ref: string): Promise<number> {
      return pendingOrWritten(accountId, 'refund', ref);
    },

    /** Notes that the job of a charge has been settled, so that it is no longer an open one. */
    async closeCharge(accountId: string, ref: string): Promise<void> {
      await ledger.close(accountId, ref);
    },

    /** Charges older than `minAgeMs` milliseconds, or of a time to come, whose jobs were never settled. */
    async openCharges({ minAgeMs, limit = 100 }: { minAgeMs: number; limit?: number }) {
      const at = now();
      const lines = await ledger.findOpen(new Date(at.getTime() - minAgeMs), at, limit);
      return lines.map(({ accountId, ref, delta, at }) => ({ accountId, ref, amount: -delta, at }));
    },

    /**
     * Finishes the movements that a crash has left between two steps. One that contradicts the ledger is left as it is,
     * for the audit to show, and named in `stuck`: it must not keep the others, or the start of the service, waiting.
     * @param minAgeMs milliseconds that a hold must be old, to leave running ones alone; any age is safe, and so is one of a
     *   time to come, which the clock was set back from
     */
    async settlePending({ minAgeMs = 10_000 }: { minAgeMs?: number } = {}): Promise<Settled> {
      const present = now();
      const before = new Date(present.getTime() - minAgeMs);
      const settled: Settled = { finished: 0, stuck: [] };
      for (const { _id: accountId, holds } of await accounts.findWithHolds(before, present, 1000)) {
        for (const hold of holds.filter(({ at }) => at <= before || at > present)) {
          try {
            await finish(accountId, hold);
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

/** A ref of no other grant: to be chosen before a grant that may have to be repeated. */
export function newGrantRef(): string {
  return `grant_${randomBase62(22)}`;
}

/** The ledger of credits. */
export type Ledger = ReturnType<typeof createLedger>;

function insufficientCredits(balance: number, required: number): AppError {
  return new AppError('insufficient_credits', `Insufficient credits: balance is ${balance}, ${required} needed`, {
    details: { balance, required, shortfall: required - balance },
  });
}

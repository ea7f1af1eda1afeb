import { createHash } from 'node:crypto';
import type { LedgerKind } from '#contract';
import type {
  AccountRecord,
  AccountRepository,
  LedgerEntryRecord,
  LedgerRepository,
  PendingEntryRecord,
} from '../db/index.ts';
import { AppError } from '../errors.ts';
import { encodeBase62, randomBase62 } from '../ids.ts';

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

/** Repositories and clock of the ledger. */
interface LedgerDeps {
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

/** Thrown if a pending entry and the ledger disagree. */
class ContradictionError extends Error {
  override readonly name = 'ContradictionError';
}

/**
 * Posts an entry exactly once per (kind, ref), in three steps; the process may die after any of them.
 *
 * 1. One conditional update of the account changes balance and counters and stores a pending entry.
 * 2. The ledger entry is inserted; (kind, ref) is unique.
 * 3. The pending entry is removed.
 *
 * The next attempt or `settlePending` completes a pending entry that was left. The account is read before the ledger is
 * searched, and step 1 requires the counter shard of (kind, ref) to be unchanged since then. So an entry that a concurrent
 * duplicate has completed in between is not posted again.
 * @throws AppError insufficient_credits, not_found
 */
async function postEntry(
  deps: LedgerDeps,
  kind: LedgerKind,
  request: EntryRequest,
  sign: 1 | -1,
): Promise<EntryResult> {
  const { amount, ref } = request;
  if (!Number.isSafeInteger(amount) || amount <= 0 || ref === '') {
    throw new TypeError(`expected amount > 0 and a ref for a ${kind}, but received ${amount} and "${ref}"`);
  }
  for (;;) {
    const result = await tryPost(deps, kind, request, sign);
    if (result) return result;
  }
}

/** Attempts to post an entry; null if a concurrent entry changed the balance or the shard after they were read. */
async function tryPost(
  deps: LedgerDeps,
  kind: LedgerKind,
  { accountId, ref, amount, note = null }: EntryRequest,
  sign: 1 | -1,
): Promise<EntryResult | null> {
  const account = await requireAccount(deps, accountId);
  if (account.deletedAt && kind !== 'refund') throw new AppError('not_found', `No account ${accountId}`);
  const pending = findPending(account, kind, ref);
  if (pending) await finishEntry(deps, accountId, pending);
  if (pending || (await findWritten(deps, accountId, kind, ref))) return { balance: account.balance, applied: false };
  if (sign < 0 && account.balance < amount) throw insufficientCredits(account.balance, amount);

  const at = deps.now();
  const lineId = newLineId(countEntries(account) + 1, at);
  const entry: PendingEntryRecord = { lineId, kind, ref, delta: sign * amount, note, at };
  const shard = shardOf(kind, ref);
  const updated = await deps.accounts.move({
    accountId,
    hold: entry,
    ...countersOf(entry),
    lane: shard,
    laneCount: account.lanes[shard] ?? 0,
  });
  if (!updated) return null;
  await finishEntry(deps, accountId, entry);
  return { balance: updated.balance, applied: true };
}

/** Takes steps 2 and 3 of a pending entry; any process may repeat them. @throws ContradictionError */
async function finishEntry(
  { accounts, ledger }: LedgerDeps,
  accountId: string,
  entry: PendingEntryRecord,
): Promise<void> {
  if (!(await ledger.insert(toLine(accountId, entry)))) {
    const line = await ledger.findByRef(entry.kind, entry.ref);
    // The pending entry is kept, because the balance has changed already.
    if (line?._id !== entry.lineId) {
      throw new ContradictionError(`the ledger has another ${entry.kind} for ${entry.ref}`);
    }
  }
  // The account was removed before this entry was written, so no sweep will find the entry.
  if (!(await accounts.clearHold(accountId, entry.lineId))) await ledger.removeOfAccount(accountId);
}

/** Returns an account, also one that is being deleted. @throws AppError not_found */
async function requireAccount({ accounts }: LedgerDeps, accountId: string): Promise<AccountRecord> {
  const account = await accounts.find(accountId);
  if (!account) throw new AppError('not_found', `No account ${accountId}`);
  return account;
}

/** Finds the pending entry of (kind, ref). */
function findPending({ holds }: AccountRecord, kind: LedgerKind, ref: string): PendingEntryRecord | undefined {
  return holds.find((entry) => entry.kind === kind && entry.ref === ref);
}

/** Finds the ledger entry of (kind, ref). @throws Error if it belongs to another account */
async function findWritten(
  { ledger }: LedgerDeps,
  accountId: string,
  kind: LedgerKind,
  ref: string,
): Promise<LedgerEntryRecord | null> {
  const line = await ledger.findByRef(kind, ref);
  if (line && line.accountId !== accountId) throw new Error(`the ${kind} for ${ref} belongs to another account`);
  return line;
}

function insufficientCredits(balance: number, required: number): AppError {
  return new AppError('insufficient_credits', `Insufficient credits: balance is ${balance}, ${required} needed`, {
    details: { balance, required, shortfall: required - balance },
  });
}

const SHARDS = 32;

/** Returns the shard of the entry counter that counts a (kind, ref). */
function shardOf(kind: LedgerKind, ref: string): string {
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
function toLine(accountId: string, { lineId, kind, ref, delta, note, at }: PendingEntryRecord): LedgerEntryRecord {
  const line = { _id: lineId, accountId, kind, ref, delta, note, at };
  return kind === 'charge' ? { ...line, open: true } : line;
}

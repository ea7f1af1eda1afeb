import type { AccountRecord, AccountRepository, LedgerEntryRecord, LedgerRepository } from '../db/index.ts';
import { countEntries, countersOf } from './ledger-entries.ts';

const PAGE = 1000;
const RECHECKS = 5;

/** Dependencies of {@link createAudit}. */
export interface AuditDeps {
  accounts: AccountRepository;
  ledger: LedgerRepository;
}

/** A violated rule of the money model. */
export interface BrokenInvariant {
  rule:
    | 'negative_balance'
    | 'balance_differs'
    | 'counters_differ'
    | 'duplicate_line'
    | 'refund_without_charge'
    | 'refund_exceeds_charge'
    | 'wrong_sign'
    | 'orphan_line';
  accountId: string;
  ref: string | null;
  message: string;
}

/** Result of an audit. */
export interface AuditReport {
  ok: boolean;
  broken: BrokenInvariant[];
  figures: {
    accounts: number;
    lines: number;
    /** Pending entries that are not in the ledger yet; not a fault, `settlePending` completes them. */
    pending: number;
    balance: number;
    used: number;
    granted: number;
  };
}

/** A ledger entry, written or pending. */
type Entry = Pick<LedgerEntryRecord, 'accountId' | 'kind' | 'ref' | 'delta'>;

/**
 * Creates the audit. It recomputes every balance from the ledger and the pending entries. It can run beside the service:
 * an account that looks wrong is read again until no entry was added in between.
 */
export function createAudit({ accounts, ledger }: AuditDeps) {
  /** Checks one account again on a consistent reading. */
  async function recheck(accountId: string): Promise<BrokenInvariant[]> {
    for (let attempt = 1; ; attempt += 1) {
      const before = await accounts.find(accountId);
      const lines = await readAll((after) => ledger.page(accountId, PAGE, after));
      const after = await accounts.find(accountId);
      if (!before || !after) return [];
      if (attempt === RECHECKS || countEntries(before) === countEntries(after)) {
        // `before`, because an entry completed since then is among the lines read after it.
        return checkAccount(before, [...lines, ...pendingOf(before, lines)]);
      }
    }
  }

  /** Repeats the check for a charge that was written during the scan. */
  async function stillBroken({ rule, ref }: BrokenInvariant): Promise<boolean> {
    return rule !== 'refund_without_charge' || ref === null || (await ledger.findByRef('charge', ref)) === null;
  }

  return async function audit(): Promise<AuditReport> {
    const written = await readAll((after) => ledger.scan(PAGE, after));
    const everyone = await readAll((after) => accounts.list(PAGE, after));
    // The entries of an account that is being deleted are removed in several steps.
    const records = everyone.filter(({ deletedAt }) => !deletedAt);
    const leaving = new Set(everyone.filter(({ deletedAt }) => deletedAt).map(({ _id }) => _id));
    const lines = written.filter(({ accountId }) => !leaving.has(accountId));
    const pending = records.flatMap((record) => pendingOf(record, lines));
    const entries = [...lines, ...pending];
    const byAccount = groupBy<Entry>(entries, ({ accountId }) => accountId);
    const known = new Set(records.map(({ _id }) => _id));
    const broken: BrokenInvariant[] = [];
    for (const line of lines.filter(({ accountId }) => !known.has(accountId))) {
      // The account and its entries may have been deleted during the scan.
      if (await ledger.findByRef(line.kind, line.ref)) broken.push(orphan(line));
    }
    for (const record of records) {
      if (checkAccount(record, byAccount.get(record._id) ?? []).length > 0) broken.push(...(await recheck(record._id)));
    }
    for (const fault of checkRefs(entries)) if (await stillBroken(fault)) broken.push(fault);
    return {
      ok: broken.length === 0,
      broken,
      figures: {
        accounts: records.length,
        lines: lines.length,
        pending: pending.length,
        balance: sum(records, ({ balance }) => balance),
        used: sum(records, ({ used }) => used),
        granted: sum(records, ({ granted }) => granted),
      },
    };
  };
}

/** Returns the pending entries of an account that are not among `lines`. */
function pendingOf({ _id, holds }: AccountRecord, lines: LedgerEntryRecord[]): Entry[] {
  if (holds.length === 0) return [];
  const written = new Set(lines.map((line) => line._id));
  return holds.filter(({ lineId }) => !written.has(lineId)).map((entry) => ({ ...entry, accountId: _id }));
}

function checkAccount(record: AccountRecord, entries: Entry[]): BrokenInvariant[] {
  const broken: BrokenInvariant[] = [];
  const fault = (rule: BrokenInvariant['rule'], message: string) =>
    broken.push({ rule, accountId: record._id, ref: null, message });

  if (!(record.balance >= 0)) fault('negative_balance', `the balance is ${record.balance}`);
  const balance = sum(entries, ({ delta }) => delta);
  if (record.balance !== balance) {
    fault(
      'balance_differs',
      `the balance is ${record.balance}, but the ledger and pending entries add up to ${balance}`,
    );
  }
  const used = sum(entries, (entry) => countersOf(entry).used);
  const granted = sum(entries, (entry) => countersOf(entry).granted);
  if (record.used !== used || record.granted !== granted) {
    fault(
      'counters_differ',
      `used is ${record.used} and granted ${record.granted}, but the ledger says ${used} and ${granted}`,
    );
  }
  return broken;
}

function checkRefs(entries: Entry[]): BrokenInvariant[] {
  const broken: BrokenInvariant[] = [];
  const byKindAndRef = groupBy(entries, ({ kind, ref }) => `${kind} ${ref}`);
  for (const [first, ...more] of byKindAndRef.values()) {
    if (!first) continue;
    const { accountId, kind, ref, delta } = first;
    const fault = (rule: BrokenInvariant['rule'], message: string) => broken.push({ rule, accountId, ref, message });

    if (more.length > 0) fault('duplicate_line', `${ref} has ${more.length + 1} lines of the kind ${kind}`);
    if (kind === 'charge' ? delta >= 0 : delta <= 0) fault('wrong_sign', `a ${kind} of ${delta} for ${ref}`);
    if (kind !== 'refund') continue;
    const charge = byKindAndRef.get(`charge ${ref}`)?.find((candidate) => candidate.accountId === accountId);
    if (!charge) fault('refund_without_charge', `${ref} was refunded, but never charged`);
    else if (delta > -charge.delta) fault('refund_exceeds_charge', `${ref} cost ${-charge.delta}, refunded ${delta}`);
  }
  return broken;
}

function orphan({ _id, accountId, ref }: LedgerEntryRecord): BrokenInvariant {
  return { rule: 'orphan_line', accountId, ref, message: `line ${_id} belongs to an account that does not exist` };
}

function groupBy<T>(items: T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

function sum<T>(items: T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

async function readAll<T extends { _id: string }>(page: (after?: string) => Promise<T[]>): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const next = await page(all.at(-1)?._id);
    if (next.length === 0) return all;
    all.push(...next);
  }
}
